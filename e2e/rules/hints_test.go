package rules

import (
	"strconv"
	"testing"
	"time"
)

// TestAHintParksAndIsTold: a Retry-After is the park where the row has one and is longer, a floor of the wait where the
// kind opens, and what the client is told, at most 60 s of it.
func TestAHintParksAndIsTold(t *testing.T) {
	tests := map[string]struct {
		script       string
		hint         string
		name         string
		parked, open time.Duration
		told         string
	}{
		"a rate limit's hint is its park":                                       {"error 429 rate_limit_exceeded x", "7", "target:one/m", 7 * time.Second, 0, "7"},
		"a hint shorter than the park changes nothing":                          {"error 503 - x", "3", "provider:one", 10 * time.Second, 0, "3"},
		"a fraction of a second is rounded up":                                  {"error 429 rate_limit_exceeded x", "6.2", "target:one/m", 6200 * time.Millisecond, 0, "7"},
		"a long hint is told as a minute":                                       {"error 429 rate_limit_exceeded x", "200", "target:one/m", 200 * time.Second, 0, "60"},
		"a park is at most retry_after_max":                                     {"error 429 rate_limit_exceeded x", "1555200", "target:one/m", 300 * time.Second, 0, "60"},
		"a server error's hint parks":                                           {"error 500 - x", "20", "provider:one", 20 * time.Second, 0, "20"},
		"an open window has at least its base wait":                             {"error 402 - x", "90", "key:one/a", 0, 30 * time.Minute, "60"},
		"an open window is at most the larger of base wait and retry_after_max": {"error 402 - x", "1555200", "key:one/a", 0, 30 * time.Minute, "60"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				h := w.provider("one", models, keys(1))
				w.combo("c", "one/m")
				h.Script("", "header Retry-After: "+test.hint+"; "+test.script)
				r := w.ask("c", streamed)
				b := w.breaker(test.name)
				if b.parkedFor() != test.parked || b.openFor() != test.open {
					w.t.Errorf("parked for %s, open for %s, want %s and %s", b.parkedFor(), b.openFor(), test.parked, test.open)
				}
				if got := r.header.Get("Retry-After"); got != test.told {
					w.t.Errorf("Retry-After %q, want %q", got, test.told)
				}
				hint, err := strconv.ParseFloat(test.hint, 64)
				if err != nil {
					w.t.Fatal(err)
				}
				at, err := time.Parse(time.RFC3339, r.fault().RetryAt)
				if want := time.Now().Add(time.Duration(hint * float64(time.Second))); err != nil || at.Sub(want).Abs() > time.Second {
					w.t.Errorf("retry_at %s, want the true time %s", at, want)
				}
			})
		})
	}
}

// TestSettingsChangeARow: all of it, per provider and in defaults.
func TestSettingsChangeARow(t *testing.T) {
	const seeds = `"breaker":{"kinds":{"rate_limit":{"threshold":1,"immediate_open":true},"quota_exhausted":{"threshold":1,"immediate_open":true}}}`
	tests := map[string]struct {
		defaults, members, script string
		charged                   string
		state                     string
		wait                      time.Duration // open or parked
		tried                     string
	}{
		"the example of the seeds":              {members: seeds, script: "error 429 rate_limit_exceeded x", charged: "target:one/m", state: "OPEN", wait: 30 * time.Second},
		"threshold":                             {members: `"breaker":{"kinds":{"server_error":{"threshold":1}}}`, script: "error 500 - x", charged: "provider:one", state: "OPEN", wait: 30 * time.Second},
		"cooldown":                              {members: `"breaker":{"kinds":{"permission":{"cooldown":"42s"}}}`, script: "error 403 - x", charged: "target:one/m", state: "OPEN", wait: 42 * time.Second},
		"park":                                  {members: `"breaker":{"kinds":{"server_error":{"park":"42s"}}}`, script: "error 500 - x", charged: "provider:one", state: "CLOSED", wait: 42 * time.Second},
		"counts":                                {members: `"breaker":{"kinds":{"server_error":{"counts":false}}}`, script: "error 500 - x"},
		"scope":                                 {members: `"breaker":{"kinds":{"server_error":{"scope":"target"}}}`, script: "error 500 - x", charged: "target:one/m", state: "CLOSED", wait: 5 * time.Second},
		"failover":                              {members: `"breaker":{"kinds":{"server_error":{"failover":"none"}}}`, script: "error 500 - x", charged: "provider:one", state: "CLOSED", wait: 5 * time.Second, tried: "one/m server_error"},
		"in defaults":                           {defaults: "    kinds: {server_error: {park: 42s}}", script: "error 500 - x", charged: "provider:one", state: "CLOSED", wait: 42 * time.Second},
		"a cooldown of 0 turns parks off":       {members: `"breaker":{"cooldown":"0s"}`, script: "error 500 - x", charged: "provider:one", state: "CLOSED"},
		"and those of kinds":                    {members: `"breaker":{"cooldown":"0s"}`, script: "error 503 - x", charged: "provider:one", state: "CLOSED"},
		"but hints still park":                  {members: `"breaker":{"cooldown":"0s"}`, script: "header Retry-After: 8; error 503 - x", charged: "provider:one", state: "CLOSED", wait: 8 * time.Second},
		"a window parks nobody by default":      {members: `"breaker":{"measure":"window"}`, script: "error 500 - x", charged: "provider:one", state: "CLOSED"},
		"a hint parks in a window all the same": {members: `"breaker":{"measure":"window"}`, script: "header Retry-After: 8; error 500 - x", charged: "provider:one", state: "CLOSED", wait: 8 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			run := func(w *world, streamed bool) {
				members := []string{models}
				if test.members != "" {
					members = append(members, test.members)
				}
				one, two := w.provider("one", members...), w.provider("two", models)
				w.combo("c", "one/m two/m")
				one.Script("", test.script)
				two.Script("", "chat hello")
				w.ask("c", streamed)
				if got := w.charged(); got != test.charged {
					w.t.Errorf("charged is %q, want %q", got, test.charged)
				}
				if test.charged != "" {
					if b := w.breaker(test.charged); b.State != test.state || max(b.openFor(), b.parkedFor()) != test.wait {
						w.t.Errorf("%s, open for %s, parked for %s; want %s and %s", b.State, b.openFor(), b.parkedFor(), test.state, test.wait)
					}
				}
				if got := w.tried(); test.tried != "" && got != test.tried {
					w.t.Errorf("tried %q, want %q", got, test.tried)
				}
			}
			both(t, run, test.defaults)
		})
	}
}

// TestASuccessIsOneForAllThreeBreakers: of provider, key and target each forgets one failure.
func TestASuccessIsOneForAllThreeBreakers(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models, keys(2), `"breaker_scope":"target"`, `"breaker":{"cooldown":"0s"}`)
		one.connection(refuses)
		w.ask("one/m", streamed)
		one.connection(connects)
		one.Script("", "error 500 - x", "times 2; error 429 rate_limit_exceeded x", "chat hello")
		w.ask("one/m", streamed)
		w.ask("one/m", streamed)
		const all = "key:one/a, key:one/b, provider:one, target:one/m"
		if got := w.charged(); got != all {
			w.t.Fatalf("charged is %q, want %q", got, all)
		}
		w.ask("one/m", streamed).ok("hello")
		w.ask("one/m", streamed).ok("hello") // with the other key
		if got := w.charged(); got != "" {
			w.t.Errorf("after a success with each key, charged is %q", got)
		}
	})
}
