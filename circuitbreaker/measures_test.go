package circuitbreaker_test

import (
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Spec: breaker.md 3.

func measure(m circuitbreaker.Measure) with {
	return func(s *circuitbreaker.Settings) { s.Measure = m }
}

func kinds(rows map[circuitbreaker.Kind]circuitbreaker.KindSettings) with {
	return func(s *circuitbreaker.Settings) { s.Kinds = rows }
}

func TestOneSuccessSetsConsecutiveToZero(t *testing.T) {
	r := newRig(t, measure(circuitbreaker.Consecutive))
	r.fail(4, "server_error")
	r.succeed(1)
	r.wantCount(0)
	r.fail(4, "server_error")
	r.want(circuitbreaker.Degraded)
	r.fail(1, "server_error")
	r.want(circuitbreaker.Open)
}

func TestEachSuccessTakesOneFromDecayNeverUnderZero(t *testing.T) {
	r := newRig(t)
	r.fail(2, "server_error")
	r.succeed(1)
	r.wantCount(1)
	r.succeed(5)
	r.wantCount(0)
	r.fail(1, "server_error")
	r.wantCount(1)
}

func TestMarksAreComputedInIntegers(t *testing.T) {
	for name, test := range map[string]struct {
		threshold            int
		degraded, recovers   circuitbreaker.Fraction
		degradedAt, closedAt int
	}{
		"60 and 30 percent of 5":            {5, 600_000, 300_000, 3, 1},
		"29 percent of 100 is 29, not 28":   {100, 600_000, 290_000, 60, 29},
		"rounded up to degrade":             {10, 510_000, 300_000, 6, 3},
		"rounded down to recover":           {10, 600_000, 390_000, 6, 3},
		"a millionth over the mark is over": {10, 500_001, 100_000, 6, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(s *circuitbreaker.Settings) {
				s.FailureThreshold, s.DegradedAt, s.RecoversAt = test.threshold, test.degraded, test.recovers
			})
			r.fail(test.degradedAt-1, "server_error")
			r.want(circuitbreaker.Closed)
			r.fail(1, "server_error")
			r.want(circuitbreaker.Degraded)
			if got := r.status().DegradedAt; got != float64(test.degradedAt) {
				t.Errorf("the mark shown is %v", got)
			}
			r.succeed(test.degradedAt - test.closedAt - 1)
			r.want(circuitbreaker.Degraded)
			r.succeed(1)
			r.want(circuitbreaker.Closed)
		})
	}
}

func TestAThresholdOfOneOpensWithoutDegrading(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) { s.FailureThreshold = 1 })
	r.fail(1, "server_error")
	r.want(circuitbreaker.Open)
	if got := r.reasons(); len(got) != 1 {
		t.Errorf("reasons %v", got)
	}
}

func TestFailuresAreForgottenWhenTheLastIsLongerAgo(t *testing.T) {
	for _, m := range []circuitbreaker.Measure{circuitbreaker.Consecutive, circuitbreaker.Decay} {
		r := newRig(t, measure(m))
		r.fail(4, "server_error")
		r.pass(10 * time.Minute)
		r.wantCount(4)
		r.pass(1)
		r.wantCount(0)
		r.want(circuitbreaker.Closed)
		r.fail(1, "server_error")
		r.wantCount(1)
		r.want(circuitbreaker.Closed)
	}
}

func TestAFailureThresholdOfZeroTurnsCountingOffButNotImmediateOpen(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) { s.FailureThreshold = 0 },
		kinds(map[circuitbreaker.Kind]circuitbreaker.KindSettings{"auth": {ImmediateOpen: true}, "timeout": {Threshold: 2}}))
	r.fail(50, "timeout")
	r.want(circuitbreaker.Closed)
	r.fail(1, "auth")
	r.want(circuitbreaker.Open)
}

func TestTheWindowOpensAtItsShareOnceItHoldsTheVolume(t *testing.T) {
	r := newRig(t, measure(circuitbreaker.Window))
	r.fail(9, "server_error")
	if s := r.status(); s.State != circuitbreaker.Closed || s.MeasureValue != 0 || s.FailureCount != 9 {
		t.Fatalf("below the volume: %+v", s)
	}
	r.succeed(1) // the tenth request, a success: 9 of 10
	r.want(circuitbreaker.Open)
}

func TestTheWindowIsDegradedBetweenItsMarks(t *testing.T) {
	r := newRig(t, measure(circuitbreaker.Window))
	r.succeed(7)
	r.fail(2, "server_error")
	r.want(circuitbreaker.Closed)
	r.fail(1, "server_error") // 3 of 10: 0.6 x 0.5
	r.want(circuitbreaker.Degraded)
	if s := r.status(); s.MeasureValue != 0.3 || s.DegradedAt != 0.3 {
		t.Errorf("measure %v, mark %v", s.MeasureValue, s.DegradedAt)
	}
	r.succeed(9) // 3 of 19: over 0.15
	r.want(circuitbreaker.Degraded)
	r.succeed(1) // 3 of 20
	r.want(circuitbreaker.Closed)
}

func TestFailedAndTotalLeaveTheWindowTogetherBucketByBucketAlsoWithoutRequests(t *testing.T) {
	r := newRig(t, measure(circuitbreaker.Window))
	r.fail(4, "server_error")
	r.pass(5 * time.Second)
	r.succeed(6)
	r.want(circuitbreaker.Degraded) // 4 of 10
	r.pass(5*time.Second - 1)
	r.wantCount(4)
	r.pass(1)
	if s := r.status(); s.FailureCount != 0 || s.State != circuitbreaker.Closed || len(s.KindCounts) != 0 {
		t.Errorf("after the window: %+v", s)
	}
	if n := len(r.reg.Transitions(r.name)); n != 1 {
		t.Errorf("%d transitions, the look made one", n)
	}
}

func TestAnErrorThresholdOfZeroOpensOnTheFirstVerdictWhateverItIs(t *testing.T) {
	r := newRig(t, measure(circuitbreaker.Window), func(s *circuitbreaker.Settings) { s.ErrorThreshold = 0 })
	r.succeed(1)
	r.want(circuitbreaker.Open)
	if got := r.reasons(); len(got) != 1 {
		t.Errorf("reasons %v", got)
	}
}

func TestInAWindowNoKindParksButHintsDo(t *testing.T) {
	r := newRig(t, measure(circuitbreaker.Window),
		kinds(map[circuitbreaker.Kind]circuitbreaker.KindSettings{"rate_limit": {Park: new(5 * time.Second)}}))
	r.fail(1, "rate_limit")
	r.acquire().Failure(r.now, "rate_limit", 3*time.Second)
	if got := r.refused(circuitbreaker.ReasonCooldown).RetryAfter(r.now); got != 3*time.Second {
		t.Errorf("parked for %v, want 3s", got)
	}
}

func TestAnObserverAdmitsWhatItWouldRefuseWithAPermitThatSettlesAsLate(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) { s.Enforce = false })
	r.fail(5, "server_error")
	if s := r.status(); s.State != circuitbreaker.Closed || s.WouldBe != circuitbreaker.Open {
		t.Fatalf("state %s, would be %s", s.State, s.WouldBe)
	}
	r.succeed(3)
	if r.breaker.Late() != 3 || r.status().WouldBe != circuitbreaker.Open {
		t.Errorf("%d late, would be %s", r.breaker.Late(), r.status().WouldBe)
	}
	if refused := r.breaker.Peek(r.ask()); refused != nil {
		t.Errorf("Peek: %v", refused)
	}
	for _, tr := range r.reg.Transitions(r.name) {
		if tr.Enforce {
			t.Errorf("transition %+v is not marked", tr)
		}
	}
	r.pass(30 * time.Second)
	r.acquire().Success(r.now)
	if r.status().WouldBe != circuitbreaker.Closed {
		t.Error("the machine does not run")
	}
}
