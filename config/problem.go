package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a document, at a path such as `providers[0].keys[1].env`, or, in a document
// of its own, `targets[2].weight`. An empty path means the document itself. A message never holds a secret.
type Problem struct {
	Path    string `json:"path"`
	Message string `json:"message"`
	// Warning marks what is odd but works; `check --strict` alone makes it an error.
	Warning bool `json:"warning,omitempty"`

	hides bool // what lies below the path wasn't read, so that it is missing says nothing
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// ValidationError refuses a document and names every problem of it, in the order of the document (HTTP: 400).
type ValidationError struct{ Problems []Problem }

func (e *ValidationError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "; ")
}

// ConflictError refuses a change that the rest of the configuration doesn't allow (HTTP: 409).
type ConflictError struct {
	Code    string // one of the Conflict words
	Message string // names what is in the way
	// Of ConflictVersion: the version of the document that is stored now, and that document as answers show it, a
	// Provider or a Combo.
	Version uint64
	Current any
}

func (e *ConflictError) Error() string { return e.Message }

// The codes of a ConflictError.
const (
	ConflictExists  = "already_exists"   // the name is taken
	ConflictInUse   = "in_use"           // something else names it
	ConflictFile    = "managed_by_file"  // it stands in the configuration file and is changed there
	ConflictVersion = "version_conflict" // it was changed since the caller read it
)

var (
	// ErrNotFound says that there is no document of that name (HTTP: 404).
	ErrNotFound = errors.New("not found")
	// ErrPersistence says that a change could not be stored, so it was not made (HTTP: 503). It comes with the reason.
	ErrPersistence = errors.New("the change could not be stored")

	// ErrNoSecretKey says that a key given by value can't be stored by this process. It is an ErrPersistence.
	ErrNoSecretKey = fmt.Errorf("%w: the data directory can't be written, so a key given by value can't be kept; give it as env", ErrPersistence)
)

// firstPerPath keeps the first problem of each path, and none that follows from one above it.
func firstPerPath(problems []Problem) []Problem {
	var first []Problem
	seen := make(map[string]bool, len(problems))
	var hidden []string
	for _, p := range problems {
		if seen[p.Path] || slices.ContainsFunc(hidden, func(h string) bool { return lies(p.Path, h) }) {
			continue
		}
		seen[p.Path] = true
		first = append(first, p)
		if p.hides {
			hidden = append(hidden, p.Path)
		}
	}
	return first
}

// lies tells whether a path is one above or lies below it.
func lies(path, above string) bool {
	rest, below := strings.CutPrefix(path, above)
	return below && (above == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}
