package hostile

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`")
	madeTest  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9]+)\(`)
	link      = regexp.MustCompile(`\]\(([^)#:]+)\)`)
)

// TestTheThreatModelNamesTestsThatExist, and links that lead somewhere.
func TestTheThreatModelNamesTestsThatExist(t *testing.T) {
	const root = "../.."
	made := map[string]bool{}
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range madeTest.FindAllStringSubmatch(string(text), -1) {
			made[found[1]] = true
		}
		return err
	}))
	for _, file := range []string{"THREAT_MODEL.md", "SECURITY.md", "docs/mutation.md"} {
		text, err := os.ReadFile(filepath.Join(root, file))
		must(t, err)
		for _, named := range namedTest.FindAllStringSubmatch(string(text), -1) {
			if !made[named[1]] {
				t.Errorf("%s names %s, which does not exist", file, named[1])
			}
		}
		for _, to := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(file), to[1])); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if len(made) < 100 {
		t.Errorf("only %d tests were found", len(made))
	}
}
