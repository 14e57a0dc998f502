package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/providers/providertest"
)

const (
	down = "error 500 - the machine room is flooded"
	up   = "chat Hello there."
)

// pair starts a gateway with the combo "fast" of two providers: "down", which plays the scripts given, and "up",
// which answers. Both are models "m" of upstreams of their own.
func pair(t *testing.T, dir string, breaker object, scripts ...string) (g *gateway, broken *providertest.Upstream) {
	t.Helper()
	broken, healthy := providertest.NewUpstream(t), providertest.NewUpstream(t)
	broken.Script("m", scripts...)
	healthy.Script("m", up)
	g = start(t, dir, "--no-demo")
	g.Provider("down", broken.URL(), object{"breaker": breaker})
	g.Provider("up", healthy.URL(), nil)
	g.Combo("fast", "down/m", "up/m")
	return g, broken
}

// answered fails the test unless the client got the second target's answer.
func (g *gateway) answered(a answer) {
	g.t.Helper()
	if a.err != nil || a.status != http.StatusOK || !strings.Contains(string(a.body), "there.") {
		g.t.Fatalf("status %d, error %v: %s", a.status, a.err, a.body)
	}
	if target := a.header.Get("X-Ohmroute-Target"); target != "up/m" {
		g.t.Fatalf("answered by %q, want up/m", target)
	}
}

func TestAFailingTargetIsDegradedAtThreeOpenAtFiveAndNotAskedAgain(t *testing.T) {
	g, broken := pair(t, t.TempDir(), object{"cooldown": "0s"}, down)
	for n, want := range []string{"CLOSED", "CLOSED", "DEGRADED", "DEGRADED", "OPEN", "OPEN", "OPEN"} {
		g.answered(g.chat("fast", n%2 == 0))
		if state := g.State("provider:down"); state != want {
			t.Fatalf("after request %d the breaker is %s, want %s", n+1, state, want)
		}
	}
	if n := broken.Count("m"); n != 5 {
		t.Fatalf("the broken target was asked %d times, want 5", n)
	}
	b := g.Breaker("provider:down")
	if wait, _ := b["retry_after_ms"].(float64); wait <= 25_000 || wait > 33_000 {
		t.Fatalf("it is tried again in %v ms, want 30 to 33 s from its opening", b["retry_after_ms"])
	}
}

func TestOneProbeDecidesWhenTheWaitHasPassed(t *testing.T) {
	g, broken := pair(t, t.TempDir(), object{"cooldown": "0s", "reset_timeout": "400ms", "jitter": 0, "failure_threshold": 1},
		"times 2; "+down, "wait probe; "+up)
	g.answered(g.chat("fast", false))
	for deadline := time.Now().Add(patience); broken.Count("m") < 2; {
		if time.Now().After(deadline) {
			t.Fatal("no request probed the target")
		}
		g.answered(g.chat("fast", false))
	}
	b := g.Breaker("provider:down")
	if b["state"] != "OPEN" || b["open_cycle"] != float64(1) || b["effective_reset_timeout_ms"] != float64(800) {
		t.Fatalf("after a failed probe: %v", b)
	}

	probed := make(chan answer, 1)
	for deadline := time.Now().Add(patience); broken.Count("m") < 3; {
		if time.Now().After(deadline) {
			t.Fatal("no second probe")
		}
		if len(probed) == 0 && g.Breaker("provider:down")["retry_after_ms"] == float64(0) {
			go func() { probed <- g.chat("fast", false) }()
			if _, err := broken.Await(t.Context(), 3); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 5 {
		g.answered(g.chat("fast", false))
	}
	if n := broken.Count("m"); n != 3 {
		t.Fatalf("the target was asked %d times, want 3: only one probe at a time", n)
	}
	broken.Release("probe")
	a := <-probed
	if a.err != nil || a.header.Get("X-Ohmroute-Target") != "down/m" {
		t.Fatalf("the probe was answered by %q, error %v", a.header.Get("X-Ohmroute-Target"), a.err)
	}
	if state := g.State("provider:down"); state != "CLOSED" {
		t.Fatalf("after a good probe the breaker is %s", state)
	}
}

func TestAnOpenBreakerSurvivesKillAndAResetSurvivesItToo(t *testing.T) {
	dir := t.TempDir()
	g, broken := pair(t, dir, object{"cooldown": "0s"}, down)
	for range 5 {
		g.answered(g.chat("fast", false))
	}
	before := g.Breaker("provider:down")
	g.Kill()

	g = start(t, dir)
	after := g.Breaker("provider:down")
	for _, member := range []string{"state", "retry_at", "opened_at", "failure_count", "kind_counts", "open_cycle", "reason"} {
		if !equalJSON(before[member], after[member]) {
			t.Errorf("%s was %v before the kill and is %v after it", member, before[member], after[member])
		}
	}
	g.answered(g.chat("fast", false))
	if n := broken.Count("m"); n != 5 {
		t.Fatalf("the target was asked %d times, want 5: a crash forgot the outage", n)
	}

	var reset struct{ Reset, Isolated []string }
	g.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/reset", object{}, &reset)
	if len(reset.Reset) != 1 || reset.Reset[0] != "provider:down" || len(reset.Isolated) != 0 {
		t.Fatalf("reset all answered %+v", reset)
	}
	g.Kill()

	g = start(t, dir)
	b := g.Breaker("provider:down")
	if b["state"] != "CLOSED" || b["failure_count"] != float64(0) {
		t.Fatalf("after reset and kill: %v", b)
	}
}

func TestIsolationSurvivesKillAndNothingGetsThrough(t *testing.T) {
	dir := t.TempDir()
	g, broken := pair(t, dir, nil, up)
	g.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/provider%3Adown/isolate", object{"by": "ada", "reason": "moving house"}, nil)
	g.Kill()
	g = start(t, dir)
	b := g.Breaker("provider:down")
	held, _ := b["isolated"].(object)
	if b["state"] != "ISOLATED" || held["by"] != "ada" || held["reason"] != "moving house" {
		t.Fatalf("after the kill: %v", b)
	}
	g.answered(g.chat("fast", false))
	if a := g.chat("down/m", false); a.status != http.StatusServiceUnavailable {
		t.Fatalf("a direct route to an isolated target answered %d: %s", a.status, a.body)
	}
	if n := broken.Count("m"); n != 0 {
		t.Fatalf("an isolated target was asked %d times", n)
	}
	g.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/provider%3Adown/release", nil, &b)
	if b["state"] != "HALF_OPEN" {
		t.Fatalf("released: %v", b["state"])
	}
}
