package circuitbreaker_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Spec: breaker.md 4, by number.

// failProbe lets the wait pass and fails the probe.
func (r *rig) failProbe(kind circuitbreaker.Kind, hint time.Duration) {
	r.Helper()
	r.now = r.status().RetryAt
	r.acquire().Failure(r.now, kind, hint)
}

func TestTheWaitDoublesWithEachFailedRecoveryUpToTheMultiplier(t *testing.T) {
	r := newRig(t)
	r.trip()
	for _, seconds := range []int{30, 60, 120, 240, 480, 480, 480} {
		want := time.Duration(seconds) * time.Second
		if got := r.wait(); got != want {
			t.Fatalf("wait %v, want %v", got, want)
		}
		if got := r.status().EffectiveResetTimeout; got != want {
			t.Fatalf("shown as %v, want %v", got, want)
		}
		r.failProbe("timeout", 0)
	}
}

// 1
func TestBackoffAfterFailedRecoveriesPassBeforeTheFirstDoubling(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) { s.BackoffAfter = 2 })
	r.trip()
	for _, seconds := range []int{30, 30, 30, 60, 120} {
		want := time.Duration(seconds) * time.Second
		if got := r.wait(); got != want {
			t.Fatalf("wait %v, want %v", got, want)
		}
		r.failProbe("timeout", 0)
	}
}

// 2
func TestARetryAfterIsAFloorClampedToTheLargerOfItsMaximumAndTheBase(t *testing.T) {
	for name, test := range map[string]struct {
		base, hint, want time.Duration
	}{
		"under the wait":           {30 * time.Second, 10 * time.Second, 30 * time.Second},
		"over the wait":            {30 * time.Second, 2 * time.Minute, 2 * time.Minute},
		"clamped to the maximum":   {30 * time.Second, 18 * 24 * time.Hour, 5 * time.Minute},
		"clamped to a longer base": {time.Hour, 18 * 24 * time.Hour, time.Hour},
		"in the past":              {30 * time.Second, -time.Hour, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(s *circuitbreaker.Settings) { s.FailureThreshold, s.ResetTimeout = 1, test.base })
			r.acquire().Failure(r.now, "timeout", test.hint)
			if got := r.wait(); got != test.want {
				t.Errorf("wait %v, want %v", got, test.want)
			}
		})
	}
}

// 3
func TestJitterLengthensAWaitButNeverUnderTheFloor(t *testing.T) {
	for name, test := range map[string]struct {
		draw       float64
		hint, want time.Duration
	}{
		"nothing drawn":      {0, 0, 30 * time.Second},
		"half drawn":         {0.5, 0, 31500 * time.Millisecond},
		"a floor above":      {0.5, time.Minute, time.Minute},
		"a floor in between": {0.5, 31 * time.Second, 31500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			s := rigSettings(func(s *circuitbreaker.Settings) { s.FailureThreshold, s.Jitter = 1, 100_000 })
			b := circuitbreaker.New("target:p/m", s, circuitbreaker.Options{Rand: func() float64 { return test.draw }})
			now := time.Now()
			var p circuitbreaker.Permit
			_ = b.Acquire(&p, circuitbreaker.Ask{Now: now})
			p.Failure(now, "timeout", test.hint)
			if got := b.Status(now).RetryAfter; got != test.want {
				t.Errorf("wait %v, want %v", got, test.want)
			}
		})
	}
}

// 4
func TestNoArithmeticWraps(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) {
		s.ResetTimeout, s.RetryAfterMax, s.Jitter = math.MaxInt64/4, math.MaxInt64, 1_000_000
	})
	r.fail(4, "timeout")
	r.acquire().Failure(r.now, "timeout", math.MaxInt64)
	if got := r.refused(circuitbreaker.ReasonOpen).RetryAfter(r.now); got < math.MaxInt64/4 {
		t.Errorf("refused for %v", got)
	}
	r.restart(func(s *circuitbreaker.Settings) { s.ResetTimeout = math.MaxInt64 })
	r.want(circuitbreaker.Open)
}

// 4
func TestAfterManyFailedProbesTheWaitIsStillTheMaximum(t *testing.T) {
	r := newRig(t)
	r.trip()
	for range 200 {
		r.failProbe("timeout", 0)
	}
	if got := r.wait(); got != 480*time.Second {
		t.Errorf("wait %v, want 8m", got)
	}
}

// 5
func TestARestoredDeadlineIsClampedToOneMaximumWait(t *testing.T) {
	r := newRig(t)
	r.trip()
	r.flush()
	r.pass(-24 * time.Hour) // the clock is set back
	r.boot(rigSettings())
	if got := r.wait(); got != 480*time.Second {
		t.Errorf("wait %v, want 8m", got)
	}
}

// 5
func TestInTheProcessWaitsUseTheMonotonicClock(t *testing.T) {
	b := circuitbreaker.New("target:p/m", rigSettings(func(s *circuitbreaker.Settings) { s.FailureThreshold = 1 }), circuitbreaker.Options{})
	var p circuitbreaker.Permit
	_ = b.Acquire(&p, circuitbreaker.Ask{})
	p.Failure(time.Time{}, "timeout", 0)
	refused := b.Acquire(&p, circuitbreaker.Ask{})
	if refused == nil || !strings.Contains(refused.RetryAt.String(), "m=+") {
		t.Errorf("%#v has no monotonic reading", refused)
	}
}

// 6
func TestTheRetryAfterOfAProbingRefusalIsTheEndOfTheOldestLeaseAtLeastASecond(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) { s.HalfOpenRequests, s.ProbeTimeout = 2, 10*time.Second })
	r.probing()
	r.acquire()
	r.pass(4 * time.Second)
	r.acquire()
	for _, step := range []struct{ pass, want time.Duration }{{0, 6 * time.Second}, {5500 * time.Millisecond, time.Second}} {
		r.pass(step.pass)
		if got := r.refused(circuitbreaker.ReasonProbing).RetryAfter(r.now); got != step.want {
			t.Errorf("retry after %v, want %v", got, step.want)
		}
		if got := r.status().RetryAfter; got != step.want {
			t.Errorf("shown as %v, want %v", got, step.want)
		}
	}
}
