package combo

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

func TestTheNextTargetAnswersWhenOneFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/n")
		r.plays("a/m", fails(providers.ServerError))
		res := r.ask("c")
		if res.text != "hello" || res.answer.Target != "b/n" || res.took != 0 {
			t.Errorf("got %q from %s after %v", res.text, res.answer.Target, res.took)
		}
		wantAttempts(t, res.answer.Attempts, "a/m failed:server_error", "b/n ok")
		if n := Sent(res.answer.Attempts); n != 2 {
			t.Errorf("%d attempts sent", n)
		}
	})
}

func TestASkipIsRecordedWithItsReasonAndCostsNoAttempt(t *testing.T) {
	cases := map[string]struct {
		arrange func(r *rig)
		req     func(req *providers.Request)
		want    SkipReason
	}{
		"open":     {arrange: func(r *rig) { r.trip("provider:a") }, want: SkipOpen},
		"cooldown": {arrange: func(r *rig) { r.park("target:a/m", 0) }, want: SkipCooldown},
		"probing": {arrange: func(r *rig) {
			r.trip("target:a/m")
			r.wait(30 * time.Second)
			r.probe("target:a/m")
		}, want: SkipProbing},
		"isolated": {arrange: func(r *rig) { _, _ = r.breakers.Isolate("provider:a", "me", "test") }, want: SkipIsolated},
		"context_window": {arrange: func(r *rig) {
			r.model("a", Model{ContextWindow: 10})
		}, req: func(req *providers.Request) { req.Body = make([]byte, 1000) }, want: SkipContextWindow},
		"no tools": {arrange: func(r *rig) {
			r.model("a", Model{CapabilitiesDeclared: true, Capabilities: []string{CapabilityVision}})
		}, req: func(req *providers.Request) { req.Tools = true }, want: SkipCapability},
		"no vision": {arrange: func(r *rig) {
			r.model("a", Model{CapabilitiesDeclared: true, Capabilities: []string{CapabilityTools}})
		}, req: func(req *providers.Request) { req.Vision = true }, want: SkipCapability},
		"an endpoint it lacks": {arrange: func(r *rig) {
			r.change("a", func(p *Provider) { p.Endpoints = map[providers.Endpoint]bool{providers.Chat: true} })
		}, req: func(req *providers.Request) { req.Endpoint = providers.Embeddings }, want: SkipCapability},
		"concurrency": {arrange: func(r *rig) {
			r.change("a", func(p *Provider) { p.MaxConcurrency = 1 })
			if !r.router.table.Load().hosts["a"].state.slots.take() {
				r.t.Fatal("no slot")
			}
			r.later(r.router.table.Load().hosts["a"].state.slots.give)
		}, want: SkipConcurrency},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m", with(func(c *Combo) { c.Retry.MaxRetries = new(0) }))
				test.arrange(r)
				req := r.request("c")
				req.Body = []byte("{}")
				if test.req != nil {
					test.req(req)
				}
				begin := time.Now()
				res := r.send(t.Context(), req)
				if res.text != "hello" || r.asked() != "b/m" || time.Since(begin) != 0 {
					t.Fatalf("got %+v", res)
				}
				wantAttempts(t, res.answer.Attempts, "a/m skipped:"+string(test.want), "b/m ok")
			})
		})
	}
}

func TestWhatIsNotDeclaredExcludesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m")
		req := r.request("c")
		req.Tools, req.Vision, req.Body = true, true, make([]byte, 1<<20)
		if r.send(t.Context(), req); r.asked() != "a/m" {
			t.Error("a was not asked")
		}
	})
}

func TestPermitsOfAllThreeBreakersAreTakenTogetherOrNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", provider("a", func(p *Provider) { p.Keys = keys("k") }), with(func(c *Combo) { c.Exhausted.Do = Reject }))
		r.trip("target:a/m")
		r.wait(30 * time.Second) // the target would be probed
		r.park("key:a/k", 0)
		r.ask("c")
		r.state("target:a/m", circuitbreaker.Open) // no probe was taken for nothing
		if r.asked() != "" {
			t.Error("asked all the same")
		}
	})
}

func TestMaxRetries(t *testing.T) {
	cases := map[string]struct {
		retries    *int
		sameTarget int
		want       string
	}{
		"null: every candidate once":            {nil, 0, "a/m b/m d/m"},
		"0 turns retries off":                   {new(0), 0, "a/m"},
		"1 extra attempt":                       {new(1), 0, "a/m b/m"},
		"a target is tried once":                {new(9), 0, "a/m b/m d/m"},
		"except with same_target, after others": {nil, 1, "a/m b/m d/m a/m b/m d/m"},
		"which max_retries caps":                {new(3), 1, "a/m b/m d/m a/m"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m d/m", with(func(c *Combo) {
					c.Retry.MaxRetries, c.Retry.SameTarget = test.retries, test.sameTarget
				}))
				for _, target := range []string{"a/m", "b/m", "d/m"} {
					r.plays(target, fails(providers.ServerError))
				}
				r.ask("c")
				if got := r.asked(); got != test.want {
					t.Errorf("asked %q, want %q", got, test.want)
				}
			})
		})
	}
}

func TestSameTargetIsAskedAgainAtItsPlaceWhenNoWaitIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", with(func(c *Combo) { c.Retry.SameTarget, c.Retry.Base = 2, 0 }))
		r.plays("a/m", fails(providers.ServerError), fails(providers.ModelFault), act{})
		if r.ask("c"); r.asked() != "a/m a/m a/m" {
			t.Error("b was asked")
		}
	})
}

func TestABackOffIsFullJitterUnderADoublingCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", with(func(c *Combo) { c.Retry.SameTarget = 7 }))
		r.draw = 0.5
		r.plays("a/m", fails(providers.ServerError))
		begin := time.Now()
		r.ask("c")
		var waits []time.Duration
		for _, c := range r.calls {
			waits = append(waits, c.at.Sub(begin).Round(time.Millisecond))
			begin = c.at
		}
		want := []int64{0, 50, 100, 200, 400} // ms; the fifth failure opens the breaker
		if len(waits) != len(want) {
			t.Fatalf("waits %v", waits)
		}
		for i := range want {
			if waits[i].Milliseconds() != want[i] {
				t.Errorf("wait %d is %v, want %d ms", i, waits[i], want[i])
			}
		}
	})
}

func TestTheBackOffCeilingNeitherWrapsNorExceedsItsMaximum(t *testing.T) {
	for retry, want := range map[int]time.Duration{
		1: 100 * time.Millisecond, 2: 200 * time.Millisecond, 5: 1600 * time.Millisecond, 6: 2 * time.Second, 2000: 2 * time.Second,
	} {
		if got := backoffCeiling(100*time.Millisecond, 2*time.Second, retry); got != want {
			t.Errorf("retry %d: %v, want %v", retry, got, want)
		}
	}
	if got := backoffCeiling(time.Second, 0, 2000); got <= 0 {
		t.Errorf("without a maximum: %v", got)
	}
	if got := backoffCeiling(0, time.Second, 3); got != 0 {
		t.Errorf("without a base: %v", got)
	}
}

func TestBackOff(t *testing.T) {
	cases := map[string]struct {
		targets string
		acts    map[string][]act
		change  func(c *Combo)
		asked   string
		took    time.Duration
	}{
		"an attempt on another provider starts at once": {
			"a/m b/m", map[string][]act{"a/m": {fails(providers.ServerError)}}, nil, "a/m b/m", 0,
		},
		"a sibling of a provider that was charged waits": {
			"a/m a/n", map[string][]act{"a/m": {fails(providers.ServerError)}}, nil, "a/m a/n", 50 * time.Millisecond,
		},
		"a sibling of a target that was charged does not": {
			"a/m a/n", map[string][]act{"a/m": {fails(providers.ModelNotFound)}}, nil, "a/m a/n", 0,
		},
		"a candidate of another provider is asked first": {
			"a/m a/n b/m", map[string][]act{"a/m": {fails(providers.ServerError)}}, nil, "a/m b/m", 0,
		},
		"what is left is asked without a wait if the last failure was another's": {
			"a/m a/n b/m",
			map[string][]act{"a/m": {fails(providers.ServerError)}, "b/m": {fails(providers.ServerError)}},
			nil, "a/m b/m a/n", 0,
		},
		"a Retry-After takes precedence": {
			"a/m a/n", map[string][]act{"a/m": {failsWith(providers.ServerError, 7*time.Second)}}, nil, "a/m a/n", 7 * time.Second,
		},
		"one of over 30 s ends the tries that would use that breaker": {
			"a/m a/n b/m",
			map[string][]act{"a/m": {failsWith(providers.ServerError, 31*time.Second)}, "b/m": {fails(providers.ServerError)}},
			nil, "a/m b/m", 0,
		},
		"pause_on_failover waits between any two attempts": {
			"a/m b/m d/m",
			map[string][]act{"a/m": {fails(providers.ServerError)}, "b/m": {failsWith(providers.ServerError, time.Second)}},
			func(c *Combo) { c.Retry.PauseOnFailover = true }, "a/m b/m d/m", 150 * time.Millisecond,
		},
		"no wait when nothing is left to try": {
			"a/m", map[string][]act{"a/m": {failsWith(providers.ServerError, time.Second)}}, nil, "a/m", 0,
		},
		"no wait when the cap on attempts is reached": {
			"a/m a/n",
			map[string][]act{"a/m": {fails(providers.ServerError)}},
			func(c *Combo) { c.Retry.MaxRetries = new(0) }, "a/m", 0,
		},
		"no wait that the walk's time does not allow": {
			"a/m a/n",
			map[string][]act{"a/m": {failsWith(providers.ServerError, 5*time.Second)}},
			func(c *Combo) { c.Total = 4 * time.Second }, "a/m", 0,
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, test.targets, with(func(c *Combo) {
					if test.change != nil {
						test.change(c)
					}
				}))
				for target, acts := range test.acts {
					r.plays(target, acts...)
				}
				res := r.ask("c")
				if got := r.asked(); got != test.asked || res.took != test.took {
					t.Errorf("asked %q in %v, want %q in %v", got, res.took, test.asked, test.took)
				}
			})
		})
	}
}

func TestAWalkIgnoresTheParksItBeganAndNobodyElses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m a/n", with(func(c *Combo) { c.Exhausted.Do = Reject }))
		r.plays("a/m", act{after: time.Second, fail: failure(providers.ServerError)})
		if res := r.ask("c"); res.text != "hello" {
			t.Fatalf("its own park forbids its retry: %s", sayAttempts(res.err.Attempts))
		}
		r.wait(6 * time.Second)
		r.plays("a/m", act{after: time.Second, fail: failure(providers.ClientError)}, act{after: time.Second, fail: failure(providers.Unsupported)})
		r.ask("c")
		time.AfterFunc(time.Second/2, func() { r.park("provider:a", 0) })
		res := r.ask("c")
		wantAttempts(t, res.err.Attempts, "a/m failed:unsupported", "a/n skipped:cooldown")
	})
}

func TestAWalkDoesNotIgnoreABreakerThatItOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m a/n", with(func(c *Combo) { c.Exhausted.Do = Reject }))
		for range 4 {
			var p circuitbreaker.Permit
			r.breakers.Get("provider:a").AcquireForced(&p, circuitbreaker.Ask{Now: time.Now()}, "test")
			p.Failure(time.Now(), providers.ServerError, 0)
		}
		r.wait(6 * time.Second)
		r.plays("a/m", fails(providers.ServerError))
		res := r.ask("c")
		wantAttempts(t, res.err.Attempts, "a/m failed:server_error", "a/n skipped:open")
	})
}

func TestTheClientLeaves(t *testing.T) {
	for name, streamed := range map[string]bool{"plain": false, "streamed": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m", provider("a", func(p *Provider) { p.MaxConcurrency = 1 }))
				r.plays("a/m", hangs())
				ctx, leave := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, leave)
				req := r.request("c")
				req.Stream = streamed
				res := r.send(ctx, req)
				if res.err == nil || res.err.Status != 499 || res.err.Kind != providers.Canceled || res.took != time.Second {
					t.Fatalf("got %+v after %v", res.err, res.took)
				}
				if got := r.asked(); got != "a/m" {
					t.Errorf("asked %q: a further target was contacted", got)
				}
				r.counts(map[string]int{}) // no breaker is charged
				wantAttempts(t, res.err.Attempts, "a/m failed:canceled")
				if rep := res.report(); rep.Status != 499 || rep.Outcome != OutcomeCanceled {
					t.Errorf("report %+v", rep)
				}
			})
		})
	}
}

func TestTheClientLeavesDuringAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m a/n")
		r.plays("a/m", failsWith(providers.ServerError, 20*time.Second))
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		res := r.send(ctx, r.request("c"))
		if res.err == nil || res.err.Status != 499 || res.took != time.Second || r.asked() != "a/m" {
			t.Errorf("got %+v after %v", res.err, res.took)
		}
	})
}

func TestAPanicOfAProviderLeavesNothingTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", provider("a", func(p *Provider) { p.MaxConcurrency = 1 }))
		r.plays("a/m", act{raises: true})
		defer func() {
			if recover() == nil {
				t.Error("the panic got lost")
			}
			r.counts(map[string]int{})
		}()
		r.ask("c")
	})
}

func TestAnUnclassifiedErrorIsOurOwnFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m")
		r.plays("a/m", fails(providers.Local))
		res := r.ask("c")
		if res.err == nil || res.err.Status != 500 || r.asked() != "a/m" {
			t.Errorf("got %+v", res)
		}
		r.counts(map[string]int{}) // a local bug is charged to nobody
	})
}
