package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// verdict is what became of a mutant.
type verdict string

const (
	killed   verdict = "killed"
	timedOut verdict = "timed-out" // the tests did not end
	alive    verdict = "survived"
	unbuilt  verdict = "unbuilt"
)

// verdicts are those of this run and, with a file, of earlier ones. The file has a line for each: the verdict, a tab
// and the mutant. A mutant's text names its source line, so that a changed file asks anew.
type verdicts struct {
	known map[string]verdict
	file  *os.File
}

func openVerdicts(path string) (*verdicts, error) {
	v := &verdicts{known: map[string]verdict{}}
	if path == "" {
		return v, nil
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	for lines.Scan() {
		if said, about, ok := strings.Cut(lines.Text(), "\t"); ok {
			v.known[about] = verdict(said)
		}
	}
	v.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return v, err
}

func (v *verdicts) of(m mutant) (verdict, bool) {
	said, ok := v.known[m.String()]
	return said, ok
}

func (v *verdicts) add(m mutant, said verdict) error {
	v.known[m.String()] = said
	if v.file == nil {
		return nil
	}
	_, err := fmt.Fprintf(v.file, "%s\t%s\n", said, m)
	return err
}

func (v *verdicts) close() {
	if v.file != nil {
		v.file.Close()
	}
}
