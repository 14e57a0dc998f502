package dashboard

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// axe is the source of the accessibility checker that testdata/install puts into .cache, as the lock file pins it.
func axe(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("..", "..", ".cache", "e2e-dashboard")
	there, err := os.ReadFile(filepath.Join(dir, "installed.json"))
	pinned, pinErr := os.ReadFile(filepath.Join("testdata", "npm", "package-lock.json"))
	if pinErr != nil {
		t.Fatal(pinErr)
	}
	if err != nil || !bytes.Equal(there, pinned) {
		need(t, "axe-core is not in .cache as testdata/npm pins it: e2e/dashboard/testdata/install puts it there")
	}
	source, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// violation is a rule that the page breaks, and where.
type violation struct {
	ID, Help string
	Nodes    []struct {
		HTML           string `json:"html"`
		FailureSummary string `json:"failureSummary"`
	}
}

// accessible checks the page as it is against the rules of WCAG 2.2 at level AA, and the checker's best practices.
func (p *page) accessible(source, where string) {
	p.t.Helper()
	if !eval[bool](p, `typeof axe === "object"`) {
		eval[bool](p, source+"\n;true")
	}
	found := eval[[]violation](p, `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }).then((r) => r.violations)`)
	for _, v := range found {
		var said strings.Builder
		said.WriteString(fmt.Sprintf("%s: %s (%s)", where, v.Help, v.ID))
		for _, n := range v.Nodes {
			said.WriteString(fmt.Sprintf("\n  %s\n    %s", n.HTML, n.FailureSummary))
		}
		p.t.Error(said.String())
	}
}
