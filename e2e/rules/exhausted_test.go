package rules

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Routing.md 2, "When every candidate refuses: when_exhausted".

func whenExhausted(members string) string { return `"when_exhausted":` + members }

// shut makes providers whose targets are open for 10, 20 and 30 minutes less what has passed, in the order given.
func (w *world) shut(ids ...string) {
	w.t.Helper()
	for i, id := range ids {
		if i > 0 {
			after(time.Minute)
		}
		w.open(w.provider(id, models), id, "m")
		w.host(id).Script("", "chat by "+id)
	}
}

func TestFailOpenSendsAllTheSameInOrderOfRetryAfterMarkedForced(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.shut("late", "later", "latest")
		w.combo("c", "latest/m later/m late/m")
		w.host("late").Script("", "error 500 - x")
		r := w.ask("c", streamed)
		r.ok("by later")
		r.from("later/m", 2)
		w.triedIs("latest/m !open, late/m+ server_error, later/m+ ok")
		// Evidence of now: the forced success has closed its breaker, and the failure changed nothing.
		if got := w.breaker("target:later/m").State + " " + w.breaker("target:late/m").State; got != "CLOSED OPEN" {
			w.t.Errorf("the breakers are %s", got)
		}
	})
}

func TestFailOpenGoesByComboOrderAmongEquals(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, two := w.pair()
		w.open(one, "one", "m")
		w.open(two, "two", "m")
		two.Script("", "chat from two")
		w.ask("c", streamed).ok("from two")
		w.triedIs("one/m+ permission, two/m+ ok")
	})
}

func TestAComboOfOneTargetAndADirectRouteSendAllTheTime(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.shut("one")
		w.combo("c", "one/m")
		w.host("one").Script("", "error 500 - x")
		for i := range 20 {
			w.ask([]string{"c", "one/m"}[i%2], streamed).failed(http.StatusServiceUnavailable, "server_error")
			w.triedIs("one/m+ server_error")
		}
		if n := len(w.host("one").Requests()); n != 20 {
			w.t.Errorf("asked %d times", n)
		}
	})
}

func TestItAppliesOnlyIfNoAttemptWasMade(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.shut("one")
		w.provider("two", models).Script("", "error 500 - x")
		w.combo("c", "one/m two/m")
		w.ask("c", streamed).failed(http.StatusServiceUnavailable, "server_error")
		w.triedIs("one/m !open, two/m server_error")
	})
}

func TestWhenTheOthersHaveFailedThoseMerelyParkedAreTriedSoonestFirst(t *testing.T) {
	tests := map[string]struct {
		park    string // of the providers a and b
		do      string
		want    string
		forcing bool
	}{
		"by one failure":       {"error 500 - x", `{"do":"fail_open"}`, "b/m+ ok", true},
		"by a hint":            {"header Retry-After: 20; error 500 - x", `{"do":"fail_open"}`, "", false},
		"nor by a short one":   {"header Retry-After: 4; error 500 - x", `{"do":"fail_open"}`, "", false},
		"unless it is reject":  {"error 500 - x", `{"do":"reject"}`, "", false},
		"unless it is to wait": {"error 500 - x", `{"do":"wait","max_wait":"1h"}`, "", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				for _, id := range []string{"b", "a"} {
					w.provider(id, models).Script("", test.park, "chat hello")
					w.ask(id+"/m", streamed)
					after(time.Second)
				}
				w.provider("d", models).Script("", "error 503 - busy")
				w.combo("c", "a/m d/m b/m", whenExhausted(test.do))
				r := w.ask("c", streamed)
				if test.forcing {
					r.ok("hello")
					w.triedIs("a/m !cooldown, d/m overloaded, b/m+ ok")
					return
				}
				r.failed(http.StatusServiceUnavailable, "overloaded")
				w.triedIs("a/m !cooldown, d/m overloaded, b/m !cooldown")
			})
		})
	}
}

func TestNobodyIsForcedWhoIsPassedOverForAnotherReason(t *testing.T) {
	for _, reason := range []string{"drained", "isolated", "context_window", "capability", "concurrency", "only_on"} {
		for _, do := range []string{`{"do":"fail_open"}`, `{"do":"wait","max_wait":"1h"}`, `{"do":"reject"}`} {
			t.Run(reason+" "+do, func(t *testing.T) {
				both(t, func(w *world, streamed bool) {
					one, request := w.skipping(reason)
					target := map[string]string{"drained": "one/m*0", "only_on": "one/m?rate_limit"}[reason]
					if target == "" {
						target = "one/m"
					}
					w.combo("alone", target, whenExhausted(do))
					r := w.ask("alone", streamed, request...)
					if r.tried() != "one/m !"+reason || len(one.Requests()) != 0 || r.took != 0 {
						w.t.Errorf("tried %q, asked %d times after %s", r.tried(), len(one.Requests()), r.took)
					}
					if reason == "context_window" { // no time makes it fit
						r.failed(http.StatusBadRequest, "context_length_exceeded")
						return
					}
					r.failed(http.StatusServiceUnavailable, "all_targets_unavailable")
					if r.header.Get("Retry-After") == "" || r.header.Get("X-Should-Retry") != "false" || r.header.Get("X-Ohmroute-Attempts") != "0" {
						w.t.Errorf("headers %v", r.header)
					}
				})
			})
		}
	}
}

func TestProbeWaitFollowsTheVerdictOfAProbeUnderWay(t *testing.T) {
	tests := map[string]struct {
		probe string
		wait  string
		after time.Duration
		want  string // of a request that came while the probe was under way
		code  string
	}{
		"that succeeds":                      {"delay 2s; chat hello", "10s", 2 * time.Second, "one/m ok", ""},
		"that fails":                         {"delay 2s; error 403 - x", "10s", 2 * time.Second, "one/m !open", "all_targets_unavailable"},
		"that takes longer":                  {"delay 20s; chat hello", "10s", 10 * time.Second, "one/m+ ok", ""},
		"not at all if it is not configured": {"delay 20s; chat hello", "0s", 0, "one/m+ ok", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				one := w.provider("one", models)
				w.combo("c", "one/m", whenExhausted(`{"do":"fail_open","probe_wait":`+quote(test.wait)+`}`), `"keepalive":"0s"`)
				w.open(one, "one", "m")
				after(10 * time.Minute)
				one.Script("", test.probe, "chat hello")
				probe := w.begin("c", streamed)
				synctest.Wait()
				r := w.ask("c", streamed)
				if r.took != test.after {
					w.t.Errorf("it took %s, want %s", r.took, test.after)
				}
				if test.code != "" {
					r.failed(http.StatusServiceUnavailable, test.code)
					if got := r.tried(); got != test.want {
						w.t.Errorf("tried %q, want %q", got, test.want)
					}
				} else {
					r.ok("hello")
				}
				probe.end()
				found := false
				for _, l := range w.log() {
					found = found || l.Attempts.String() == test.want
				}
				if !found {
					w.t.Errorf("no request tried %q", test.want)
				}
			})
		})
	}
}

func TestWithProbeWaitTheOneProbeRuleHoldsForASingleTarget(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models)
		w.combo("c", "one/m", whenExhausted(`{"probe_wait":"10s"}`), `"keepalive":"0s"`)
		w.open(one, "one", "m")
		after(10 * time.Minute)
		one.Script("", "delay 3s; error 403 - x")
		var all []*pending
		for range 50 {
			all = append(all, w.begin("c", streamed))
		}
		for _, p := range all {
			p.end()
		}
		if n := len(one.Requests()); n != 1 {
			w.t.Errorf("50 requests during a failing probe: asked %d times", n)
		}
	})
}

func TestRejectAnswersAtOnceWithTheSoonestRealRecovery(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.shut("late", "later")
		w.provider("never", models)
		w.must(http.MethodPost, "/api/v1/breakers/"+escaped("target:never/m")+"/isolate", `{"by":"me","reason":"test"}`)
		w.combo("c", "never/m later/m late/m", whenExhausted(`{"do":"reject"}`))
		for _, wait := range []struct {
			pass time.Duration
			told string
		}{
			{0, "60"},
			{8*time.Minute + 20*time.Second, "40"},
			{39 * time.Second, "1"},
			{500 * time.Millisecond, "1"},
		} {
			after(wait.pass)
			r := w.ask("c", streamed)
			f := r.failed(http.StatusServiceUnavailable, "all_targets_unavailable")
			if got := r.header.Get("Retry-After"); got != wait.told || r.took != 0 || r.header.Get("X-Should-Retry") != "false" {
				w.t.Errorf("Retry-After %q, want %s, after %s", got, wait.told, r.took)
			}
			at, err := time.Parse(time.RFC3339, f.RetryAt)
			if b := w.breaker("target:late/m"); err != nil || !at.Equal(*b.RetryAt) {
				w.t.Errorf("retry_at %q, want %s", f.RetryAt, b.RetryAt)
			}
			if got := r.tried(); got != "never/m !isolated, later/m !open, late/m !open" {
				w.t.Errorf("tried %q", got)
			}
		}
		after(500 * time.Millisecond)
		w.ask("c", streamed).ok("by late")
	})
}

func TestWaitHoldsTheRequestUntilTheSoonestRecovers(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.shut("late", "later")
		w.combo("c", "later/m late/m", whenExhausted(`{"do":"wait","max_wait":"2m"}`), `"keepalive":"0s"`)
		r := w.ask("c", streamed) // it lies beyond max_wait
		r.failed(http.StatusServiceUnavailable, "all_targets_unavailable")
		if r.took != 0 {
			w.t.Errorf("it took %s", r.took)
		}
		after(7*time.Minute + 30*time.Second)
		r = w.ask("c", streamed)
		r.ok("by late")
		if r.took != 90*time.Second {
			w.t.Errorf("it took %s", r.took)
		}
		w.triedIs("later/m !open, late/m ok")
	})
}

func TestWaitNoticesAnOperatorsReset(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.shut("one")
		w.combo("c", "one/m", whenExhausted(`{"do":"wait","max_wait":"1h"}`), `"keepalive":"0s"`)
		p := w.begin("c", streamed)
		synctest.Wait()
		after(time.Minute)
		w.reset()
		r := p.end()
		r.ok("by one")
		if r.took > time.Minute+time.Second {
			w.t.Errorf("it took %s", r.took)
		}
	})
}

func TestWaitHoldsABoundedNumberOfRequests(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.shut("one")
		w.combo("c", "one/m", whenExhausted(`{"do":"wait","max_wait":"1h"}`), `"keepalive":"0s"`)
		var all []*pending
		for range 600 {
			all = append(all, w.begin("c", streamed))
		}
		synctest.Wait()
		if n := len(w.log()); n < 200 {
			w.t.Errorf("only %d of 600 were refused at once", n)
		}
		w.reset()
		by := map[int]int{}
		for _, p := range all {
			by[p.end().status]++
		}
		if by[http.StatusOK] < 100 || by[http.StatusOK]+by[http.StatusServiceUnavailable] != 600 {
			w.t.Errorf("answers by status: %v", by)
		}
	})
}

func TestNobodyIsAskedWhoIsIsolatedByAnyPath(t *testing.T) {
	for _, do := range []string{`{"do":"fail_open"}`, `{"do":"fail_open","probe_wait":"1s"}`, `{"do":"wait","max_wait":"5s"}`, `{"do":"reject"}`} {
		for _, scope := range []string{"provider:one", "key:one/a", "target:one/m"} {
			t.Run(do+" "+scope, func(t *testing.T) {
				both(t, func(w *world, streamed bool) {
					one := w.provider("one", models, keys(1), `"breaker":{"enforce":false}`)
					w.combo("c", "one/m", whenExhausted(do))
					w.must(http.MethodPost, "/api/v1/breakers/"+escaped(scope)+"/isolate", `{"by":"me","reason":"test"}`)
					for _, model := range []string{"c", "one/m"} {
						r := w.ask(model, streamed)
						r.failed(http.StatusServiceUnavailable, "all_targets_unavailable")
						if got := r.tried(); !strings.HasPrefix(got, "one/m") || !strings.HasSuffix(got, "!isolated") {
							w.t.Errorf("tried %q", got)
						}
					}
					if n := len(one.Requests()); n != 0 {
						w.t.Errorf("asked %d times", n)
					}
				})
			})
		}
	}
}
