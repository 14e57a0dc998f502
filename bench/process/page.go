package process

import (
	"fmt"
	"os"
	"strings"
)

// ReplaceMarked puts the text between the marks of a tool in a page:
//
//	<!-- TOOL begins -->
//	<!-- TOOL ends -->
func ReplaceMarked(page, tool, text string) error {
	raw, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+tool+" begins -->\n", "<!-- "+tool+" ends -->"
	before, rest, found := strings.Cut(string(raw), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s has no line %q with a %q after it", page, strings.TrimSpace(begin), end)
	}
	return os.WriteFile(page, []byte(before+begin+text+end+after), 0o644)
}
