package combo

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// does sets when_exhausted.
func does(e Exhausted) func(*Config) { return with(func(c *Combo) { c.Exhausted = e }) }

func TestFailOpenSendsAllTheSameInOrderOfRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m d/m", does(Exhausted{}))
		r.trip("provider:a")
		r.park("target:d/m", 0)
		r.park("target:b/m", 0)
		for _, target := range []string{"a/m", "b/m", "d/m"} {
			r.plays(target, fails(providers.Unsupported))
		}
		res := r.ask("c")
		wantAttempts(t, res.err.Attempts, "b/m failed:unsupported forced", "d/m failed:unsupported forced", "a/m failed:unsupported forced")
	})
}

func TestADirectRouteSendsAllTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		r.trip("provider:a")
		for range 3 {
			if res := r.ask("a/m"); res.text != "hello" {
				t.Fatalf("got %+v", res.err)
			}
		}
		r.state("provider:a", circuitbreaker.Closed) // a forced success is evidence of now
	})
}

func TestFailOpenReachesNobodyWhomTimeDoesNotHeal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "iso/m small/m blind/m off/m fall/m", with(func(c *Combo) {
			c.Targets[3].Drained = true
			c.Targets[4].OnlyOn = []providers.Kind{providers.RateLimit}
		}))
		r.model("small", Model{ContextWindow: 10})
		r.model("blind", Model{CapabilitiesDeclared: true})
		if _, err := r.breakers.Isolate("target:iso/m", "me", "test"); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"iso", "small", "blind", "off", "fall"} {
			r.trip("provider:" + id)
		}
		req := r.request("c")
		req.Tools, req.Body = true, make([]byte, 1000)
		r.model("small", Model{ContextWindow: 10})
		res := r.send(t.Context(), req)
		if got := r.asked(); got != "" || res.err.Status != 503 {
			t.Errorf("asked %q: %+v", got, res.err)
		}
	})
}

func TestAForcedAttemptUnlocksItsFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", with(func(c *Combo) { c.Targets[1].OnlyOn = []providers.Kind{providers.RateLimit} }))
		r.trip("provider:a")
		r.plays("a/m", fails(providers.RateLimit))
		res := r.ask("c")
		if res.text != "hello" {
			t.Fatalf("got %+v", res.err)
		}
		wantAttempts(t, res.answer.Attempts, "a/m failed:rate_limit forced", "b/m ok")
	})
}

func TestAfterAllAdmittedFailedTheMerelyParkedAreTried(t *testing.T) {
	cases := map[string]struct {
		arrange func(r *rig)
		do      string
		want    []string
	}{
		"a cooldown that no hint set": {
			func(r *rig) { r.park("provider:a", 0) }, FailOpen, []string{"b/m failed:server_error", "a/m ok forced"},
		},
		"not one of a hint": {
			func(r *rig) { r.park("provider:a", 20*time.Second) }, FailOpen,
			[]string{"a/m skipped:cooldown", "b/m failed:server_error"},
		},
		"not an open breaker": {
			func(r *rig) { r.trip("provider:a") }, FailOpen, []string{"a/m skipped:open", "b/m failed:server_error"},
		},
		"not an open breaker behind a cooldown": {
			func(r *rig) {
				r.trip("target:a/m")
				r.wait(26 * time.Second)
				r.park("provider:a", 0)
			}, FailOpen, []string{"a/m skipped:cooldown", "b/m failed:server_error"},
		},
		"not with reject": {
			func(r *rig) { r.park("provider:a", 0) }, Reject, []string{"a/m skipped:cooldown", "b/m failed:server_error"},
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m", does(Exhausted{Do: test.do}))
				r.plays("b/m", fails(providers.ServerError))
				test.arrange(r)
				res := r.ask("c")
				wantAttempts(t, res.report().Attempts, test.want...)
			})
		})
	}
}

func TestTheMerelyParkedAreTriedSoonestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m d/m")
		r.plays("d/m", fails(providers.ServerError))
		r.park("provider:b", 0)
		r.wait(time.Second)
		r.park("provider:a", 0)
		r.ask("c")
		if got := r.asked(); got != "d/m b/m" {
			t.Errorf("asked %q", got)
		}
	})
}

func TestRejectTellsTheSoonestRealRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m iso/m", does(Exhausted{Do: Reject}))
		r.trip("provider:a")
		r.park("provider:b", 12300*time.Millisecond)
		if _, err := r.breakers.Isolate("target:iso/m", "me", "test"); err != nil {
			t.Fatal(err)
		}
		res := r.ask("c")
		e := res.err
		if e == nil || e.Status != 503 || e.Code != "all_targets_unavailable" || e.RetryAfter != 13*time.Second || res.took != 0 {
			t.Fatalf("got %+v", e)
		}
		if left := time.Until(e.RetryAt); left != 12300*time.Millisecond {
			t.Errorf("retry_at is %v away", left)
		}
		wantAttempts(t, e.Attempts, "a/m skipped:open", "b/m skipped:cooldown", "iso/m skipped:isolated")
		if r.asked() != "" {
			t.Error("somebody was asked")
		}
		r.wait(12 * time.Second)
		if res := r.ask("c"); res.err.RetryAfter != time.Second {
			t.Errorf("Retry-After %v, want at least 1 s", res.err.RetryAfter)
		}
	})
}

func TestWaitHoldsTheRequestUntilTheSoonestRecovers(t *testing.T) {
	cases := map[string]struct {
		arrange func(r *rig)
		max     time.Duration
		took    time.Duration
		status  int
	}{
		"and then asks": {func(r *rig) { r.park("provider:a", 0) }, 10 * time.Second, 5 * time.Second, 0},
		"but not beyond max_wait: at once": {
			func(r *rig) { r.trip("provider:a") }, 10 * time.Second, 0, 503,
		},
		"an open one too": {func(r *rig) { r.trip("provider:a") }, 40 * time.Second, 30 * time.Second, 0},
		"or an operator resets it": {func(r *rig) {
			r.trip("provider:a")
			time.AfterFunc(900*time.Millisecond, func() { r.breakers.ResetAll(false) })
		}, 40 * time.Second, time.Second, 0},
		"or a probe succeeds": {func(r *rig) {
			r.trip("provider:a")
			r.wait(30 * time.Second)
			p := r.probe("provider:a")
			time.AfterFunc(900*time.Millisecond, func() { p.Success(time.Now()) })
		}, 10 * time.Second, time.Second, 0},
		"at most max_wait for a probe": {func(r *rig) {
			r.trip("provider:a")
			r.wait(30 * time.Second)
			r.probe("provider:a")
		}, 10 * time.Second, 10 * time.Second, 503},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m", does(Exhausted{Do: Wait, MaxWait: test.max}))
				test.arrange(r)
				res := r.ask("c")
				if status(res) != test.status || res.took != test.took {
					t.Errorf("status %d after %v, want %d after %v", status(res), res.took, test.status, test.took)
				}
			})
		})
	}
}

func TestOfThoseWhoWaitOneProbesAndTheOthersFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", does(Exhausted{Do: Wait, MaxWait: 40 * time.Second}))
		r.trip("provider:a")
		r.plays("a/m", act{after: time.Second, body: "x"})
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if res := r.ask("c"); res.text != "x" {
					t.Errorf("got %+v", res.err)
				}
			})
		}
		synctest.Wait()
		r.wait(30*time.Second + 500*time.Millisecond)
		r.mu.Lock()
		if n := len(r.calls); n != 1 {
			t.Errorf("%d were sent while the probe was under way", n)
		}
		r.mu.Unlock()
		wg.Wait()
	})
}

func TestTheQueueOfThoseWhoWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", does(Exhausted{Do: Wait, MaxWait: 10 * time.Second}))
		r.park("provider:a", 0)
		r.router.table.Load().nodes["c"].state.waiting.Add(maxWaiting)
		if res := r.ask("c"); res.err == nil || res.took != 0 {
			t.Errorf("it waited %v", res.took)
		}
		r.router.table.Load().nodes["c"].state.waiting.Add(-maxWaiting)
	})
}

func TestAClientThatLeavesAWaitIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", does(Exhausted{Do: Wait, MaxWait: 10 * time.Second}))
		r.park("provider:a", 0)
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(1100*time.Millisecond, leave)
		if res := r.send(ctx, r.request("c")); res.err == nil || res.err.Status != 499 || res.took != 1100*time.Millisecond {
			t.Errorf("got %+v after %v", res.err, res.took)
		}
	})
}

func TestProbeWaitFollowsTheVerdictOfTheProbe(t *testing.T) {
	cases := map[string]struct {
		verdict func(p *circuitbreaker.Permit)
		took    time.Duration
		want    string // asked
		forced  bool
	}{
		"a success":    {func(p *circuitbreaker.Permit) { p.Success(time.Now()) }, time.Second, "a/m", false},
		"a failure":    {func(p *circuitbreaker.Permit) { p.Failure(time.Now(), providers.ServerError, 0) }, time.Second, "", false},
		"none":         {func(p *circuitbreaker.Permit) { p.NoVerdict(time.Now()) }, time.Second, "a/m", false},
		"none in time": {func(*circuitbreaker.Permit) {}, 2 * time.Second, "a/m", true},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m", does(Exhausted{Do: FailOpen, ProbeWait: 2 * time.Second}))
				r.trip("provider:a")
				r.wait(30 * time.Second)
				p := r.probe("provider:a")
				time.AfterFunc(time.Second, func() {
					test.verdict(p)
					r.router.table.Load().hosts["a"].state.verdicts.ring() // as the walk that holds it does
				})
				res := r.ask("c")
				if got := r.asked(); got != test.want || res.took != test.took {
					t.Errorf("asked %q after %v, want %q after %v", got, res.took, test.want, test.took)
				}
				if test.want == "" {
					if res.err == nil || res.err.Status != 503 {
						t.Errorf("got %+v", res)
					}
					return
				}
				if got := res.answer.Attempts[0].Forced; got != test.forced {
					t.Errorf("forced: %v", got)
				}
			})
		})
	}
}

func TestTheOneProbeRuleHoldsForACombosOnlyTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", does(Exhausted{Do: FailOpen, ProbeWait: time.Minute}))
		r.trip("provider:a")
		r.wait(30 * time.Second)
		r.plays("a/m", act{after: 5 * time.Second, body: "x"})
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { r.ask("c") })
		}
		r.wait(4 * time.Second)
		r.mu.Lock()
		if n := len(r.calls); n != 1 {
			t.Errorf("%d probes under way", n)
		}
		r.mu.Unlock()
		wg.Wait()
		if r.state("provider:a", circuitbreaker.Closed); len(r.calls) != 10 {
			t.Errorf("%d asked", len(r.calls))
		}
	})
}

func TestAHintOfAnyLengthIsNoMerePark(t *testing.T) {
	cases := map[string]func(r *rig){
		"shorter than the default park":      func(r *rig) { r.park("target:a/m", time.Second) },
		"as long as the default park":        func(r *rig) { r.park("target:a/m", 5*time.Second) },
		"longer than the default park":       func(r *rig) { r.park("target:a/m", 6*time.Second) },
		"behind a longer park of another's":  func(r *rig) { r.park("target:a/m", 6*time.Second); r.wait(2 * time.Second); r.park("provider:a", 0) },
		"beside a shorter park of another's": func(r *rig) { r.park("provider:a", 0); r.park("target:a/m", 6*time.Second) },
	}
	for name, arrange := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m")
				r.plays("b/m", fails(providers.ServerError))
				arrange(r)
				wantAttempts(t, r.ask("c").report().Attempts, "a/m skipped:cooldown", "b/m failed:server_error")
			})
		})
	}
}

func TestASiblingKeyThatIsMerelyParkedGetsOneMoreChance(t *testing.T) {
	cases := map[string]struct {
		hint time.Duration
		do   string
		want []string
	}{
		"by a failure":       {0, FailOpen, []string{"a/m@k failed:auth", "b/m failed:server_error", "a/m@l ok forced"}},
		"not by a hint":      {20 * time.Second, FailOpen, []string{"a/m@k failed:auth", "b/m failed:server_error"}},
		"not if it's reject": {0, Reject, []string{"a/m@k failed:auth", "b/m failed:server_error"}},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m", twoKeys(), does(Exhausted{Do: test.do}), with(func(c *Combo) { c.Retry.MaxRetries = new(1) }))
				r.plays("a/m@k", fails(providers.Auth))
				r.plays("b/m", fails(providers.ServerError))
				r.park("key:a/l", test.hint)
				wantAttempts(t, r.ask("c").report().Attempts, test.want...)
			})
		})
	}
}

func TestOneMoreChanceIsForTheKeysThatAreMerelyParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", twoKeys())
		r.plays("b/m", fails(providers.ServerError))
		r.plays("a/m", fails(providers.RateLimit))
		r.trip("key:a/k")
		r.wait(26 * time.Second) // it recovers first
		r.park("key:a/l", 0)
		wantAttempts(t, r.ask("c").report().Attempts, "b/m failed:server_error", "a/m@l failed:rate_limit forced")
	})
}
