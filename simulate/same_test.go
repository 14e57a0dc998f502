package simulate

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// crowd lets requests meet wherever they can: in queues, at a recovery that all wait for, in a hold window, at a
// provider's retries.
const crowd = `
name: a crowd
defaults: {breaker: {reset_timeout: 2s}}
providers:
  - {id: a, kind: openai, base_url: "http://localhost:1/v1"}
  - {id: b, kind: openai, base_url: "http://localhost:2/v1", max_concurrency: 2, queue_timeout: 2s}
combos:
  - {name: fast, strategy: p2c, targets: [{provider: a, model: m}, {provider: a, model: n}, {provider: b, model: m}]}
targets: [{target: b, first_token: 300ms, rest: 1s, spread: 0.5}]
arrivals:
  - {to: 1m, rate: 5, streamed: 0.7, distribution: poisson}
  - {to: 1m, rate: 4}
faults:
  - {target: a, from: 5s, to: 20s, kind: server_error}
  - {target: b, from: 10s, to: 30s, kind: rate_limit, retry_after: 1s, share: 0.6}
  - {target: a/m, from: 30s, to: 40s, kind: hang}
  - {target: a/n, from: 40s, to: 50s, kind: truncated, share: 0.5}
policies:
  - {name: fail open}
  - {name: wait, defaults: {when_exhausted: {do: wait, max_wait: 20s}}}
  - {name: probe, defaults: {when_exhausted: {probe_wait: 3s}, retry: {same_target: 1}, timeouts: {total: 15s}}}
  - {name: hold, combos: [{name: fast, strategy: random, hold: {time: 300ms}}]}
`

func TestTheSameSeedGivesTheSameBytes(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	first := ""
	for _, procs := range []int{1, 2, 2} {
		runtime.GOMAXPROCS(procs)
		r, o := run(t, Input{Script: []byte(crowd)})
		if o.wasted() == 0 || o.Targets[2].Forced == 0 {
			t.Fatalf("nothing of interest happened: %+v", o)
		}
		switch got := shown(t, r); {
		case first == "":
			first = got
		case first != got:
			t.Fatalf("with GOMAXPROCS=%d the result is another one", procs)
		}
	}
	other := uint64(2)
	if r, _ := run(t, Input{Script: []byte(crowd), Seed: &other}); shown(t, r) == first {
		t.Error("another seed changes nothing")
	}
}

// A provider with a queue that nobody asks makes the router's clock look at who reads it.
func TestWhoReadsTheClockIsTheSameWhetherItIsLookedAtOrKnown(t *testing.T) {
	script := strings.ReplaceAll(crowd, ", max_concurrency: 2, queue_timeout: 2s", "")
	script = strings.Split(script, "  - {name: wait")[0] + "  - {name: hold, combos: [{name: fast, strategy: random, hold: {time: 300ms}}]}\n"
	idle := strings.Replace(script, "providers:\n", "providers:\n  - {id: idle, kind: demo, max_concurrency: 1, queue_timeout: 1s}\n", 1)
	if known := prepare(t, Input{Script: []byte(script)}); !known.policies[0].quiet() {
		t.Fatal("requests wait for each other")
	}
	if looked := prepare(t, Input{Script: []byte(idle)}); looked.policies[0].quiet() {
		t.Fatal("no request waits for another")
	}
	a, _ := run(t, Input{Script: []byte(script)})
	b, _ := run(t, Input{Script: []byte(idle)})
	if shown(t, a) != shown(t, b) {
		t.Error("the results differ")
	}
}

func TestThePageNeedsNothingElse(t *testing.T) {
	script := strings.ReplaceAll(crowd, "a crowd", `"</title><script>alert(1)</script>"`)
	script = strings.ReplaceAll(script, "fail open", `"<img src=x onerror=alert(1)> & 'q'"`)
	script = strings.ReplaceAll(script, "model: m}", `model: "m\"><b>"}`)
	script = strings.ReplaceAll(script, "a/m", `"a/m\"><b>"`)
	r, _ := run(t, Input{Script: []byte(script)})
	var page strings.Builder
	if err := r.HTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{"<script", "<img", "<b>", "src=", "href=", "url(", "@import", "http:", "https:", "%!"} {
		if strings.Contains(strings.ReplaceAll(page.String(), text("<img src=x onerror=alert(1)>"), ""), never) {
			t.Errorf("the page has %q", never)
		}
	}
	for _, always := range []string{"<svg", `role="img"`, "prefers-color-scheme: dark", "&lt;/title&gt;&lt;script&gt;", `class="OPEN"`, `class="fault"`, `class="rescued"`} {
		if !strings.Contains(page.String(), always) {
			t.Errorf("the page lacks %q", always)
		}
	}
	if open, shut := strings.Count(page.String(), "<rect"), strings.Count(page.String(), "</rect>"); shut == 0 || open < shut {
		t.Errorf("%d boxes begin, %d end", open, shut)
	}
}

func TestNothingIsPrintedAsideAndNoFlagAppears(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdout
	os.Stdout = w
	_, _ = run(t, Input{Script: []byte(twoTargets + "arrivals: [{to: 2s, rate: 1}]\n")})
	os.Stdout = before
	w.Close()
	aside := make([]byte, 100)
	if n, _ := r.Read(aside); n > 0 {
		t.Errorf("printed: %s", aside[:n])
	}
}

// stuck waits for ever.
func stuck() { select {} }

func TestWhatGoesWrongInABubbleIsAnError(t *testing.T) {
	for name, f := range map[string]func() error{
		"the simulation failed: broken":          func() error { panic("broken") },
		"the simulation stopped: deadlock":       func() error { stuck(); return nil },
		"the simulation stopped: deadlock: main": func() error { go stuck(); return nil },
		"an error as it is":                      func() error { return fmt.Errorf("an error as it is") },
	} {
		if err := inBubble(f); err == nil || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%v, want %s", err, name)
		}
	}
}
