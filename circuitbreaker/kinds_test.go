package circuitbreaker_test

import (
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Spec: breaker.md 3, "Kinds", by number.

type kindRows = map[circuitbreaker.Kind]circuitbreaker.KindSettings

// 1
func TestInDecayASuccessTakesOneFromEachKind(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) { s.FailureThreshold = 10 })
	r.fail(2, "timeout")
	r.fail(2, "auth")
	r.succeed(1)
	s := r.status()
	if s.FailureCount != 3 || s.KindCounts["timeout"] != 1 || s.KindCounts["auth"] != 1 {
		t.Errorf("total %d, kinds %v", s.FailureCount, s.KindCounts)
	}
}

// 1
func TestClosingClearsEveryCountKindCycleDeadlineAndPark(t *testing.T) {
	r := newRig(t)
	r.fail(1, "auth")
	r.probing()
	r.acquire().Failure(r.now, "timeout", 0)
	r.now = r.status().RetryAt
	r.acquire().Success(r.now)
	s := r.status()
	if s.State != circuitbreaker.Closed || s.FailureCount != 0 || len(s.KindCounts) != 0 || s.OpenCycle != 0 ||
		!s.RetryAt.IsZero() || !s.OpenedAt.IsZero() || !s.CooldownUntil.IsZero() {
		t.Errorf("after closing: %+v", s)
	}
}

// 2
func TestImmediateOpenOpensOnItsThresholdWithoutPassingDegraded(t *testing.T) {
	for name, test := range map[string]struct{ threshold, failures int }{
		"1 if unset":    {0, 1},
		"its threshold": {2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, kinds(kindRows{"auth": {Threshold: test.threshold, ImmediateOpen: true}}))
			r.fail(test.failures-1, "auth")
			r.want(circuitbreaker.Closed)
			r.fail(1, "auth")
			r.want(circuitbreaker.Open)
			if got := r.reasons(); len(got) != 1 || got[0] != circuitbreaker.ReasonImmediateOpen {
				t.Errorf("reasons %v", got)
			}
		})
	}
}

// 3
func TestAKindOpensOnItsOwnThresholdFarFromTheTotal(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) { s.FailureThreshold = 100 }, kinds(kindRows{"rate_limit": {Threshold: 3}}))
	r.fail(5, "timeout")
	r.fail(2, "rate_limit")
	r.want(circuitbreaker.Closed)
	r.fail(1, "rate_limit")
	r.want(circuitbreaker.Open)
	r.wantCount(8)
	if got := r.reasons(); got[len(got)-1] != circuitbreaker.ReasonKindThreshold {
		t.Errorf("reasons %v", got)
	}
}

// 3
func TestIfKindAndTotalAreReachedTogetherTheKindIsTheReason(t *testing.T) {
	r := newRig(t, kinds(kindRows{"timeout": {Threshold: 5, Cooldown: new(time.Hour)}}))
	r.fail(5, "timeout")
	if got := r.wait(); got != time.Hour {
		t.Errorf("wait %v, want the kind's hour", got)
	}
}

// 4
func TestAFailedProbesOwnKindDecidesTheNewBaseAndTheCycleGoesOn(t *testing.T) {
	r := newRig(t, kinds(kindRows{"auth": {ImmediateOpen: true, Cooldown: new(10 * time.Minute)}}))
	r.fail(1, "auth")
	if got := r.wait(); got != 10*time.Minute {
		t.Fatalf("wait %v, want 10m", got)
	}
	for _, step := range []struct {
		kind circuitbreaker.Kind
		want time.Duration
	}{{"timeout", time.Minute}, {"auth", 40 * time.Minute}} {
		r.now = r.status().RetryAt
		r.fail(1, step.kind)
		if got := r.wait(); got != step.want {
			t.Errorf("after a probe failed with %s the wait is %v, want %v", step.kind, got, step.want)
		}
	}
}

// 5
func TestAKindOpensOnceAndTheSameWayAlsoForAForcedRequest(t *testing.T) {
	for name, send := range map[string]func(r *rig) *circuitbreaker.Permit{
		"asked": (*rig).acquire, "forced": (*rig).force,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, kinds(kindRows{"auth": {ImmediateOpen: true}}))
			sub := r.reg.Subscribe(10)
			defer sub.Close()
			first, second := send(r), send(r)
			first.Failure(r.now, "auth", 0)
			second.Failure(r.now, "auth", 0)
			r.flush()
			ev, _, err := sub.Next(t.Context())
			if err != nil || ev.Transition.Reason != circuitbreaker.ReasonImmediateOpen || ev.Transition.Kind != "auth" {
				t.Errorf("event %+v, %v", ev.Transition, err)
			}
			if n := len(r.reg.Transitions(r.name)); n != 1 {
				t.Errorf("%d transitions, want 1", n)
			}
		})
	}
}
