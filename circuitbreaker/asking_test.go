package circuitbreaker_test

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Spec: breaker.md 2, by number.

// 2.1
func TestALookShowsWhatTheMeasureGivesNowAndChangesNothing(t *testing.T) {
	r := newRig(t)
	r.fail(3, "server_error")
	r.pass(10*time.Minute + time.Millisecond)
	for range 2 {
		s := r.status()
		if s.State != circuitbreaker.Closed || s.FailureCount != 0 || s.Reason != "degraded" {
			t.Fatalf("a look shows %+v", s)
		}
		if all := r.reg.List(r.now); len(all) != 1 || !reflect.DeepEqual(all[0], s) {
			t.Fatalf("the listing shows %+v", all)
		}
		if n := len(r.reg.Transitions(r.name)); n != 1 {
			t.Fatalf("a look made a transition: %d", n)
		}
	}
	r.acquire().NoVerdict(r.now)
	if got := r.reasons(); len(got) != 2 || got[1] != circuitbreaker.ReasonRecovered {
		t.Errorf("the next acquire did not make the transition: %v", got)
	}
}

// 2.1
func TestALookTakesNoProbe(t *testing.T) {
	r := newRig(t)
	r.probing()
	for range 3 {
		if refused := r.breaker.Peek(r.ask()); refused != nil {
			t.Fatalf("Peek: %v", refused)
		}
		r.want(circuitbreaker.Open)
	}
	if p := r.acquire(); !p.Probe() {
		t.Error("the probe was taken")
	}
	if refused := r.breaker.Peek(r.ask()); refused == nil || refused.Reason != circuitbreaker.ReasonProbing {
		t.Errorf("Peek: %v", refused)
	}
}

// 2.2
func TestALateSuccessDoesNotCloseAnOpenBreaker(t *testing.T) {
	r := newRig(t)
	early := r.acquire()
	r.probing()
	probe := r.acquire()
	early.Success(r.now)
	r.want(circuitbreaker.HalfOpen)
	if late := r.breaker.Late(); late != 1 {
		t.Errorf("%d late verdicts, want 1", late)
	}
	probe.NoVerdict(r.now)
	r.settled()
}

// 2.2
func TestTheFailuresOfRequestsUnderWayAllCountInClosedAndDegraded(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) { s.FailureThreshold = 100 })
	permits := make([]*circuitbreaker.Permit, 100)
	for i := range permits {
		permits[i] = r.acquire()
	}
	for _, p := range permits {
		p.Failure(r.now, "timeout", 0)
	}
	r.want(circuitbreaker.Open)
	r.wantCount(100)
}

// 2.3
func TestAProbeWithoutVerdictGivesItsSlotBackAtOnce(t *testing.T) {
	r := newRig(t)
	r.probing()
	p := r.acquire()
	r.refused(circuitbreaker.ReasonProbing)
	p.NoVerdict(r.now)
	r.acquire().Success(r.now)
	r.want(circuitbreaker.Closed)
}

// 2.4
func TestAProbeThatIsNeverSettledLosesItsSlotAfterItsLease(t *testing.T) {
	r := newRig(t)
	r.probing()
	lost := r.acquire()
	r.pass(30*time.Second - 1)
	r.refused(circuitbreaker.ReasonProbing)
	r.pass(1)
	next := r.acquire()
	lost.Failure(r.now, "timeout", 0)
	r.want(circuitbreaker.HalfOpen)
	r.refused(circuitbreaker.ReasonProbing)
	next.Success(r.now)
	r.want(circuitbreaker.Closed)
}

// 2.4
func TestTheLeaseIsTheLongestOfBaseHalfAMinuteAndTheAttemptsLimit(t *testing.T) {
	for name, test := range map[string]struct {
		change with
		asked  time.Duration
		want   time.Duration
	}{
		"half a minute":           {func(s *circuitbreaker.Settings) { s.ResetTimeout = time.Second }, time.Second, 30 * time.Second},
		"the base of the wait":    {func(s *circuitbreaker.Settings) { s.ResetTimeout = time.Minute }, time.Second, time.Minute},
		"the attempt's own limit": {func(*circuitbreaker.Settings) {}, 2 * time.Minute, 2 * time.Minute},
		"probe_timeout overrides": {func(s *circuitbreaker.Settings) { s.ProbeTimeout = 3 * time.Second }, 2 * time.Minute, 3 * time.Second},
		"the base of the wait's kind": {func(s *circuitbreaker.Settings) {
			s.Kinds = map[circuitbreaker.Kind]circuitbreaker.KindSettings{"server_error": {Threshold: 1, Cooldown: new(time.Hour)}}
		}, 0, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, test.change)
			r.probing()
			a := r.ask()
			a.Lease = test.asked
			var p circuitbreaker.Permit
			if refused := r.breaker.Acquire(&p, a); refused != nil {
				t.Fatal(refused)
			}
			if got := r.refused(circuitbreaker.ReasonProbing).RetryAfter(r.now); got != test.want {
				t.Errorf("lease %v, want %v", got, test.want)
			}
		})
	}
}

// 2.5
func TestProgressEndsTheLeaseAndFreesTheSlotWhileTheVerdictStaysOpen(t *testing.T) {
	r := newRig(t)
	r.probing()
	first := r.acquire()
	first.Progress(r.now)
	second := r.acquire()
	if !second.Probe() {
		t.Fatal("the slot was not free")
	}
	r.pass(time.Hour)
	first.Success(r.now)
	r.want(circuitbreaker.Closed)
	second.Failure(r.now, "timeout", 0)
	r.want(circuitbreaker.Closed)
	r.wantCount(0)
}

// 2.5
func TestTheFirstProbeThatDoesNotEndWellReopens(t *testing.T) {
	r := newRig(t)
	r.probing()
	p := r.acquire()
	p.Progress(r.now)
	q := r.acquire()
	p.Failure(r.now, "truncated", 0)
	r.want(circuitbreaker.Open)
	q.Success(r.now)
	r.want(circuitbreaker.Open)
}

// 2.5
func TestAtMostEightProbesPerSlotAreUnsettled(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) { s.HalfOpenRequests = 2; s.HalfOpenSuccesses = 100 })
	r.probing()
	var permits []*circuitbreaker.Permit
	for range 16 {
		p := r.acquire()
		p.Progress(r.now)
		permits = append(permits, p)
	}
	if refused := r.refused(circuitbreaker.ReasonProbing); refused.RetryAfter(r.now) != time.Second {
		t.Errorf("retry after %v, want 1s", refused.RetryAfter(r.now))
	}
	permits[7].Success(r.now)
	r.acquire().NoVerdict(r.now)
}

// 2.6
func TestSettlingTwiceDoesNothing(t *testing.T) {
	r := newRig(t)
	p := r.acquire()
	p.Failure(r.now, "timeout", 0)
	p.Failure(r.now, "timeout", 0)
	p.Success(r.now)
	p.NoVerdict(r.now)
	r.wantCount(1)
	r.settled()
}

// 2.6
func TestADroppedPermitIsFound(t *testing.T) {
	r := newRig(t)
	r.acquire()
	if left := r.reg.Unsettled(); left[r.name] != 1 {
		t.Errorf("unsettled %v, want 1", left)
	}
}

// 2.7
func TestDoSettlesByWhatTheFunctionReturns(t *testing.T) {
	for name, test := range map[string]struct {
		err      error
		cancel   bool
		failures int
		kind     circuitbreaker.Kind
	}{
		"nil is a success":                        {},
		"an error is a failure":                   {err: errors.New("boom"), failures: 1},
		"a KindError tells its kind":              {err: &circuitbreaker.KindError{Kind: "timeout"}, failures: 1, kind: "timeout"},
		"an UnchargedError is no verdict":         {err: &circuitbreaker.UnchargedError{Err: errors.New("bad request")}},
		"whatever follows a cancel is no verdict": {err: errors.New("boom"), cancel: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := r.breaker.Do(ctx, func(context.Context) error {
				if test.cancel {
					cancel()
				}
				return test.err
			})
			if !errors.Is(err, test.err) {
				t.Errorf("Do returned %v, want %v", err, test.err)
			}
			if s := r.status(); s.FailureCount != test.failures || s.LastFailureKind != test.kind {
				t.Errorf("%d failures of kind %q", s.FailureCount, s.LastFailureKind)
			}
			r.settled()
		})
	}
}

// 2.7
func TestAPanicInDoIsAFailureAndGoesOn(t *testing.T) {
	r := newRig(t)
	func() {
		defer func() {
			if recover() != "boom" {
				t.Error("the panic did not go on")
			}
		}()
		_ = r.breaker.Do(t.Context(), func(context.Context) error { panic("boom") })
	}()
	r.wantCount(1)
	r.settled()
}

// 2.7
func TestDoReturnsTheRefusalAndDoesNotRunTheFunction(t *testing.T) {
	r := newRig(t)
	r.trip()
	err := r.breaker.Do(t.Context(), func(context.Context) error { t.Error("it ran"); return nil })
	if refused, ok := errors.AsType[*circuitbreaker.OpenError](err); !ok || refused.Reason != circuitbreaker.ReasonOpen {
		t.Errorf("error %v", err)
	}
}

// 2.8
func TestFailuresWhileOpenMoveNeitherTheDeadlineNorTheBackOff(t *testing.T) {
	r := newRig(t)
	early := r.acquire()
	r.trip()
	before := r.status()
	r.pass(time.Second)
	early.Failure(r.now, "timeout", time.Hour)
	r.force().Failure(r.now, "timeout", time.Hour)
	after := r.status()
	if after.RetryAt != before.RetryAt || after.OpenCycle != before.OpenCycle || after.LastFailureAt != before.LastFailureAt {
		t.Errorf("before %+v\nafter  %+v", before, after)
	}
}

// 2.9
func TestOfAHundredCallersAtTheInstantTheWaitPassesExactlyTheProbesGetThrough(t *testing.T) {
	for _, slots := range []int{1, 3} {
		r := newRig(t, func(s *circuitbreaker.Settings) { s.HalfOpenRequests = slots })
		r.probing()
		var admitted atomic.Int64
		var wg sync.WaitGroup
		start := make(chan struct{})
		for range 100 {
			wg.Go(func() {
				<-start
				var p circuitbreaker.Permit
				if r.breaker.Acquire(&p, circuitbreaker.Ask{Now: r.now}) == nil {
					admitted.Add(1)
				}
			})
		}
		close(start)
		wg.Wait()
		if got := int(admitted.Load()); got != slots {
			t.Errorf("%d got through, want %d", got, slots)
		}
	}
}

// 2.10
func TestAClientsOwnFaultNeitherCountsNorClosesNorReopensNorResetsACount(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) { s.Measure = circuitbreaker.Consecutive })
	r.fail(2, "server_error")
	r.acquire().NoVerdict(r.now)
	r.wantCount(2)
	r.probing()
	r.acquire().NoVerdict(r.now)
	r.want(circuitbreaker.HalfOpen)
	if r.status().OpenCycle != 0 {
		t.Error("it moved the back-off")
	}
}
