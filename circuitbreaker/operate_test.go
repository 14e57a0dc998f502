package circuitbreaker_test

import (
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Spec: breaker.md 5.

func TestAResetClearsEverythingDeletesTheRowAndBeginsANewGeneration(t *testing.T) {
	r := newRig(t, cooldown(5*time.Second))
	early := r.acquire()
	r.trip()
	r.flush()
	status, err := r.reg.Reset(r.name)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []circuitbreaker.Status{status, r.status()} {
		if s.State != circuitbreaker.Closed || s.FailureCount != 0 || len(s.KindCounts) != 0 || s.OpenCycle != 0 || !s.RetryAt.IsZero() ||
			!s.CooldownUntil.IsZero() || s.LastFailureKind != "" || s.Reason != circuitbreaker.ReasonManualReset {
			t.Errorf("after a reset: %+v", s)
		}
	}
	early.Failure(r.now, "timeout", 0)
	r.wantCount(0)
	r.flush()
	if loaded, _ := r.store.Load(t.Context()); len(loaded.Breakers) != 0 {
		t.Errorf("rows left: %+v", loaded.Breakers)
	}
	batches := r.store.Applied()
	if last := batches[len(batches)-1]; !last.Sync {
		t.Errorf("the batch would not survive a power loss: %+v", last)
	}
	if ts := r.reg.Transitions(r.name); ts[len(ts)-1].Reason != circuitbreaker.ReasonManualReset || ts[len(ts)-1].From != circuitbreaker.Open {
		t.Errorf("transitions %+v", ts)
	}
}

func TestAResetByNameIncludesAnIsolatedBreaker(t *testing.T) {
	r := newRig(t)
	_, _ = r.reg.Isolate(r.name, "ana", "")
	if s, err := r.reg.Reset(r.name); err != nil || s.State != circuitbreaker.Closed || s.Isolated != nil {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestResetAllLeavesIsolatedBreakersAloneUnlessAskedToIncludeThem(t *testing.T) {
	h := newThree(t)
	h.trip()
	h.on("key:p/k").fail(1, "timeout")
	_, _ = h.reg.Isolate("provider:p", "ana", "")
	reset, isolated := h.reg.ResetAll(false)
	if !slices.Equal(reset, []string{"key:p/k", h.name}) || !slices.Equal(isolated, []string{"provider:p"}) {
		t.Errorf("reset %v, left %v", reset, isolated)
	}
	h.want(circuitbreaker.Closed)
	h.flush()
	loaded, _ := h.store.Load(t.Context())
	if len(loaded.Breakers) != 1 || loaded.Breakers[0].Name != "provider:p" || loaded.Breakers[0].State != circuitbreaker.Isolated {
		t.Errorf("rows %+v", loaded.Breakers)
	}
	if reset, isolated = h.reg.ResetAll(true); !slices.Equal(reset, []string{"provider:p"}) || len(isolated) != 0 {
		t.Errorf("reset %v, left %v", reset, isolated)
	}
	if reset, isolated = h.reg.ResetAll(true); len(reset) != 0 || len(isolated) != 0 {
		t.Errorf("there was nothing left, but it reset %v and left %v", reset, isolated)
	}
}

func TestAResetOfAllNamesWhatItResetAndWhatItLeftInOrder(t *testing.T) {
	r := newRig(t)
	var left, sick []string
	for _, letter := range "cbaedhgf" {
		held, ill := "target:held/"+string(letter), "target:ill/"+string(letter)
		r.reg.Get(held)
		if _, err := r.reg.Isolate(held, "ana", ""); err != nil {
			t.Fatal(err)
		}
		r.breaker = r.reg.Get(ill)
		r.fail(1, "timeout")
		left, sick = append(left, held), append(sick, ill)
	}
	slices.Sort(left)
	slices.Sort(sick)
	if reset, isolated := r.reg.ResetAll(false); !slices.Equal(reset, sick) || !slices.Equal(isolated, left) {
		t.Errorf("reset %v, left %v", reset, isolated)
	}
}

func TestAResetOfAllShowsWhatAResetByNameShows(t *testing.T) {
	shown := func(reset func(*rig)) (circuitbreaker.Status, uint64) {
		r := newRig(t)
		r.trip()
		late := r.force()
		r.pass(time.Second)
		reset(r)
		late.Success(r.now)
		ts := r.reg.Transitions(r.name)
		s, _ := r.reg.Status(r.name, r.now)
		if !s.UpdatedAt.Equal(r.now) {
			t.Errorf("updated at %v, want %v", s.UpdatedAt, r.now)
		}
		r.flush()
		if loaded, _ := r.store.Load(t.Context()); len(loaded.Breakers) != 0 {
			t.Errorf("rows left: %+v", loaded.Breakers)
		}
		return s, ts[len(ts)-1].Seq
	}
	one, oneSeq := shown(func(r *rig) { _, _ = r.reg.Reset(r.name) })
	all, allSeq := shown(func(r *rig) { r.reg.ResetAll(false) })
	if one.Version != oneSeq || all.Version != allSeq {
		t.Errorf("versions %d and %d, want those of the transitions, %d and %d", one.Version, all.Version, oneSeq, allSeq)
	}
	one.Version, all.Version = 0, 0
	if one.Reason != circuitbreaker.ReasonManualReset || !reflect.DeepEqual(one, all) {
		t.Errorf("a reset by name shows\n%+v, one of all\n%+v", one, all)
	}
}

// 5, 7.5: an operator may hold what can't be read.
func TestAResetOfAllLeavesRowsThatCantBeReadUnlessAskedToIncludeIsolated(t *testing.T) {
	for name, test := range map[string]struct {
		before   func(*rig)
		included bool
		reset    []string
		left     []string
		kept     []string
	}{
		"they are left and named": {
			reset: []string{"target:p/ill"}, left: []string{"provider:p", "target:p/m", "target:p/odd"}, kept: []string{"target:p/m", "target:p/odd"},
		},
		"they are deleted and named if isolated ones are included": {
			included: true, reset: []string{"provider:p", "target:p/ill", "target:p/m", "target:p/odd"},
		},
		"one that was replaced by a newer row is none": {
			before: func(r *rig) { r.fail(1, "timeout"); r.flush() },
			reset:  []string{"target:p/ill", "target:p/m"}, left: []string{"provider:p", "target:p/odd"}, kept: []string{"target:p/odd"},
		},
		"one that is reset by name afterwards is gone": {
			before: func(r *rig) {
				r.reg.ResetAll(false)
				_, _ = r.reg.Reset(r.name)
			},
			left: []string{"provider:p", "target:p/odd"}, kept: []string{"target:p/odd"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.store.Damage(r.name, 7, errors.New("bad json"))
			odd := circuitbreaker.Snapshot{Name: "target:p/odd", Version: 8, State: circuitbreaker.Open} // without a deadline
			if err := r.store.Apply(t.Context(), circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{odd}}); err != nil {
				t.Fatal(err)
			}
			r.reg = circuitbreaker.NewRegistry(circuitbreaker.Options{
				Store: r.store, Now: func() time.Time { return r.now }, Logger: slog.New(slog.DiscardHandler), Default: rigSettings(),
			})
			if err := r.reg.Restore(t.Context()); err != nil {
				t.Fatal(err)
			}
			r.reg.Get("provider:p")
			_, _ = r.reg.Isolate("provider:p", "ana", "")
			r.breaker = r.reg.Get("target:p/ill")
			r.fail(1, "timeout")
			r.breaker = r.reg.Get(r.name)
			if test.before != nil {
				test.before(r)
			}
			reset, left := r.reg.ResetAll(test.included)
			if !slices.Equal(reset, test.reset) || !slices.Equal(left, test.left) {
				t.Errorf("reset %v, left %v; want %v and %v", reset, left, test.reset, test.left)
			}
			r.flush()
			loaded, _ := r.store.Load(t.Context())
			var kept []string
			for _, row := range loaded.Unreadable {
				kept = append(kept, row.Name)
			}
			for _, row := range loaded.Breakers {
				if row.State != circuitbreaker.Isolated {
					kept = append(kept, row.Name)
				}
			}
			if !slices.Equal(kept, test.kept) {
				t.Errorf("rows kept %v, want %v", kept, test.kept)
			}
			if reset, left := r.reg.ResetAll(true); len(test.left) > 0 && !slices.Equal(reset, test.left) || len(left) != 0 {
				t.Errorf("including what was left, it reset %v and left %v, want %v and nothing", reset, left, test.left)
			}
		})
	}
}

// 5, 7.5
func TestAResetOfAllBeforeTheStoreCouldBeReadLeavesWhatAnOperatorHolds(t *testing.T) {
	for name, test := range map[string]struct {
		included bool
		want     []string // rows that are left after it, and after a restart
	}{
		"unless asked to include it": {true, nil},
		"and nothing else":           {false, []string{"target:p/held", "target:p/odd"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.reg.Get("target:p/ill")
			r.reg.Configure(t.Context(), map[string]circuitbreaker.Configured{
				"target:p/ill": {Settings: rigSettings()}, "target:p/held": {Settings: rigSettings()},
			})
			r.breaker = r.reg.Get("target:p/ill")
			r.trip()
			_, _ = r.reg.Isolate("target:p/held", "ana", "")
			r.flush()
			r.store.Damage("target:p/odd", 7, errors.New("bad json"))

			r.store.Fail(errors.New("no disk"))
			r.reg = circuitbreaker.NewRegistry(circuitbreaker.Options{
				Store: r.store, Now: func() time.Time { return r.now }, Logger: slog.New(slog.DiscardHandler), Default: rigSettings(),
			})
			if err := r.reg.Restore(t.Context()); err == nil {
				t.Fatal("restored from a store that fails")
			}
			r.reg.ResetAll(test.included)
			r.store.Fail(nil)
			r.flush()
			if s, _ := r.reg.Status("target:p/ill", r.now); s.State != circuitbreaker.Closed {
				t.Errorf("%s after a reset of all", s.State)
			}
			loaded, _ := r.store.Load(t.Context())
			var left []string
			for _, row := range loaded.Breakers {
				left = append(left, row.Name)
			}
			for _, row := range loaded.Unreadable {
				left = append(left, row.Name)
			}
			if !slices.Equal(left, test.want) {
				t.Errorf("rows left %v, want %v", left, test.want)
			}
			if s, _ := r.reg.Status("target:p/held", r.now); (s.State == circuitbreaker.Isolated) == test.included {
				t.Errorf("the one that was held is %s", s.State)
			}
		})
	}
}

func TestAPathGoesOnAfterAResetOfAll(t *testing.T) {
	h := newThree(t)
	under := h.send()
	h.trip()
	h.reg.ResetAll(false)
	under.Fail(h.now, circuitbreaker.ScopeTarget, "timeout", 0)
	h.send().Fail(h.now, circuitbreaker.ScopeTarget, "timeout", 0)
	if s, _ := h.reg.Status(h.name, h.now); s.FailureCount != 1 {
		t.Errorf("%d failures, want that of the permit given out after the reset", s.FailureCount)
	}
	h.wantCount(1) // a breaker that somebody kept speaks for the one that has its name now
}

func TestIsolateKeepsCountsAndCycleAndClearsThePark(t *testing.T) {
	r := newRig(t, cooldown(5*time.Second))
	r.trip()
	r.failProbe("timeout", 0)
	before := r.status()
	s, err := r.reg.Isolate(r.name, "ana", "billing")
	if err != nil || s.State != circuitbreaker.Isolated || s.FailureCount != before.FailureCount || s.OpenCycle != 1 || !s.RetryAt.IsZero() {
		t.Errorf("%+v, %v", s, err)
	}
	if s.Isolated == nil || s.Isolated.By != "ana" || s.Isolated.Reason != "billing" || !s.Isolated.At.Equal(r.now) {
		t.Errorf("isolated %+v", s.Isolated)
	}

	parked := newRig(t, cooldown(5*time.Second))
	parked.fail(1, "timeout")
	if s, _ := parked.reg.Isolate(parked.name, "ana", ""); !s.CooldownUntil.IsZero() || s.FailureCount != 1 {
		t.Errorf("%+v", s)
	}
}

func TestReleaseLetsOneProbeDecideAndAFailedOneWaitsAStepLonger(t *testing.T) {
	r := newRig(t)
	r.trip()
	_, _ = r.reg.Isolate(r.name, "ana", "")
	if s, err := r.reg.Release(r.name); err != nil || s.State != circuitbreaker.HalfOpen || s.Isolated != nil {
		t.Fatalf("%+v, %v", s, err)
	}
	probe := r.acquire()
	r.refused(circuitbreaker.ReasonProbing)
	probe.Failure(r.now, "timeout", 0)
	if got := r.wait(); got != time.Minute {
		t.Errorf("wait %v, want 1m", got)
	}
}

func TestOperatorActionsOnUnknownNamesSaySo(t *testing.T) {
	r := newRig(t)
	_, reset := r.reg.Reset("target:p/unknown")
	_, isolate := r.reg.Isolate("target:p/unknown", "ana", "")
	_, release := r.reg.Release("target:p/unknown")
	_, notHeld := r.reg.Release(r.name)
	for _, err := range []error{reset, isolate, release} {
		if !errors.Is(err, circuitbreaker.ErrUnknown) {
			t.Errorf("error %v", err)
		}
	}
	if !errors.Is(notHeld, circuitbreaker.ErrNotIsolated) {
		t.Errorf("error %v", notHeld)
	}
	if _, known := r.reg.Status("target:p/unknown", r.now); known {
		t.Error("the name is known now")
	}
}
