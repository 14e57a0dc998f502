package combo

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// busy takes a provider's only slot for a while.
func (r *rig) busy(id string, d time.Duration) {
	r.t.Helper()
	s := &r.router.table.Load().hosts[id].state.slots
	if !s.take() {
		r.t.Fatalf("%s has no slot", id)
	}
	time.AfterFunc(d, s.give)
	r.later(synctest.Wait) // for one that is given back in the last moment
}

// queued bounds providers to one request each, with a queue for so long.
func queued(d time.Duration, ids ...string) func(*Config) {
	return func(c *Config) {
		for _, id := range ids {
			c.Providers[id].MaxConcurrency, c.Providers[id].QueueTimeout = 1, d
		}
	}
}

// onlyOn takes a target of the combo "c" out of its pool.
func onlyOn(target int, kinds ...providers.Kind) func(*Config) {
	return with(func(c *Combo) { c.Targets[target].OnlyOn = kinds })
}

func TestASiblingKeyGoesOnWithTheSlot(t *testing.T) {
	for _, kind := range []providers.Kind{providers.Auth, providers.RateLimit} {
		for name, pause := range map[string]bool{"at once": false, "after a pause": true} {
			t.Run(string(kind)+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, "a/m", twoKeys(), limited(time.Minute), with(func(c *Combo) { c.Retry.PauseOnFailover = pause }))
					r.plays("a/m@k", act{after: time.Second, fail: failure(kind)})
					r.plays("a/m@l", act{after: time.Second, body: "x"})
					var wg sync.WaitGroup
					for range 3 {
						wg.Go(func() {
							if res := r.ask("c"); res.text != "x" {
								t.Errorf("got %+v", res.err)
							}
						})
					}
					wg.Wait()
				})
			})
		}
	}
}

func TestAClientThatLeavesBetweenTwoKeysLeavesNoSlotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", twoKeys(), limited(0), with(func(c *Combo) {
			c.Retry.PauseOnFailover, c.Retry.Base, c.Retry.Max = true, 20*time.Second, time.Minute
		}))
		r.plays("a/m@k", fails(providers.Auth))
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		if res := r.send(ctx, r.request("c")); res.err == nil || res.err.Status != 499 || r.asked() != "a/m@k" {
			t.Errorf("got %+v", res)
		}
	})
}

// The queue belongs to every pass.
func TestAFullProviderIsWaitedForInEveryPass(t *testing.T) {
	cases := map[string]struct {
		targets string
		change  func(*Config)
		arrange func(r *rig)
		took    time.Duration
		want    []string
	}{
		"the first": {"a/m", nil, nil, 2 * time.Second, []string{"a/m ok"}},
		"over fallback targets": {
			"b/m a/m", onlyOn(1, providers.ServerError), nil, 2 * time.Second, []string{"b/m failed:server_error", "a/m ok"},
		},
		"when all refused": {
			"a/m", nil, func(r *rig) { r.trip("provider:a") }, 2 * time.Second, []string{"a/m ok forced"},
		},
		"when all that were admitted failed": {
			"b/m a/m", nil, func(r *rig) { r.park("provider:a", 0) }, 2 * time.Second,
			[]string{"b/m failed:server_error", "a/m ok forced"},
		},
		"when one recovered": {
			"a/m", does(Exhausted{Do: Wait, MaxWait: 10 * time.Second}), func(r *rig) {
				r.park("provider:a", time.Second)
				r.park("target:a/m", time.Second)
			}, 5 * time.Second, []string{"a/m ok"},
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				changes := []func(*Config){queued(time.Minute, "a")}
				if test.change != nil {
					changes = append(changes, test.change)
				}
				r := newRig(t, test.targets, changes...)
				r.plays("b/m", fails(providers.ServerError))
				if test.arrange != nil {
					test.arrange(r)
				}
				if test.took == 5*time.Second {
					r.busy("a", 5*time.Second)
				} else {
					r.busy("a", 2*time.Second)
				}
				res := r.ask("c")
				wantAttempts(t, res.report().Attempts, test.want...)
				if res.took != test.took {
					t.Errorf("took %v, want %v", res.took, test.took)
				}
				r.wait(5 * time.Second)
			})
		})
	}
}

func TestWhatCameThroughTheQueueIsAskedAgainAsAnyOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", limited(time.Minute), with(func(c *Combo) { c.Retry.SameTarget = 2 }))
		r.plays("a/m", fails(providers.ServerError), fails(providers.ServerError), act{body: "x"})
		r.busy("a", time.Second)
		res := r.ask("c")
		wantAttempts(t, res.report().Attempts, "a/m failed:server_error", "a/m failed:server_error", "a/m ok")
	})
}

func TestTheFirstOfSeveralProvidersThatHasASlotAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m d/m", queued(time.Minute, "a", "b", "d"))
		r.busy("a", 3*time.Second)
		r.busy("b", time.Second)
		r.busy("d", 2*time.Second)
		res := r.ask("c")
		wantAttempts(t, res.report().Attempts, "a/m skipped:concurrency", "d/m skipped:concurrency", "b/m ok")
		if res.took != time.Second {
			t.Errorf("took %v", res.took)
		}
		if got := res.report().Queue; got != time.Second {
			t.Errorf("queued for %v", got)
		}
		r.wait(3 * time.Second)
	})
}

func TestTwoSlotsAtOnceAreNotBothKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", queued(time.Minute, "a", "b"))
		r.busy("a", time.Second)
		r.busy("b", time.Second)
		if res := r.ask("c"); res.text != "hello" || res.took != time.Second {
			t.Errorf("got %+v", res)
		}
		r.wait(time.Second)
	})
}

func TestEachQueueIsWaitedInForItsOwnTimeAndTheWalkGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", queued(time.Second, "a"), queued(3*time.Second, "b"))
		r.busy("a", 2*time.Second)
		r.busy("b", time.Minute)
		res := r.ask("c")
		if res.err == nil || res.err.Code != "all_targets_unavailable" || res.took != 3*time.Second {
			t.Errorf("got %+v after %v", res, res.took)
		}
		r.wait(time.Minute)
	})
}

func TestAQueueThatIsFullIsNotWaitedIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", limited(time.Minute))
		r.busy("a", time.Hour)
		var wg sync.WaitGroup
		results := make([]result, queueFloor+4)
		for i := range results {
			wg.Go(func() { results[i] = r.ask("c") })
		}
		wg.Wait()
		var took []time.Duration
		for _, res := range results {
			took = append(took, res.took)
		}
		slices.Sort(took)
		if took[3] != 0 || took[4] != time.Minute {
			t.Errorf("took %v", took)
		}
		r.wait(time.Hour)
	})
}

func TestWhoNeedsNoWaitIsAskedBeforeWhoDoes(t *testing.T) {
	fails500, limited4 := fails(providers.ServerError), failsWith(providers.RateLimit, 4*time.Second)
	cases := map[string]struct {
		targets string
		change  func(*Config)
		plays   map[string][]act
		arrange func(r *rig)
		asked   string
		took    time.Duration
	}{
		"a fallback target before a due wait": {
			"a/m b/m", func(c *Config) {
				onlyOn(1, providers.RateLimit)(c)
				c.Combos["c"].Retry.SameTarget = 1
			}, map[string][]act{"a/m": {limited4}}, nil, "a/m b/m", 0,
		},
		"a fallback target before a queue": {
			"q/m a/m b/m", func(c *Config) {
				onlyOn(2, providers.ServerError)(c)
				queued(time.Minute, "q")(c)
			}, map[string][]act{"a/m": {fails500}}, func(r *rig) { r.busy("q", time.Second) }, "a/m b/m", 0,
		},
		"but one of the pool before a fallback target": {
			"a/m d/m b/m", onlyOn(2, providers.ServerError), map[string][]act{"a/m": {fails500}}, nil, "a/m d/m", 0,
		},
		"who is due soonest before who is due later": {
			"a/m b/m", with(func(c *Combo) { c.Retry.SameTarget = 1 }),
			map[string][]act{"a/m": {limited4, act{}}, "b/m": {failsWith(providers.RateLimit, time.Second), act{}}},
			nil,
			"a/m b/m b/m", time.Second,
		},
		"a slot before a due wait": {
			"q/m a/m", func(c *Config) {
				queued(time.Minute, "q")(c)
				c.Combos["c"].Retry.SameTarget = 1
			}, map[string][]act{"a/m": {limited4}}, func(r *rig) { r.busy("q", time.Second) }, "a/m q/m", time.Second,
		},
		"a due wait before a slot": {
			"q/m a/m", func(c *Config) {
				queued(time.Minute, "q")(c)
				c.Combos["c"].Retry.SameTarget = 1
			}, map[string][]act{"a/m": {limited4, act{}}}, func(r *rig) { r.busy("q", 9*time.Second) }, "a/m a/m", 4 * time.Second,
		},
		// A slot is worth waiting for as long as the operator has said; a park that ends meanwhile ends the wait.
		"a queue before one more chance": {
			"q/m b/m", queued(time.Minute, "q"), nil, func(r *rig) {
				r.park("provider:b", 0)
				r.busy("q", time.Second)
			}, "q/m", time.Second,
		},
		"who recovers before a slot": {
			"q/m b/m", queued(time.Minute, "q"), nil, func(r *rig) {
				r.park("provider:b", 0)
				r.busy("q", 9*time.Second)
			}, "b/m", 5 * time.Second,
		},
		"one more chance after a queue": {
			"q/m b/m a/m", queued(2*time.Second, "q"), map[string][]act{"a/m": {fails500}}, func(r *rig) {
				r.park("provider:b", 0)
				r.busy("q", 9*time.Second)
			}, "a/m b/m", 2 * time.Second,
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var changes []func(*Config)
				if test.change != nil {
					changes = append(changes, test.change)
				}
				r := newRig(t, test.targets, changes...)
				for target, acts := range test.plays {
					r.plays(target, acts...)
				}
				if test.arrange != nil {
					test.arrange(r)
				}
				res := r.ask("c")
				if got := r.asked(); got != test.asked || res.took != test.took || res.answer == nil {
					t.Errorf("asked %q in %v, want %q in %v: %+v", got, res.took, test.asked, test.took, res.err)
				}
				r.wait(10 * time.Second)
			})
		})
	}
}

func TestAQueueLeavesTimeForOneMoreChance(t *testing.T) {
	for name, refuses := range map[string]func(r *rig){
		"of one merely parked":                     func(r *rig) { r.park("provider:a", 0) },
		"of one that is open, if nobody was asked": func(r *rig) { r.trip("provider:a") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "q/m a/m", queued(time.Minute, "q"), with(func(c *Combo) { c.Total = 4 * time.Second }))
				refuses(r)
				r.busy("q", time.Minute)
				res := r.ask("c")
				wantAttempts(t, res.report().Attempts, "q/m skipped:concurrency", "a/m ok forced")
				if res.took != 2*time.Second {
					t.Errorf("took %v", res.took)
				}
				r.wait(time.Minute)
			})
		})
	}
}

func TestATimeThatRunsOutInAWaitLeavesTheAnswerToWhatWasLearned(t *testing.T) {
	cases := map[string]struct {
		targets string
		change  func(*Config)
		want    string
	}{
		"in a queue, after an attempt": {"q/m a/m", nil, "503 server_error 1s"},
		"in a queue, without one":      {"q/m", nil, "503 all_targets_unavailable 1s"},
		"while it waits for a recovery": {
			"p/m", does(Exhausted{Do: Wait, MaxWait: time.Minute}), "503 all_targets_unavailable 1s",
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				change := test.change
				if change == nil {
					change = queued(time.Minute, "q")
				}
				r := newRig(t, test.targets, change, with(func(c *Combo) { c.Total = time.Second }))
				r.plays("a/m", fails(providers.ServerError))
				if r.cfg.Providers["q"] != nil {
					r.busy("q", time.Hour)
				} else {
					r.trip("provider:p")
					r.wait(30 * time.Second)
					r.probe("provider:p")
				}
				res := r.ask("c")
				if got := fmt.Sprint(res.err.Status, " ", res.err.Code, " ", res.took); got != test.want {
					t.Errorf("got %s, want %s", got, test.want)
				}
				if r.cfg.Providers["q"] != nil {
					r.wait(time.Hour)
				}
			})
		})
	}
}

func TestTheTimeInAQueueIsThatOfOneAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", limited(3*time.Second), with(func(c *Combo) { c.Retry.SameTarget, c.Retry.Base = 1, 0 }))
		r.plays("a/m", fails(providers.ModelFault), act{after: 2 * time.Second}, act{body: "x"})
		r.busy("a", 2*time.Second)
		var wg sync.WaitGroup
		wg.Go(func() {
			if res := r.ask("c"); res.text != "x" || res.took != 4*time.Second {
				t.Errorf("got %+v", res)
			}
		})
		synctest.Wait()
		wg.Go(func() { r.ask("c") }) // has the slot in between
		wg.Wait()
	})
}

func TestOfTwoSlotsThatCameUpAtOnceOneIsGivenBack(t *testing.T) {
	r := newRig(t, "a/m b/m", queued(time.Minute, "a", "b"))
	q := queues{turn: make(chan *slots, 2)}
	var both []*slots
	for _, name := range []string{"a/m", "b/m"} {
		l := r.router.table.Load().legs[name]
		s := &l.host.state.slots
		both = append(both, s)
		if !s.take() || !q.join(&candidate{leg: l}) {
			t.Fatal("no slot, or no queue")
		}
	}
	for _, s := range both {
		s.give()
	}
	got := q.leave(nil)
	if got != both[0] || both[0].used != 1 || both[1].used != 0 || q.who(got).leg.name != "a/m" {
		t.Errorf("used are %d and %d", both[0].used, both[1].used)
	}
	got.give()
}
