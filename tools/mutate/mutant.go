package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// file is a source file that is changed.
type file struct {
	path   string
	text   []byte
	tokens *token.File
}

// mutant is one change of one place of a file.
type mutant struct {
	file     *file
	operator string
	from, to int // offsets of what is replaced
	by       string
}

// String is the mutant in one line: where it is, the operator, and what was put in place of what.
func (m mutant) String() string {
	at := m.file.tokens.Position(m.file.tokens.Pos(m.from))
	return fmt.Sprintf("%s:%d:%d: %s: %s -> %s", filepath.Base(m.file.path), at.Line, at.Column, m.operator,
		oneLine(string(m.file.text[m.from:m.to])), oneLine(m.by))
}

// oneLine shortens a piece of source.
func oneLine(text string) string {
	const longest = 100
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "nothing"
	}
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}

// source is the whole file with the change.
func (m mutant) source() []byte {
	text := append([]byte{}, m.file.text[:m.from]...)
	return append(append(text, m.by...), m.file.text[m.to:]...)
}

// findMutants lists all mutants of the files of a folder whose names match a pattern, tests left out.
func findMutants(folder string, patterns []string) ([]mutant, error) {
	var all []mutant
	seen := map[string]bool{}
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if seen[path] || strings.HasSuffix(path, "_test.go") {
				continue
			}
			seen[path] = true
			of, err := mutantsOf(path)
			if err != nil {
				return nil, err
			}
			all = append(all, of...)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("nothing to change was found in " + folder)
	}
	return all, nil
}

func mutantsOf(path string) ([]mutant, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := finder{file: &file{path: path, text: text, tokens: set.File(tree.FileStart)}}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				f.in(d.Body, d.Type)
			}
		case *ast.GenDecl:
			f.in(d, nil)
		}
	}
	return f.found, nil
}
