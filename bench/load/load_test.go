package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/bench/process"
)

func TestAnOrderIsReadFromTheRequest(t *testing.T) {
	for _, want := range []order{{}, {events: 50}, {events: 3, pace: 10 * time.Millisecond}, {hold: true}} {
		body := chat("m", want, 1<<10)
		if got := orderIn([]byte(body)); got != want {
			t.Errorf("ordered %+v, read %+v", want, got)
		}
		if len(body) != 1<<10 {
			t.Errorf("the request has %d bytes, want 1024", len(body))
		}
	}
	if got := orderIn([]byte(`{"messages":[]}`)); got != (order{}) {
		t.Errorf("read %+v where nothing was ordered", got)
	}
}

// made is a report in which every figure of ohmroute is so many times the yardstick's.
func made(times float64) *report {
	r := &report{figures: map[string]map[string][]figure{}}
	for _, s := range scenarios {
		r.figures[s.name] = map[string][]figure{
			"direct":  {{p50: 100 * time.Microsecond}},
			yardstick: {{cpu: 10, p50: 200 * time.Microsecond}},
			ours:      {{cpu: 10 * times, p50: 100*time.Microsecond + time.Duration(times*100)*time.Microsecond}},
		}
	}
	r.idle = []idleFigure{{name: ours, atRest: int64(15 * times * 1024), peak: int64(300 * times * 1024)}}
	r.starts = []startFigure{{starts: []time.Duration{time.Hour}}, {starts: []time.Duration{time.Duration(50*times) * time.Millisecond}}}
	return r
}

func TestEachTargetSaysWhetherItHeld(t *testing.T) {
	for times, want := range map[float64]string{0.8: "held", 3: "**missed**"} {
		text := made(times).verdicts()
		if n := strings.Count(text, "| "+want+" |"); n != len(targets) {
			t.Errorf("with figures of %g times the yardstick's %d targets are %s, want %d:\n%s", times, n, want, len(targets), text)
		}
	}
	if text := (&report{}).verdicts(); strings.Count(text, "not measured") != len(targets) {
		t.Errorf("nothing was measured:\n%s", text)
	}
}

func TestTheAdaptersOfThisFolderCanBeRead(t *testing.T) {
	paths, err := filepath.Glob("adapters/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%v, %v", paths, err)
	}
	for _, path := range paths {
		if a, err := readAdapter(path); err != nil || !strings.Contains(a.Config, "{upstream") || !strings.Contains(fmt.Sprint(a), "{port}") {
			t.Errorf("%s: %v, %+v", path, err, a)
		}
	}
}

func TestTheOutputReplacesWhatStandsBetweenItsMarks(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	const before, after = "# Title\n<!-- tool begins -->\n", "<!-- tool ends -->\nrest\n"
	for _, old := range []string{"", "old\ntext\n"} {
		if err := os.WriteFile(page, []byte(before+old+after), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := process.ReplaceMarked(page, "tool", "new\n"); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(page); err != nil || string(got) != before+"new\n"+after {
			t.Errorf("the page is %q, %v", got, err)
		}
	}
	if err := process.ReplaceMarked(page, "another", ""); err == nil {
		t.Error("a page without marks was changed")
	}
}
