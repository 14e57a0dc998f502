package circuitbreaker_test

import (
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Spec: breaker.md 4, "Cooldown" and "Forced requests", by number.

func cooldown(d time.Duration) with {
	return func(s *circuitbreaker.Settings) { s.Cooldown = d }
}

func TestABreakerThatStaysClosedIsParkedAfterAFailure(t *testing.T) {
	for name, test := range map[string]struct {
		cooldown   time.Duration
		park       *time.Duration
		hint, want time.Duration
		hinted     bool
	}{
		"for the cooldown":                   {cooldown: 5 * time.Second, want: 5 * time.Second},
		"for the kind's own park":            {cooldown: 5 * time.Second, park: new(10 * time.Second), want: 10 * time.Second},
		"for a longer hint":                  {cooldown: 5 * time.Second, hint: 20 * time.Second, want: 20 * time.Second, hinted: true},
		"not for a shorter hint alone":       {cooldown: 5 * time.Second, hint: 2 * time.Second, want: 5 * time.Second, hinted: true},
		"at most for retry_after_max":        {cooldown: 5 * time.Second, hint: time.Hour, want: 5 * time.Minute, hinted: true},
		"by a hint where cooldowns are off":  {hint: 20 * time.Second, want: 20 * time.Second, hinted: true},
		"not at all where cooldowns are off": {},
		"not at all by a kind that says so":  {cooldown: 5 * time.Second, park: new(time.Duration(0))},
		"not at all by a hint in the past":   {hint: -time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, cooldown(test.cooldown), kinds(kindRows{"rate_limit": {Park: test.park}}))
			park := r.acquire().Failure(r.now, "rate_limit", test.hint)
			if (park != 0) != (test.want != 0) {
				t.Errorf("park %d", park)
			}
			if test.want == 0 {
				r.acquire().NoVerdict(r.now)
				return
			}
			refused := r.refused(circuitbreaker.ReasonCooldown)
			if refused.RetryAfter(r.now) != test.want || refused.Hinted != test.hinted || refused.State != circuitbreaker.Closed {
				t.Errorf("refusal %+v after %v", refused, refused.RetryAfter(r.now))
			}
			r.pass(test.want)
			r.acquire().NoVerdict(r.now)
		})
	}
}

// 1
func TestAParkIsOnlyEverExtended(t *testing.T) {
	r := newRig(t, cooldown(5*time.Second))
	a, b, c := r.acquire(), r.acquire(), r.acquire()
	first := a.Failure(r.now, "timeout", time.Minute)
	if second := b.Failure(r.now, "timeout", 0); second != 0 {
		t.Errorf("a shorter one began park %d", second)
	}
	if got := r.refused(circuitbreaker.ReasonCooldown).RetryAfter(r.now); got != time.Minute {
		t.Errorf("parked for %v, want 1m", got)
	}
	if third := c.Failure(r.now, "timeout", 2*time.Minute); third <= first {
		t.Errorf("a longer one began park %d after %d", third, first)
	}
	if got := r.refused(circuitbreaker.ReasonCooldown).RetryAfter(r.now); got != 2*time.Minute {
		t.Errorf("parked for %v, want 2m", got)
	}
}

// 1
func TestASuccessOfARequestAdmittedAfterTheParkBeganEndsItAndNoOther(t *testing.T) {
	r := newRig(t, cooldown(5*time.Second))
	before, failing := r.acquire(), r.acquire()
	failing.Failure(r.now, "timeout", 0)
	after := r.force()
	before.Success(r.now)
	r.refused(circuitbreaker.ReasonCooldown)
	after.Success(r.now)
	r.acquire().NoVerdict(r.now)
}

// 2
func TestOpeningTakesTheParkIn(t *testing.T) {
	r := newRig(t, cooldown(5*time.Second), func(s *circuitbreaker.Settings) { s.FailureThreshold = 2 })
	a, b := r.acquire(), r.acquire()
	a.Failure(r.now, "timeout", 2*time.Minute)
	b.Failure(r.now, "timeout", 0)
	if got := r.wait(); got != 2*time.Minute {
		t.Errorf("wait %v, want the park's 2m", got)
	}
	if s := r.status(); !s.CooldownUntil.IsZero() {
		t.Errorf("the park is still there: %+v", s)
	}
}

// 3
func TestAWalkIgnoresTheParksItBeganAndHeedsEverybodyElses(t *testing.T) {
	r := newRig(t, cooldown(5*time.Second), func(s *circuitbreaker.Settings) { s.FailureThreshold = 10 })
	mine, theirs := r.acquire(), r.acquire()
	own := mine.Failure(r.now, "timeout", 0)
	again := circuitbreaker.Ask{Now: r.now, IgnoreParks: []uint64{own}}
	var p circuitbreaker.Permit
	if refused := r.breaker.Acquire(&p, again); refused != nil {
		t.Fatalf("its own park refuses it: %v", refused)
	}
	r.pass(time.Second)
	theirs.Failure(r.now, "timeout", 0)
	if own = p.Failure(r.now.Add(time.Second), "timeout", 0); own == 0 {
		t.Fatal("no park began")
	}
	again = circuitbreaker.Ask{Now: r.now, IgnoreParks: append(again.IgnoreParks, own)}
	if refused := r.breaker.Acquire(&p, again); refused == nil || refused.RetryAfter(r.now) != 5*time.Second {
		t.Errorf("somebody else's park does not hold: %v", refused)
	}
	r.wantCount(3)
}

// 4
func TestFailuresAcrossParksAddUpUntilTheLongerWindowTakesOver(t *testing.T) {
	r := newRig(t, cooldown(5*time.Second))
	for range 5 {
		r.fail(1, "timeout")
		r.pass(5 * time.Second)
	}
	r.want(circuitbreaker.Open)
}

// 4
func TestALongParkIsListedPersistedRestoredAndReset(t *testing.T) {
	r := newRig(t, cooldown(5*time.Second))
	r.fail(1, "timeout")
	until := r.now.Add(5 * time.Second)
	r.restart(cooldown(5 * time.Second))
	if got := r.status().CooldownUntil; !got.Equal(until) {
		t.Fatalf("parked until %v, want %v", got, until)
	}
	if refused := r.refused(circuitbreaker.ReasonCooldown); !refused.RetryAt.Equal(until) {
		t.Errorf("refused until %v", refused.RetryAt)
	}
	if _, err := r.reg.Reset(r.name); err != nil {
		t.Fatal(err)
	}
	r.acquire().NoVerdict(r.now)
}

// 4
func TestAParkIsNoLongerThanItWasWhenTheClockWasSetBackMeanwhile(t *testing.T) {
	r := newRig(t, cooldown(5*time.Second))
	r.fail(1, "timeout")
	r.flush()
	r.pass(-time.Hour)
	r.boot(rigSettings(cooldown(5 * time.Second)))
	if got, want := r.status().CooldownUntil, r.now.Add(5*time.Second); !got.Equal(want) {
		t.Errorf("parked until %v, want %v", got, want)
	}
}

// 4
func TestAShortParkDoesNotSurviveARestart(t *testing.T) {
	r := newRig(t, cooldown(time.Second))
	r.fail(1, "timeout")
	r.restart(cooldown(time.Second))
	r.acquire().NoVerdict(r.now)
	r.wantCount(1)
}

// Forced 1
func TestAForcedVerdictOfAParkedBreakerCountsAsAnyOther(t *testing.T) {
	r := newRig(t, cooldown(5*time.Second))
	r.fail(1, "timeout")
	p := r.force()
	if !p.Forced() || p.Probe() {
		t.Error("the permit is not a forced one")
	}
	p.Failure(r.now, "timeout", 0)
	r.wantCount(2)
}

// Forced: only those that refuse give a forced permit.
func TestForcingWhatWouldBeAdmittedGivesAnOrdinaryPermit(t *testing.T) {
	r := newRig(t)
	if p := r.force(); p.Forced() {
		t.Error("CLOSED gave a forced permit")
	}
	r.probing()
	if p := r.force(); p.Forced() || !p.Probe() {
		t.Error("a passed wait gave a forced permit")
	}
}

// Forced 2
func TestAForcedSuccessInOpenIsEvidenceOfNow(t *testing.T) {
	for name, test := range map[string]struct {
		successes int
		want      circuitbreaker.State
		reasons   []string
	}{
		"and closes if it is enough":     {1, circuitbreaker.Closed, []string{"forced", "probe-succeeded"}},
		"and counts as one if it is not": {2, circuitbreaker.HalfOpen, []string{"forced"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(s *circuitbreaker.Settings) { s.FailureThreshold, s.HalfOpenSuccesses = 1, test.successes })
			r.trip()
			p, q := r.force(), r.force()
			p.Success(r.now)
			r.want(test.want)
			if got := r.reasons()[1:]; len(got) != len(test.reasons) || got[0] != test.reasons[0] {
				t.Errorf("reasons %v, want %v", got, test.reasons)
			}
			q.Success(r.now)
			if r.want(test.want); r.breaker.Late() != 1 {
				t.Error("a permit of the old generation was not late")
			}
		})
	}
}

// Forced 3
func TestInHalfOpenAForcedPermitHoldsNoSlotAndOnlyItsSuccessCounts(t *testing.T) {
	r := newRig(t)
	r.probing()
	probe := r.acquire()
	failing, succeeding := r.force(), r.force()
	if s := r.status(); s.ProbesInFlight != 1 {
		t.Errorf("%d probes in flight, want 1", s.ProbesInFlight)
	}
	failing.Failure(r.now, "timeout", 0)
	r.want(circuitbreaker.HalfOpen)
	succeeding.Success(r.now)
	r.want(circuitbreaker.Closed)
	probe.Failure(r.now, "timeout", 0)
	r.want(circuitbreaker.Closed)
}
