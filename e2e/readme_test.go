package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/e2e/process"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// needs finds a program that a test can't do without. Where it is missing the test is skipped, in CI it fails.
func needs(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("this test needs %s, and CI has to have it: %v", program, err)
	default:
		t.Skipf("this test needs %s, which is not here", program)
	}
	return path
}

// TestEveryCurlOfTheReadmeWorks runs the README's commands in their order, against a gateway of its own.
func TestEveryCurlOfTheReadmeWorks(t *testing.T) {
	bash := needs(t, "bash")
	needs(t, "curl")
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	g := start(t, filepath.Join(home, "ohmroute-data"))
	ran := 0
	script := "set -euo pipefail\n"
	for _, block := range shellBlock.FindAllStringSubmatch(string(readme), -1) {
		const tool = "go run ./cmd/ohmroute breakers"
		if strings.TrimSpace(block[1]) == tool {
			if code, out := process.Run(t, []string{"OHMROUTE_ADMIN_TOKEN=" + g.Token}, "breakers", "--server", g.URL); code != 0 || !strings.Contains(out, "target:demo/flaky") {
				t.Errorf("%s: code %d\n%s", tool, code, out)
			}
			ran++
			continue
		}
		if !strings.Contains(block[1], "curl") {
			continue
		}
		script += strings.ReplaceAll(block[1], "http://127.0.0.1:4700", g.URL) + "\n"
		ran += strings.Count(block[1], "curl ")
	}
	// The event stream has no end; what it shows first has to come at once.
	script = regexp.MustCompile(`(?m)^curl -N (\S+/api/v1/events.*)$`).ReplaceAllString(script, "curl -N --max-time 1 $1 || [ $$? -eq 28 ]")
	script = strings.ReplaceAll(script, "curl ", "curl --fail-with-body -sS ")
	cmd := exec.CommandContext(t.Context(), bash, "-c", script)
	cmd.Dir = home
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if ran < 7 {
		t.Fatalf("only %d commands were found in the README", ran)
	}
	for _, want := range []string{"data: [DONE]", `"target:demo/flaky"`, `"gpt-4o-mini"`, `"reset":`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the commands print no %s:\n%s", want, out)
		}
	}
	if a := g.chat("fast", false); a.status != 200 {
		t.Errorf("the README's combo answers %d: %s", a.status, a.body)
	}
}
