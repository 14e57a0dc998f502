package clients

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// update writes what was found into the documentation.
var update = flag.Bool("update", false, "rewrite generated documentation")

// matrix is what became of every scenario.
type matrix struct {
	mu      sync.Mutex
	cells   map[cell]bool   // false if any of its scenarios failed
	played  int             // scenarios
	missing map[string]bool // clients that are not installed here
}

// cell is a place in a table, and the dialect of the target there.
type cell struct{ row, column, target string }

func (m *matrix) record(c cell, passed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before, seen := m.cells[c]
	m.cells[c] = passed && (before || !seen)
	m.played++
}

// miss notes a client that is not installed here: what the documentation says of it stays.
func (m *matrix) miss(client string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.missing[client] = true
}

// targets are the dialects of targets, with the letter that stands for each in the tables.
var targets = []struct{ name, letter string }{{"chat", "C"}, {"responses", "R"}, {"messages", "M"}}

// text renders a cell: the letters of the targets with which all is well.
func (m *matrix) text(row, column string) string {
	var letters strings.Builder
	for _, target := range targets {
		if m.cells[cell{row, column, target.name}] {
			letters.WriteString(target.letter)
		}
	}
	return letters.String()
}

// rows are the lines of a table with the columns given, without rows that have nothing in them. Those of clients that are
// missing are as they were.
func (m *matrix) rows(was string, columns []string, mark func(string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| client | %s |\n|---%s|\n", strings.Join(columns, " | "), strings.Repeat("|---", len(columns)))
	for _, p := range parties {
		if m.missing[p.name] {
			for line := range strings.Lines(was) {
				if strings.HasPrefix(line, "| "+p.name+" |") || strings.HasPrefix(line, "| "+p.name+", ") {
					b.WriteString(line)
				}
			}
			continue
		}
		rows := []string{p.name}
		for _, endpoint := range p.endpoints {
			rows = append(rows, p.row(endpoint))
		}
		for _, row := range rows {
			line, filled := "", false
			for _, column := range columns {
				text := m.text(row, column)
				filled = filled || text != ""
				line += " | " + mark(text)
			}
			if filled {
				fmt.Fprintf(&b, "| %s%s |\n", row, line)
			}
		}
	}
	return b.String()
}

// row is the name of the line of a client's endpoint.
func (p party) row(endpoint string) string { return p.name + ", " + endpoint }

// columnsOf are the columns in the order of their first scenario.
func columnsOf[S any](all []S, column func(S) string) []string {
	var columns []string
	for _, one := range all {
		if name := column(one); !slices.Contains(columns, name) {
			columns = append(columns, name)
		}
	}
	return columns
}

// pins are the packages of the clients with the versions that are tested.
func pins(t *testing.T) string {
	t.Helper()
	var npm struct{ Dependencies map[string]string }
	text, err := os.ReadFile(filepath.Join("testdata", "npm", "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &npm)
	}
	pypi, pypiErr := os.ReadFile(filepath.Join("testdata", "python", "requirements.txt"))
	mod, modErr := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil || pypiErr != nil || modErr != nil {
		t.Fatal(err, pypiErr, modErr)
	}
	var b strings.Builder
	b.WriteString("| client | packages |\n|---|---|\n")
	for _, p := range parties {
		var named []string
		for _, name := range p.packages {
			version := npm.Dependencies[name]
			text, line := mod, `^\s*%s (v\S+)`
			if python, is := strings.CutPrefix(name, "pypi:"); is {
				name, version, text, line = python, "", pypi, `^%s==(\S+)$`
			}
			if found := regexp.MustCompile(fmt.Sprintf("(?m)"+line, regexp.QuoteMeta(name))).FindSubmatch(text); found != nil {
				version = string(found[1])
			}
			if version == "" {
				t.Errorf("%s is pinned nowhere", name)
			}
			named = append(named, "`"+name+"` "+version)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", p.name, strings.Join(named, ", "))
	}
	return b.String()
}

// compare holds the documentation to what was found, or writes it there.
func (m *matrix) compare(t *testing.T) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", "clients.md")
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	letters := func(text string) string { return text }
	yes := func(text string) string { return strings.Repeat("yes", min(1, len(text))) }
	document := string(was)
	for name, rows := range map[string]func(was string) string{
		"pins": func(string) string { return pins(t) },
		"matrix": func(was string) string {
			return m.rows(was, columnsOf(scenarios, func(sc scenario) string { return sc.column }), letters)
		},
		"others": func(was string) string {
			return m.rows(was, columnsOf(otherScenarios, func(sc otherScenario) string { return sc.column }), yes)
		},
	} {
		begins, ends := "<!-- "+name+": generated by go test ./e2e/clients -update -->\n", "<!-- end of "+name+" -->\n"
		before, rest, begun := strings.Cut(document, begins)
		table, after, ended := strings.Cut(rest, ends)
		if !begun || !ended {
			t.Fatalf("%s has no place for %s", path, name)
		}
		document = before + begins + rows(table) + ends + after
	}
	if document == string(was) {
		return
	}
	if !*update {
		t.Fatalf("%s does not say what was found; go test ./e2e/clients -update writes it", path)
	}
	if err := os.WriteFile(path, []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
}
