package circuitbreaker_test

import (
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/circuitbreaker/storetest"
)

// The rules with numbers, with real goroutines. Run with -race. Rule 2.9 is in asking_test.go.

// together runs f in n goroutines that begin at the same time, and waits for them.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() { <-start; f(i) })
	}
	close(start)
	wg.Wait()
}

// Spec: breaker.md 5.
func TestAResetOfAllIsAtomicTowardsTraffic(t *testing.T) {
	s := rigSettings(func(s *circuitbreaker.Settings) { s.FailureThreshold = 1_000 },
		kinds(kindRows{"auth": {ImmediateOpen: true}}))
	now := time.Now()
	for range 50 {
		reg := circuitbreaker.NewRegistry(circuitbreaker.Options{Default: s, Logger: slog.New(slog.DiscardHandler)})
		names := []string{"provider:p", "key:p/k", "target:p/m"}
		for _, name := range names {
			var p circuitbreaker.Permit
			_ = reg.Get(name).Acquire(&p, circuitbreaker.Ask{Now: now})
			p.Failure(now, "auth", 0)
		}
		path := reg.Path(names[0], names[1], names[2])
		var sent atomic.Int64
		together(9, func(i int) {
			if i == 0 {
				reg.ResetAll(false)
				return
			}
			var ps circuitbreaker.Permits
			for path.Acquire(&ps, circuitbreaker.Ask{Now: now}) != nil {
				runtime.Gosched() // until the reset
			}
			// Whoever is admitted has three permits of the table after the reset: each verdict counts.
			ps.Fail(now, circuitbreaker.Scope(1+i%3), "timeout", 0)
			sent.Add(1)
		})
		counted := 0
		for _, name := range names {
			counted += reg.Get(name).Status(now).FailureCount
		}
		if int64(counted) != sent.Load() {
			t.Fatalf("%d of %d verdicts counted", counted, sent.Load())
		}
	}
}

// Spec: breaker.md 5.
func TestAResetOfAllIsOneCommit(t *testing.T) {
	store := storetest.NewMemory()
	reg := circuitbreaker.NewRegistry(circuitbreaker.Options{
		Store: store, FlushInterval: time.Microsecond, Default: rigSettings(func(s *circuitbreaker.Settings) { s.FailureThreshold = 1 }),
		Logger: slog.New(slog.DiscardHandler),
	})
	reg.Start()
	const breakers = 20
	for i := range breakers {
		var p circuitbreaker.Permit
		_ = reg.Get(fmt.Sprintf("target:p/%d", i)).Acquire(&p, circuitbreaker.Ask{})
		p.Failure(time.Time{}, "timeout", 0)
	}
	if err := reg.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	reg.ResetAll(false)
	if err := reg.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, b := range store.Applied() {
		resets := 0
		for _, tr := range b.Transitions {
			if tr.Reason == circuitbreaker.ReasonManualReset {
				resets++
			}
		}
		if resets != 0 && resets != breakers || b.DeleteAll != (resets == breakers) || len(b.Delete) != 0 {
			t.Errorf("a batch with %d resets, delete all %t, delete %v", resets, b.DeleteAll, b.Delete)
		}
	}
}

// Spec: breaker.md 6.5.
func TestANameAskedForDuringASweepGetsOneInstance(t *testing.T) {
	for range 200 {
		reg := circuitbreaker.NewRegistry(circuitbreaker.Options{
			IdleAfter: 1, Default: rigSettings(func(s *circuitbreaker.Settings) { s.FailureThreshold, s.ForgetAfter = 1_000, 1_000*time.Hour }),
			Logger: slog.New(slog.DiscardHandler),
		})
		old := reg.Get("target:p/m")
		together(9, func(i int) {
			if i == 0 {
				reg.Sweep(time.Now().Add(time.Hour))
				return
			}
			var p circuitbreaker.Permit
			_ = reg.Get("target:p/m").Acquire(&p, circuitbreaker.Ask{})
			p.Failure(time.Time{}, "timeout", 0)
		})
		late := 0
		if reg.Get("target:p/m") != old {
			late = int(old.Late())
		}
		if got := reg.Get("target:p/m").Status(time.Time{}).FailureCount + late; got != 8 {
			t.Fatalf("%d of 8 verdicts are accounted for", got)
		}
	}
}

// Spec: breaker.md 7.1.
func TestAnOlderVersionNeverOverwritesANewerOne(t *testing.T) {
	store := &watched{Memory: storetest.NewMemory(), seen: map[string]uint64{}, t: t}
	reg := circuitbreaker.NewRegistry(circuitbreaker.Options{
		Store: store, FlushInterval: time.Microsecond, Default: rigSettings(), Logger: slog.New(slog.DiscardHandler),
	})
	reg.Start()
	sub := reg.Subscribe(100_000)
	defer sub.Close()
	name := func(i int) string { return fmt.Sprintf("target:p/%d", i%3) }
	together(8, func(i int) {
		for n := range 300 {
			var p circuitbreaker.Permit
			if reg.Get(name(i)).AcquireForced(&p, circuitbreaker.Ask{}, "test") == nil {
				p.Failure(time.Time{}, "timeout", 0)
			}
			switch {
			case n%100 == 99:
				reg.ResetAll(true)
			case n%10 == 9:
				_, _ = reg.Reset(name(i))
			case n%30 == 13:
				_, _ = reg.Isolate(name(i), "ana", "")
			case n%30 == 14:
				_, _ = reg.Release(name(i))
			}
		}
	})
	if err := reg.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	loaded, _ := store.Load(t.Context())
	rows := map[string]circuitbreaker.Snapshot{}
	for _, row := range loaded.Breakers {
		rows[row.Name] = row
	}
	for _, s := range reg.List(time.Time{}) {
		row, stored := rows[s.Name]
		if stored && (row.State != s.State || row.Version != s.Version || row.Failures != s.FailureCount) {
			t.Errorf("stored %+v, in memory %+v", row, s)
		}
		if !stored && (s.State != circuitbreaker.Closed || s.FailureCount != 0) {
			t.Errorf("not stored: %+v", s)
		}
	}
	inOrder(t, sub)
}

// inOrder fails unless the events of each breaker continue each other.
func inOrder(t *testing.T, sub *circuitbreaker.Subscription) {
	t.Helper()
	state, seq := map[string]circuitbreaker.State{}, map[string]uint64{}
	for {
		ev, _, err := sub.Next(t.Context())
		if err != nil {
			return
		}
		tr := ev.Transition
		if tr == nil {
			continue
		}
		if tr.From != state[tr.Name] || tr.Seq <= seq[tr.Name] {
			t.Fatalf("%+v follows %s, number %d", tr, state[tr.Name], seq[tr.Name])
		}
		state[tr.Name], seq[tr.Name] = tr.To, tr.Seq
	}
}
