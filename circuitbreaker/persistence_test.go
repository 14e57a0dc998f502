package circuitbreaker_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/circuitbreaker/storetest"
)

// Spec: breaker.md 7, by number. The writer runs in a bubble where time is the test's.

// running is a registry whose writer runs.
type running struct {
	*rig
	log bytes.Buffer
	sub *circuitbreaker.Subscription
}

// run runs a test with a started registry, which is closed at its end.
func run(t *testing.T, test func(t *testing.T, r *running)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &running{rig: &rig{T: t, store: storetest.NewMemory(), name: "target:p/m"}}
		r.reg = circuitbreaker.NewRegistry(circuitbreaker.Options{
			Store: r.store, Default: rigSettings(), Logger: slog.New(slog.NewTextHandler(&r.log, nil)),
		})
		r.breaker, r.now = r.reg.Get(r.name), time.Now()
		r.sub = r.reg.Subscribe(100)
		r.reg.Start()
		test(t, r)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = r.reg.Close(ctx)
	})
}

// sleep lets time pass in the bubble.
func (r *running) sleep(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
	r.now = time.Now()
}

// events are those that were published up to now.
func (r *running) events() (all []circuitbreaker.Event) {
	synctest.Wait()
	ctx, cancel := context.WithTimeout(r.Context(), time.Nanosecond)
	defer cancel()
	for {
		ev, _, err := r.sub.Next(ctx)
		if err != nil {
			return all
		}
		all = append(all, ev)
	}
}

// 2
func TestATransitionIsWrittenAtOnceAndCountsWithinTheFlushInterval(t *testing.T) {
	run(t, func(t *testing.T, r *running) {
		r.fail(1, "timeout")
		r.sleep(time.Second - time.Nanosecond)
		if n := len(r.store.Applied()); n != 0 {
			t.Fatalf("%d commits before the interval", n)
		}
		r.sleep(time.Nanosecond)
		if got := r.store.Applied(); len(got) != 1 || got[0].Save[0].Failures != 1 {
			t.Fatalf("commits %+v", got)
		}
		r.fail(2, "timeout")
		synctest.Wait()
		if got := r.store.Applied(); len(got) != 2 || got[1].Save[0].State != circuitbreaker.Degraded || len(got[1].Transitions) != 1 {
			t.Fatalf("commits %+v", got)
		}
	})
}

// 2
func TestManyTransitionsAreOneGroupCommit(t *testing.T) {
	run(t, func(t *testing.T, r *running) {
		release := r.store.Block()
		r.trip()
		synctest.Wait() // the first commit is under way
		for _, name := range []string{"target:p/a", "target:p/b", "target:p/c"} {
			r.breaker = r.reg.Get(name)
			r.trip()
		}
		release()
		synctest.Wait()
		got := r.store.Applied()
		if len(got) != 2 {
			t.Fatalf("%d commits: %+v", len(got), got)
		}
		saved := map[string]bool{}
		for _, row := range got[1].Save {
			saved[row.Name] = true
		}
		if !saved["target:p/a"] || !saved["target:p/b"] || !saved["target:p/c"] {
			t.Errorf("the second commit saves %v", saved)
		}
	})
}

// 3
func TestEventsArePublishedAfterTheirCommit(t *testing.T) {
	run(t, func(t *testing.T, r *running) {
		release := r.store.Block()
		r.trip()
		if got := r.events(); len(got) != 0 {
			t.Fatalf("visible before it was durable: %+v", got[0].Transition)
		}
		release()
		if got := r.events(); len(got) != 2 || got[1].Transition.To != circuitbreaker.Open {
			t.Errorf("events %+v", got)
		}
	})
}

// 3
func TestDurableWaitsForWhatIsOwedOrForTheStoreToBeBroken(t *testing.T) {
	run(t, func(t *testing.T, r *running) {
		r.fail(1, "timeout") // counts only: nothing would be written for a second
		start := time.Now()
		if p := r.reg.Durable(t.Context()); p.Degraded || p.OldestUnsaved != 0 || time.Since(start) != 0 {
			t.Fatalf("%+v after %v", p, time.Since(start))
		}
		if len(r.store.Applied()) != 1 {
			t.Fatal("it was not committed")
		}
		release := r.store.Block()
		defer release()
		r.trip()
		p := r.reg.Durable(t.Context())
		if waited := time.Since(start); !p.Degraded || waited != time.Second || p.OldestUnsaved != time.Second {
			t.Errorf("%+v after %v, want degraded after 1s", p, waited)
		}
		if p = r.reg.Durable(t.Context()); !p.Degraded || time.Since(start) != time.Second {
			t.Errorf("a broken store is waited for: %+v after %v", p, time.Since(start))
		}
	})
}

// 3
func TestDurableEndsWithItsContext(t *testing.T) {
	run(t, func(t *testing.T, r *running) {
		release := r.store.Block()
		defer release()
		r.trip()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		start := time.Now()
		if r.reg.Durable(ctx); time.Since(start) != time.Millisecond {
			t.Errorf("it waited %v", time.Since(start))
		}
	})
}

// 4
func TestAStoreThatFailsIsRetriedForEverAndEverythingOwedIsWrittenWhenItIsBack(t *testing.T) {
	run(t, func(t *testing.T, r *running) {
		r.store.Fail(errors.New("disk full"))
		r.trip()
		r.sleep(time.Hour)
		attempts := r.store.Attempts()
		if attempts < 100 || attempts > 1000 {
			t.Errorf("%d attempts in an hour", attempts)
		}
		if p := r.reg.Persistence(); !p.Degraded || p.OldestUnsaved != time.Hour {
			t.Errorf("%+v", p)
		}
		if s, err := r.reg.Reset(r.name); err != nil || s.State != circuitbreaker.Closed {
			t.Errorf("an operator's action does not work in memory: %+v, %v", s, err)
		}
		r.trip()
		if got := r.events(); len(got) != 1 || got[0].Persistence == nil || !got[0].Persistence.Degraded {
			t.Fatalf("events %+v", got)
		}
		r.store.Fail(nil)
		r.sleep(5 * time.Second)
		if p := r.reg.Persistence(); p.Degraded || p.OldestUnsaved != 0 {
			t.Errorf("%+v", p)
		}
		loaded, _ := r.store.Load(t.Context())
		if len(loaded.Breakers) != 1 || loaded.Breakers[0].State != circuitbreaker.Open || len(loaded.Transitions[r.name]) != 5 {
			t.Errorf("stored %+v", loaded)
		}
		if got := r.events(); len(got) != 6 || got[0].Persistence == nil || got[0].Persistence.Degraded {
			t.Errorf("%d events", len(got))
		}
		if log := r.log.String(); strings.Count(log, "level=ERROR") != 1 || strings.Count(log, "stored again") != 1 {
			t.Errorf("more than a line at the start and one at the end:\n%s", log)
		}
	})
}

// 4
func TestAnActionDuringACommitThatFailsStaysOneForALossOfPower(t *testing.T) {
	for name, first := range map[string]bool{"the action is in the commit": true, "the action comes meanwhile": false} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, r *running) {
				act := func(now bool) {
					if !now {
						r.breaker = r.reg.Get("target:p/other")
						r.trip()
					} else if _, err := r.reg.Isolate(r.name, "ana", ""); err != nil {
						t.Fatal(err)
					}
				}
				release := r.store.Block()
				act(first)
				synctest.Wait() // the commit is under way
				act(!first)
				r.store.Fail(errors.New("disk full"))
				release()
				synctest.Wait()
				r.store.Fail(nil)
				r.sleep(time.Minute)
				if got := r.store.Applied(); len(got) != 1 || !got[0].Sync || len(got[0].Save) != 2 {
					t.Errorf("commits %+v", got)
				}
			})
		})
	}
}

// 4
func TestWhatWaitsForAStoreThatFailsIsBounded(t *testing.T) {
	run(t, func(t *testing.T, r *running) {
		r.store.Fail(errors.New("disk full"))
		for range 15_000 {
			_, _ = r.reg.Reset(r.name)
		}
		r.sleep(time.Minute)
		r.store.Fail(nil)
		r.sleep(time.Minute)
		_, lost, _ := r.sub.Next(t.Context()) // of the subscription's own 100
		if n := len(r.store.Applied()[0].Transitions); n < 10_000 || n > 12_000 {
			t.Errorf("%d transitions waited", n)
		}
		if lost < 15_000-101 {
			t.Errorf("%d lost to the subscriber", lost)
		}
	})
}

// 6
func TestFlushAndCloseWriteEverythingOwed(t *testing.T) {
	run(t, func(t *testing.T, r *running) {
		r.fail(1, "timeout")
		if err := r.reg.Flush(t.Context()); err != nil || len(r.store.Applied()) != 1 {
			t.Fatalf("%v, %d commits", err, len(r.store.Applied()))
		}
		r.fail(1, "timeout")
		if err := r.reg.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := r.store.Applied(); len(got) != 2 || got[1].Save[0].Failures != 2 {
			t.Errorf("commits %+v", got)
		}
		if _, _, err := r.sub.Next(t.Context()); !errors.Is(err, circuitbreaker.ErrClosed) {
			t.Errorf("the subscription ends with %v", err)
		}
	})
}

// 6
func TestCloseGivesUpWithItsContext(t *testing.T) {
	run(t, func(t *testing.T, r *running) {
		release := r.store.Block()
		r.trip()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.reg.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		release()
	})
}
