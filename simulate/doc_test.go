package simulate

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write the output in docs/simulate.md anew")

// What a test leaves stuck in a bubble stays there.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("testing/synctest.testingSynctestTest"),
		goleak.IgnoreTopFunction("github.com/ohmroute/ohmroute/simulate.stuck"))
}

// example is a script in the documentation and, behind it, what it prints.
var example = regexp.MustCompile("(?s)```yaml\n([^`]*arrivals:[^`]*)```\n\n```text\n([^`]*)```")

func TestTheDocumentationShowsWhatItsScriptsPrint(t *testing.T) {
	const path = "../docs/simulate.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, at := range example.FindAllSubmatch(page, -1) {
		found++
		r, _ := run(t, Input{Script: at[1]})
		var out bytes.Buffer
		if err := r.Text(&out); err != nil {
			t.Fatal(err)
		}
		shown := fmt.Appendf(nil, "```yaml\n%s```\n\n```text\n%s```", at[1], trimmed(out.Bytes()))
		if *update {
			page = bytes.Replace(page, at[0], shown, 1)
		} else if !bytes.Equal(shown, at[0]) {
			t.Errorf("%s shows something else than its script prints (-update writes it):\n%s", r.Name, out.Bytes())
		}
	}
	if found != 3 {
		t.Errorf("%d examples, want 3", found)
	}
	if *update {
		if err := os.WriteFile(path, page, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// trimmed has no blanks at the ends of lines.
func trimmed(text []byte) []byte { return regexp.MustCompile(`(?m) +$`).ReplaceAll(text, nil) }
