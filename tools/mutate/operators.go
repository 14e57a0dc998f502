package main

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// finder collects the mutants of a file.
type finder struct {
	file  *file
	found []mutant
}

// in collects those of a part of the tree. results are the results of the function that it is in.
func (f *finder) in(root ast.Node, results *ast.FuncType) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f.in(n.Body, n.Type)
			return false
		case *ast.IfStmt:
			f.replace("negate condition", n.Cond, "!("+f.text(n.Cond)+")")
		case *ast.BinaryExpr:
			f.swap(n)
		case *ast.BasicLit:
			f.offByOne(n)
		case *ast.BlockStmt:
			f.drop(n.List)
		case *ast.CaseClause:
			f.drop(n.Body)
		case *ast.CommClause:
			f.drop(n.Body)
		case *ast.ReturnStmt:
			f.returnZero(n, results)
		case *ast.ImportSpec, *ast.Field, *ast.StructType:
			return false // tags and array lengths of types decide nothing
		}
		return true
	})
}

func (f *finder) offset(p token.Pos) int { return f.file.tokens.Offset(p) }

func (f *finder) text(n ast.Node) string {
	return string(f.file.text[f.offset(n.Pos()):f.offset(n.End())])
}

func (f *finder) replace(operator string, n ast.Node, by string) {
	f.found = append(f.found, mutant{f.file, operator, f.offset(n.Pos()), f.offset(n.End()), by})
}

// swaps has what stands in place of an operator: a limit that moves by one, the opposite, the other connective.
var swaps = map[token.Token][]token.Token{
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD},
}

// names of the operators that a swap belongs to.
var swapNames = map[token.Token]string{token.LAND: "swap connective", token.LOR: "swap connective", token.ADD: "swap sign", token.SUB: "swap sign"}

// swap keeps the operands bracketed as the tree has them: another operator may bind otherwise.
func (f *finder) swap(n *ast.BinaryExpr) {
	name := swapNames[n.Op]
	if name == "" {
		name = "swap comparison"
	}
	for _, by := range swaps[n.Op] {
		f.replace(name, n, "(("+f.text(n.X)+") "+by.String()+" ("+f.text(n.Y)+"))")
	}
}

func (f *finder) offByOne(n *ast.BasicLit) {
	if n.Kind != token.INT {
		return
	}
	if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
		f.replace("off by one", n, strconv.FormatInt(v+1, 10))
	}
}

// drop leaves out a statement that does something and declares nothing.
func (f *finder) drop(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.SendStmt, *ast.BranchStmt:
			f.replace("drop statement", s, "")
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				f.replace("drop statement", s, "")
			}
		}
	}
}

// returnZero returns the zero value of each result, except where that is written there already.
func (f *finder) returnZero(n *ast.ReturnStmt, of *ast.FuncType) {
	if of == nil || of.Results == nil || len(n.Results) == 0 {
		return
	}
	var zeros []string
	for _, result := range of.Results.List {
		for range max(1, len(result.Names)) {
			zeros = append(zeros, "*new("+f.text(result.Type)+")")
		}
	}
	plain := 0
	for _, r := range n.Results {
		switch text := f.text(r); {
		case text == "nil", text == "0", text == "false", text == `""`, strings.HasSuffix(text, "{}"):
			plain++
		}
	}
	if plain == len(n.Results) {
		return
	}
	f.replace("return zero", n, "return "+strings.Join(zeros, ", "))
}
