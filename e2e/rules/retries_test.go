package rules

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Routing.md 2: retries, back-off, own parks, several keys.

// calm keeps breakers out of a test that is about something else: they never open and never park.
const calm = `"breaker":{"failure_threshold":0,"cooldown":"0s"}`

// gaps are the times between the requests that a host got.
func gaps(h *host) []time.Duration {
	var all []time.Duration
	got := h.Requests()
	for i := 1; i < len(got); i++ {
		all = append(all, got[i].At.Sub(got[i-1].At))
	}
	return all
}

func TestMaxRetriesAreTheExtraAttemptsAndNullIsEveryCandidateOnce(t *testing.T) {
	for retries, want := range map[string]int{"null": 5, "0": 1, "1": 2, "3": 4, "100": 5} {
		t.Run(retries, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				var targets []string
				for i := range 5 {
					id := fmt.Sprint("p", i)
					w.provider(id, models).Script("", "error 500 - x")
					targets = append(targets, id+"/m")
				}
				w.combo("c", strings.Join(targets, " "), `"retry":{"max_retries":`+retries+`}`)
				r := w.ask("c", streamed)
				r.failed(http.StatusServiceUnavailable, "server_error")
				r.from(targets[want-1], want)
				if r.took != 0 {
					w.t.Errorf("it took %s", r.took)
				}
			})
		})
	}
}

func TestATargetIsTriedAgainOnlyAsSameTargetSays(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, two := w.provider("one", models, calm), w.provider("two", models, calm)
		one.Script("", "error 500 - x")
		two.Script("", "error 500 - x")
		for same, want := range map[int]int{0: 1, 1: 2, 3: 4} {
			name := fmt.Sprint("same", same)
			w.combo(name, "one/m", fmt.Sprintf(`"retry":{"same_target":%d}`, same))
			one.Forget()
			w.ask(name, streamed).from("one/m", want)
			if n := len(one.Requests()); n != want {
				w.t.Errorf("same_target %d: asked %d times", same, n)
			}
		}
		w.combo("pair", "one/m two/m", `"retry":{"same_target":1,"base":"1s"}`)
		w.ask("pair", streamed).from("two/m", 4)
		if got := w.tried(); !strings.HasPrefix(got, "one/m server_error, two/m server_error, ") {
			w.t.Errorf("a wait was preferred to another provider: %s", got)
		}
		w.combo("capped", "one/m", `"retry":{"same_target":5,"max_retries":2}`)
		w.ask("capped", streamed).from("one/m", 3)
	})
}

func TestBackOffHasFullJitterAndGrowsToItsMaximum(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models, calm)
		one.Script("", "error 500 - x")
		w.combo("c", "one/m", `"retry":{"same_target":4,"base":"1s","max":"3s"}`)
		var longest [4]time.Duration
		for range 40 {
			one.Forget()
			w.ask("c", streamed)
			for i, gap := range gaps(one) {
				longest[i] = max(longest[i], gap)
			}
			after(time.Minute) // the retry budget is another test's
		}
		for i, most := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second} {
			if longest[i] > most || longest[i] < most/2 {
				w.t.Errorf("wait %d was at most %s, want up to %s", i+1, longest[i], most)
			}
		}
	})
}

func TestAWaitIsDueOnlyBeforeAnAttemptThatUsesTheChargedBreaker(t *testing.T) {
	const slow = `"retry":{"base":"1h","max":"1h"}` // a wait of this kind would be seen
	tests := map[string]struct {
		scope   string
		targets string
		script  string
		want    string
		waits   bool
	}{
		"another provider":                            {"provider", "one/m two/m", "error 500 - x", "one/m server_error, two/m ok", false},
		"a sibling target of a charged provider":      {"provider", "one/m one/n", "error 500 - x", "one/m server_error, one/n ok", true},
		"a sibling target where targets are charged":  {"target", "one/m one/n", "error 500 - x", "one/m server_error, one/n ok", false},
		"a sibling target after a target's own fault": {"provider", "one/m one/n", "error 404 model_not_found x", "one/m model_not_found, one/n ok", false},
		"a sibling target after nobody's fault":       {"provider", "one/m one/n", "error 400 unsupported_parameter x", "one/m unsupported, one/n ok", false},
		"another provider before a wait":              {"provider", "one/m one/n two/m", "error 500 - x", "one/m server_error, two/m ok", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				one := w.provider("one", `"models":["m","n"]`, `"breaker_scope":`+quote(test.scope))
				w.provider("two", models).Script("", "chat hello")
				one.Script("m", test.script)
				one.Script("n", "chat hello")
				w.combo("c", test.targets, slow, `"keepalive":"0s"`)
				r := w.ask("c", streamed)
				r.ok("hello")
				w.triedIs(test.want)
				if (r.took > 0) != test.waits {
					w.t.Errorf("it took %s", r.took)
				}
			})
		})
	}
}

func TestARetryAfterTakesPrecedenceOverTheBackOffAndOneOverThirtySecondsEndsTheTries(t *testing.T) {
	for hint, tries := range map[int]int{4: 2, 30: 2, 31: 1, 3600: 1} {
		t.Run(fmt.Sprint(hint), func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				one := w.provider("one", models)
				one.Script("", fmt.Sprintf("header Retry-After: %d; error 503 - busy", hint), "chat hello")
				w.combo("c", "one/m", `"retry":{"same_target":1}`, `"keepalive":"0s"`)
				r := w.ask("c", streamed)
				if tries == 1 {
					r.failed(http.StatusServiceUnavailable, "overloaded")
					if r.took != 0 {
						w.t.Errorf("it took %s", r.took)
					}
					return
				}
				r.ok("hello")
				if want := time.Duration(hint) * time.Second; r.took != want {
					w.t.Errorf("it took %s, want %s", r.took, want)
				}
			})
		})
	}
}

func TestPauseOnFailoverWaitsBetweenAnyTwoAttempts(t *testing.T) {
	for name, failure := range map[string]string{"on two targets": "error 500 - x", "with two keys": "error 401 invalid_api_key x"} {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				w.provider("one", models, calm, keys(2))
				w.provider("two", models, calm).Script("", "chat hello")
				w.combo("c", "one/m two/m", `"retry":{"base":"1s","pause_on_failover":true}`)
				longest := time.Duration(0)
				for range 30 {
					w.reset()
					w.host("one").Script("", failure, "chat hello")
					r := w.ask("c", streamed)
					r.ok("hello")
					longest = max(longest, r.took)
				}
				if longest < time.Second/2 || longest > time.Second {
					w.t.Errorf("the longest wait was %s, want nearly 1s", longest)
				}
			})
		})
	}
}

func TestAWalkIgnoresItsOwnParksAndNobodyElses(t *testing.T) {
	t.Run("its own", func(t *testing.T) {
		both(t, func(w *world, streamed bool) {
			one := w.provider("one", models)
			one.Script("", "error 500 - x", "chat hello")
			w.combo("c", "one/m", `"retry":{"same_target":1}`, `"when_exhausted":{"do":"reject"}`)
			w.ask("c", streamed).ok("hello")
			w.triedIs("one/m server_error, one/m ok")
		})
	})
	t.Run("not one that another request began", func(t *testing.T) {
		both(t, func(w *world, streamed bool) {
			one := w.provider("one", models)
			one.Script("", "header Retry-After: 10; error 503 - busy", "error 500 - x", "chat hello")
			w.combo("c", "one/m", `"retry":{"same_target":1}`, `"when_exhausted":{"do":"reject"}`, `"keepalive":"0s"`)
			first := w.begin("c", streamed)
			synctest.Wait()
			after(9 * time.Second)
			w.ask("one/m", streamed).failed(http.StatusServiceUnavailable, "server_error") // parks it until 14 s
			first.end().failed(http.StatusServiceUnavailable, "overloaded")
			if n := len(one.Requests()); n != 2 {
				w.t.Errorf("it was asked %d times", n)
			}
		})
	})
	t.Run("not an open breaker", func(t *testing.T) {
		both(t, func(w *world, streamed bool) {
			one := w.provider("one", models, `"breaker":{"failure_threshold":1}`)
			one.Script("", "error 500 - x", "chat hello")
			w.combo("c", "one/m", `"retry":{"same_target":1}`)
			w.ask("c", streamed).failed(http.StatusServiceUnavailable, "server_error")
			w.triedIs("one/m server_error")
		})
	})
}

// Several keys.

func TestAKeysFailureAsksTheSameTargetWithASiblingKeyAtOnceAndFree(t *testing.T) {
	for name, test := range map[string]struct{ preset, script, kind string }{
		"401":                  {"", "error 401 invalid_api_key x", "auth"},
		"402":                  {"", "error 402 - x", "billing"},
		"403 by key":           {"", "error 403 unsupported_country_region_territory x", "auth"},
		"a quota":              {"zai", "error 429 1308 x", "quota_exhausted"},
		"429":                  {"", "error 429 rate_limit_exceeded x", "rate_limit"},
		"429 with Retry-After": {"", "header Retry-After: 3600; error 429 rate_limit_exceeded x", "rate_limit"},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				one, two := w.provider("one", models, keys(3), `"preset":`+quote(test.preset)), w.provider("two", models)
				w.combo("c", "one/m two/m", `"retry":{"max_retries":0,"base":"1h","max":"1h"}`)
				one.Script("", "times 2; "+test.script, "chat hello")
				r := w.ask("c", streamed)
				r.ok("hello")
				r.from("one/m", 3)
				if r.took != 0 || len(two.Requests()) != 0 {
					w.t.Errorf("it took %s, and the next target was asked %d times", r.took, len(two.Requests()))
				}
				w.triedIs("one/m#a " + test.kind + ", one/m#b " + test.kind + ", one/m#c ok")
				if got := w.charged(); test.kind != "rate_limit" && got != "key:one/a, key:one/b" {
					w.t.Errorf("charged is %q", got)
				}
				for i, key := range []string{"a", "b", "c"} {
					if got := one.Requests()[i].Header.Get("Authorization"); got != "Bearer sk-secret-"+key {
						w.t.Errorf("request %d went with %q", i, got)
					}
				}
			})
		})
	}
}

func TestAllKeysRefusingMeansThatTheProviderIsPassedOver(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, two := w.provider("one", models, keys(2)), w.provider("two", models)
		w.combo("c", "one/m two/m")
		one.Script("", "error 401 invalid_api_key x")
		two.Script("", "chat hello")
		w.ask("c", streamed).ok("hello")
		w.triedIs("one/m#a auth, one/m#b auth, two/m ok")
		w.ask("c", streamed).ok("hello")
		w.triedIs("one/m !open, two/m ok")
	})
}

func TestKeysTakeTurnsByTheirWeights(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models, `"keys":[{"name":"a","value":"sk-secret-a","weight":3},{"name":"b","value":"sk-secret-b"}]`)
		one.Script("", "chat hello")
		for range 8 {
			w.ask("one/m", streamed).ok("hello")
		}
		by := map[string]int{}
		for _, r := range one.Requests() {
			by[r.Header.Get("Authorization")]++
		}
		if by["Bearer sk-secret-a"] != 6 || by["Bearer sk-secret-b"] != 2 {
			w.t.Errorf("8 requests went with %v", by)
		}
	})
}
