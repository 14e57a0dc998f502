package combo

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

func TestTotalRunsOutInMidAttempt(t *testing.T) {
	for name, streamed := range map[string]bool{"plain": false, "streamed": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m", with(func(c *Combo) { c.Total = 3 * time.Second }))
				r.plays("a/m", hangs())
				req := r.request("c")
				req.Stream = streamed
				res := r.send(t.Context(), req)
				if res.err == nil || res.err.Status != 504 || res.err.Code != "timeout" || res.took != 3*time.Second {
					t.Fatalf("got %+v after %v, want 504 timeout after 3 s", res.err, res.took)
				}
				r.counts(map[string]int{}) // charges nobody
				wantAttempts(t, res.err.Attempts, "a/m failed:timeout")
			})
		})
	}
}

func TestAnAttemptLeavesTimeForAnotherCandidate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m d/m", with(func(c *Combo) { c.Total = 8 * time.Second }))
		r.plays("a/m", hangs())
		r.plays("b/m", hangs())
		r.plays("d/m", act{after: time.Second, body: "late"})
		res := r.ask("c")
		if res.text != "late" || res.took != 7*time.Second {
			t.Errorf("got %+v after %v, want d's answer after 4 s + 2 s + 1 s", res.err, res.took)
		}
		r.counts(map[string]int{"provider:a": 1, "provider:b": 1}) // an attempt's own limit, so it counts
	})
}

func TestAnAttemptLeavesTimeForWhoeverMayStillBeAsked(t *testing.T) {
	cases := map[string]struct {
		targets string
		change  func(*Config)
		arrange func(r *rig)
		took    time.Duration // to the answer
	}{
		"a fallback target for time-outs": {"a/m b/m", onlyOn(1, providers.Timeout), nil, 4 * time.Second},
		"who is merely parked, behind it": {"a/m b/m", nil, func(r *rig) {
			r.park("provider:b", 0)
			r.wait(time.Second)
		}, 4 * time.Second},
		"who is merely parked, before it": {"b/m a/m", nil, func(r *rig) {
			r.park("provider:b", 0)
			r.wait(time.Second)
		}, 4 * time.Second},
		"a sibling key that is merely parked": {
			"b/m a/m", provider("b", func(p *Provider) { p.Keys = keys("k", "l") }), func(r *rig) {
				r.plays("b/m@k", fails(providers.Auth))
				r.park("key:b/l", 0)
			}, 4 * time.Second,
		},
		"who is full, and has a queue": {"b/m a/m", queued(time.Minute, "b"), func(r *rig) { r.busy("b", 5*time.Second) }, 5 * time.Second},
	}
	for name, test := range cases {
		for form, streamed := range map[string]bool{"plain": false, "streamed": true} {
			t.Run(name+", "+form, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					changes := []func(*Config){with(func(c *Combo) { c.Total = 8 * time.Second })}
					if test.change != nil {
						changes = append(changes, test.change)
					}
					r := newRig(t, test.targets, changes...)
					r.plays("a/m", hangs())
					if test.arrange != nil {
						test.arrange(r)
					}
					req := r.request("c")
					req.Stream = streamed
					res := r.send(t.Context(), req)
					if res.answer == nil || res.answer.Target != "b/m" || res.took != test.took {
						t.Errorf("got %+v after %v, want b's answer after %v", res.err, res.took, test.took)
					}
				})
			})
		}
	}
}

func TestNoTimeIsLeftForThoseWhoCanNotBeAsked(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"a fallback target for something else": onlyOn(0, providers.RateLimit),
		"who is parked, if nobody is forced":   does(Exhausted{Do: Reject}),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "b/m a/m", change, with(func(c *Combo) { c.Total = 8 * time.Second }))
				r.park("provider:b", 0)
				r.plays("a/m", act{after: 7 * time.Second, body: "late"})
				if res := r.ask("c"); res.text != "late" {
					t.Errorf("got %+v", res.err)
				}
			})
		})
	}
}

func TestTheLastCandidateMayUseTheTimeUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", with(func(c *Combo) { c.Total, c.Retry.MaxRetries = 8*time.Second, new(0) }))
		r.plays("a/m", act{after: 7 * time.Second, body: "late"})
		if res := r.ask("c"); res.text != "late" {
			t.Errorf("got %+v: nothing could come after it", res.err)
		}
	})
}

func TestTheBudgetsOfANestedComboAreTheOuterOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		inner := *r.cfg.Combos["c"]
		inner.Name, inner.Total = "inner", time.Second
		outer := DefaultCombo()
		outer.Name, outer.Targets = "outer", []Target{{Combo: "inner"}}
		r.cfg.Combos["inner"], r.cfg.Combos["outer"] = &inner, &outer
		r.router.Swap(r.cfg)
		r.plays("a/m", act{after: 2 * time.Second, body: "late"})
		if res := r.ask("outer"); res.text != "late" {
			t.Errorf("got %+v", res.err)
		}
	})
}

func TestLimitsOfComboWinOverModelOverProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", with(func(c *Combo) { c.Limits.FirstToken = time.Second }))
		r.model("a", Model{Limits: providers.Limits{FirstToken: 2 * time.Second, Idle: 3 * time.Second, Connect: -1}})
		r.ask("c")
		want := providers.Limits{FirstToken: time.Second, Idle: 3 * time.Second, Response: 10 * time.Minute}
		if got := r.calls[0].limits; got != want {
			t.Errorf("limits %+v, want %+v", got, want)
		}
	})
}

func TestTheRetryBudgetStopsAStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m a/n", with(func(c *Combo) { c.Retry.Base = 0 }))
		r.plays("a/m", act{after: time.Second, fail: failure(providers.ModelNotFound)})
		r.plays("a/n", act{after: time.Second})
		var wg sync.WaitGroup
		results := make([]result, 100)
		for i := range results {
			wg.Go(func() { results[i] = r.ask("c") })
		}
		wg.Wait()
		if n := strings.Count(r.asked(), "a/n"); n != 20 {
			t.Errorf("%d retries for 100 requests, want 20", n)
		}
		for _, res := range results {
			if res.err != nil && (res.err.Code != "model_not_found" || res.err.ShouldRetry == nil || *res.err.ShouldRetry) {
				t.Fatalf("got %+v, want the upstream's own answer with x-should-retry: false", res.err)
			}
		}
	})
}

// TestABudgetIsTakenByWhoIsAskedNext: siblings that wait for the same back-off take one retry of their provider's budget
// each, one after the other.
func TestABudgetIsTakenByWhoIsAskedNext(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"after a back-off": func(*Config) {},
		"with a queue":     queued(time.Minute, "a"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/1 a/2 a/3 a/4 a/5", change, with(func(c *Combo) { c.Retry.Base = time.Second }))
				for i := range budgetFloor + 1 {
					r.plays(fmt.Sprintf("a/%d", i+1), act{fail: failure(providers.ServerError)})
				}
				r.plays("a/5", act{body: "x"})
				res := r.ask("c")
				if asked := r.asked(); res.text != "x" {
					t.Errorf("got %+v, asked %s", res.err, asked)
				}
			})
		})
	}
}

func TestTheFirstAttemptOnAnotherProviderAndASiblingKeyAreFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", twoKeys())
		r.plays("a/m", act{after: time.Second, fail: failure(providers.QuotaExhausted)})
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if res := r.ask("c"); res.text != "hello" {
					t.Errorf("the death of one target cost an answer: %+v", res.err)
				}
			})
		}
		wg.Wait()
		if n := strings.Count(r.asked(), "b/m"); n != 100 {
			t.Errorf("b was asked %d times", n)
		}
	})
}

func TestWithScopeTargetASiblingTargetIsFreeToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m a/n", provider("a", func(p *Provider) { p.Scope = circuitbreaker.ScopeTarget }))
		r.plays("a/m", act{after: time.Second, fail: failure(providers.ServerError)})
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if res := r.ask("c"); res.text != "hello" {
					t.Errorf("the death of one target cost an answer: %+v", res.err)
				}
			})
		}
		wg.Wait()
	})
}

func TestRetryBudget(t *testing.T) {
	now := time.Unix(1000, 0)
	var b retryBudget
	for range 3 {
		if !b.take(now) {
			t.Fatal("three at a time are always granted")
		}
	}
	if b.take(now) {
		t.Error("a fourth was granted, without any request")
	}
	b.give()
	if !b.take(now) {
		t.Error("one that ended makes room")
	}
	for range 100 {
		b.request(now)
	}
	granted := 0
	for b.take(now) {
		granted++
	}
	if granted != 16 {
		t.Errorf("%d more of 100 requests, want 20 with the 4 before", granted)
	}
	b.refund(now)
	if !b.take(now) || b.take(now) {
		t.Error("what was not used is not counted")
	}
	if b.take(now.Add(10 * time.Second)) {
		t.Error("the requests of ten seconds ago are recent")
	}
}
