package rules

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the failure report to docs/failure-behaviour.md")

// A run: a combo of two targets at two providers, asked for the first by priority. It is healthy for a while, then it
// fails in one way, then it is healthy again. All times are of the virtual clock, so that every run is the same.
const (
	every     = 97 * time.Millisecond  // a request comes; a prime, so that no two things happen at the same instant
	healthy   = 200 * time.Millisecond // a target that is well takes for an answer
	failing   = 20 * time.Millisecond  // a target that isn't takes to say so
	limit     = 2 * time.Second        // of first token and response, for the target that hangs
	most      = 64                     // requests are under way at a time
	warm      = 50                     // requests before the fault
	threshold = 5                      // failures open a breaker, by default
)

// ailment is a way to fail.
type ailment struct {
	name    string
	script  string
	refused bool
	kind    string
	after   time.Duration // the failure is known
	breaker string
	forms   string // plain, streamed, or both
	breaks  bool   // after the commit: clients see it
}

// again tells whether a run without a cooldown shows something else: not where a hint parks, and in one form only.
func (a *ailment) again(form string) bool {
	return a.kind != "rate_limit" && (form == "plain" || a.forms == form)
}

var ailments = []ailment{
	{name: "dead: connections are refused", refused: true, kind: "connection", breaker: "provider:one"},
	{name: "dead: every answer is a 500", script: "delay 20ms; error 500 - it broke", kind: "server_error", after: failing, breaker: "provider:one"},
	{name: "dying in mid-stream", script: "chunk Hello; delay 20ms; cut", kind: "truncated", after: failing, breaker: "provider:one", forms: "streamed", breaks: true},
	{name: "hanging", script: "hang", kind: "timeout", after: limit, breaker: "provider:one"},
	{name: "rate-limited, Retry-After: 10", script: "delay 20ms; header Retry-After: 10; error 429 rate_limit_exceeded slow down", kind: "rate_limit", after: failing, breaker: "target:one/m"},
	{name: "lying: 200 with an error", script: `delay 20ms; json {"error":{"message":"no","type":"server_error","code":"server_error"}}`, kind: "server_error", after: failing, breaker: "provider:one"},
}

// account is what a run has cost.
type account struct {
	ailment, form, cooldown string
	requests                int
	answered                int           // whole, from either target
	broken                  int           // told in mid-stream
	wasted                  int           // calls that the failing target got
	settled                 int           // of these known as failed when it opened
	underWay                int           // of these under way when it opened
	probes                  int           // of these afterwards, one for each window
	windows                 int           // times that a probe was due
	stopped                 time.Duration // from the fault to OPEN
	slowest                 time.Duration // answer
	back                    time.Duration // from health to the first answer of the target
}

func TestFailureReport(t *testing.T) {
	requests, cooldowns := 1000, []string{"5s", "0s"}
	if raced || testing.Short() {
		requests, cooldowns = 200, []string{"0s"} // which opens within them
	}
	var report []account
	for _, cooldown := range cooldowns {
		for _, a := range ailments {
			for _, form := range []string{"plain", "streamed"} {
				if a.forms != "" && a.forms != form || cooldown == "0s" && !a.again(form) {
					continue
				}
				t.Run(fmt.Sprintf("%s, %s, cooldown %s", a.name, form, cooldown), func(t *testing.T) {
					virtual(t, func(w *world) {
						got := w.run(a, form == "streamed", cooldown, requests)
						got.check(w.t, a)
						report = append(report, got)
					})
				})
			}
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("%d requests each\n%s", requests, table(report))
	const file = "../../docs/failure-behaviour.md"
	text := page(report)
	switch {
	case requests < 1000:
	case *update:
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		if written, err := os.ReadFile(file); err != nil || string(written) != text {
			t.Errorf("docs/failure-behaviour.md says something else (%v): run this test with -update and look at what changed", err)
		}
	}
}

// run makes one run and draws up its account.
func (w *world) run(a ailment, streamed bool, cooldown string, requests int) account {
	w.t.Helper()
	got := account{ailment: a.name, cooldown: cooldown, form: map[bool]string{true: "streamed", false: "plain"}[streamed], requests: requests}
	one := w.provider("one", models, oneKey("one"), `"breaker":{"cooldown":`+quote(cooldown)+`}`)
	two := w.provider("two", models, oneKey("two"))
	w.combo("c", "one/m two/m", `"timeouts":{"first_token":`+quote(limit.String())+`,"response":`+quote(limit.String())+`}`)
	well := "delay " + healthy.String() + "; chat hello"
	one.Script("", well)
	two.Script("", well)
	for _, r := range w.load(warm, streamed) {
		r.ok("hello")
	}

	one.Forget()
	one.Script("", a.script)
	if a.refused {
		one.shut()
	}
	begun := time.Now()
	for _, r := range w.load(requests, streamed) {
		got.count(w.t, r, a)
	}
	asked := one.Requests()
	got.wasted = len(asked)
	if a.refused {
		got.wasted = w.failures("one", a.kind)
	}
	opened := time.Time{}
	for _, tr := range w.breaker(a.breaker).Transitions {
		switch {
		case tr.To == "OPEN" && opened.IsZero():
			opened = tr.At
		case tr.To == "HALF_OPEN":
			got.windows++
		}
	}
	if opened.IsZero() {
		w.t.Fatal("the breaker did not open")
	}
	got.stopped = opened.Sub(begun)
	for _, r := range asked {
		switch at := r.At.Truncate(time.Millisecond); {
		case at.After(opened):
			got.probes++
		case at.Add(a.after).After(opened):
			got.underWay++
		default:
			got.settled++
		}
	}
	if a.refused { // nothing comes to be dated, and each is a failure at once
		got.probes = min(got.windows, got.wasted)
		got.settled = got.wasted - got.probes
	}
	one.Script("", well)
	if a.refused {
		one.restart()
	}
	got.back = w.untilBack(streamed)
	return got
}

// load sends n requests, one every 100 ms, and returns what came of them.
func (w *world) load(n int, streamed bool) []*reply {
	replies := make([]*reply, n)
	slots := make(chan struct{}, most)
	var clients sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		clients.Go(func() {
			replies[i] = w.ask("c", streamed)
			<-slots
		})
		<-time.After(every)
	}
	clients.Wait()
	return replies
}

// failures is how many attempts on a provider the metrics count by a kind.
func (w *world) failures(provider, kind string) int {
	w.t.Helper()
	n := 0
	series := fmt.Sprintf("ohmroute_attempts_total{kind=%q,model=\"m\",provider=%q}", kind, provider)
	for line := range strings.Lines(w.must(http.MethodGet, "/metrics", "").body) {
		if value, ok := strings.CutPrefix(line, series); ok {
			if _, err := fmt.Sscan(value, &n); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	return n
}

// untilBack asks until the first target has answered.
func (w *world) untilBack(streamed bool) time.Duration {
	w.t.Helper()
	begun := time.Now()
	for range 20_000 {
		r := w.ask("c", streamed)
		r.ok("hello")
		if r.header.Get("X-Ohmroute-Target") == "one/m" {
			return time.Since(begun)
		}
		<-time.After(every)
	}
	w.t.Fatal("the target never came back")
	return 0
}

func (got *account) count(t *testing.T, r *reply, a ailment) {
	t.Helper()
	if a.breaks && !r.whole && r.status == 200 {
		r.broke("Hello", "truncated")
		got.broken++
		return
	}
	r.ok("hello")
	got.answered++
	got.slowest = max(got.slowest, r.took)
}

// check holds what was promised.
func (got *account) check(t *testing.T, a ailment) {
	t.Helper()
	if got.answered+got.broken != got.requests {
		t.Errorf("%d requests, %d answers and %d error events", got.requests, got.answered, got.broken)
	}
	if a.breaks && got.broken != got.wasted || !a.breaks && got.broken > 0 {
		t.Errorf("%d error events of %d calls", got.broken, got.wasted)
	}
	if got.settled > threshold || got.probes > got.windows || got.wasted != got.settled+got.underWay+got.probes {
		t.Errorf("the target was asked %d times: %d failures when it opened, want at most %d; %d under way; %d probes, want at most %d",
			got.wasted, got.settled, threshold, got.underWay, got.probes, got.windows)
	}
	if got.back > 16*30*time.Second {
		t.Errorf("it came back after %s", got.back)
	}
}

func table(report []account) string {
	var b strings.Builder
	b.WriteString("| `cooldown` | the first target is | form | answers | error events | calls wasted | failures until open | under way then | probes | time to stop asking | slowest answer | time to come back |\n")
	b.WriteString("|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, a := range report {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d | %d | %d | %d | %d | %s | %s | %s |\n", a.cooldown, a.ailment, a.form, a.answered,
			a.broken, a.wasted, a.settled, a.underWay, a.probes, round(a.stopped), round(a.slowest), round(a.back))
	}
	return b.String()
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }

// page is docs/failure-behaviour.md.
func page(report []account) string {
	return fmt.Sprintf(`# What clients see when a target fails

Two targets at two providers stand in a combo of strategy `+"`priority`"+`. The first is healthy, then it fails in one way for 1,000
requests, then it is healthy again. A request comes every %s, at most %d at a time; a healthy target answers in %s, a failing one
says so in %s, and the limits of first token and response are %s. Everything else is as it comes: a breaker opens at %d failures and
is probed after 30 s, then 60 s, and so on; `+"`cooldown`"+` parks a target after each single failure, 5 s by default, 0 turns it off.

`+"```"+`
go test ./e2e/rules -run TestFailureReport -v          # prints this table, and fails if it is another one
go test ./e2e/rules -run TestFailureReport -update     # writes this page
`+"```"+`

The whole gateway runs behind real HTTP connections, in virtual time: the figures are those of the rules and not of a machine, and the
same everywhere. What a request costs on a machine is measured in `+"`bench`"+`.

%s
* **Answers** are whole answers, from whichever target; **error events** are the streams that had begun when their target died: they
  are told, never ended as if they were whole, and never begun again elsewhere. 1,000 requests make 1,000 of both together. No client
  got any other error.
* **Calls wasted** are all calls that the failing target got: *failures until open*, never more than the threshold; what was *under way
  then*, which nobody can know yet; and one *probe* for each window.
* **Time to stop asking** runs from the fault to OPEN. With a cooldown it is long because hardly anybody asks: a parked target gets one
  call every five seconds, and each failure is somebody else's answer.
* **Slowest answer**: a failover costs as long as the first target takes to fail. Only a target that hangs costs its limit, and for
  streamed requests not even that for long: when four have waited longer than usual, the target is asked last ("suspect").
* **Time to come back** runs from health to the first answer of the target, and is the rest of the window that the last failed probe
  left. A reset by hand ends it at once.
`, every, most, healthy, failing, limit, threshold, table(report))
}
