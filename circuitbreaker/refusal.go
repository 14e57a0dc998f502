package circuitbreaker

import (
	"fmt"
	"time"
)

// Reason says why a breaker refuses.
type Reason string

// The four reasons of a refusal. Spec: breaker.md 2.
const (
	ReasonCooldown Reason = "cooldown" // parked after a single failure
	ReasonOpen     Reason = "open"     // OPEN, the wait has not passed
	ReasonProbing  Reason = "probing"  // HALF_OPEN, every probe slot is taken
	ReasonHeld     Reason = "isolated" // ISOLATED by an operator
)

// minProbingWait is the least retry-after of a HALF_OPEN refusal. Spec: breaker.md 4.6.
const minProbingWait = time.Second

// OpenError is the one refusal of a breaker. It is made once per transition,
// park or probe, and shared by everybody who is refused: don't change it.
type OpenError struct {
	Name   string
	Scope  Scope
	Reason Reason
	State  State
	// RetryAt is when to ask again; the zero time if nobody knows (isolated).
	RetryAt time.Time
	// Hinted says that a Retry-After hint set the cooldown.
	Hinted bool

	until moment    // RetryAt on the registry's clock; never, if nobody knows
	end   time.Time // until, as a time to compare with
}

// holds says whether e, which may be nil, holds at now; at the zero time it
// does not, for nobody knows when that is.
func (e *OpenError) holds(now time.Time) bool {
	return e != nil && now.Before(e.end) && !now.IsZero()
}

// is says whether e tells of the refusal f in state s.
func (e *OpenError) is(f refusal, s State) bool {
	return e.until == f.until && e.Reason == f.reason && e.State == s && e.Hinted == f.hinted
}

func (e *OpenError) Error() string {
	if e.RetryAt.IsZero() {
		return fmt.Sprintf("circuit breaker %s is %s (%s)", e.Name, e.State, e.Reason)
	}
	return fmt.Sprintf("circuit breaker %s is %s (%s) until %s", e.Name, e.State, e.Reason, e.RetryAt.UTC().Format(timeLayout))
}

// RetryAfter is the time left at now, at least 0; of a refusal by a probe at
// least a second; 0 if no time is known (then RetryAt is the zero time).
func (e *OpenError) RetryAfter(now time.Time) time.Duration {
	if e.RetryAt.IsZero() {
		return 0
	}
	left := max(e.RetryAt.Sub(now), 0)
	if e.Reason == ReasonProbing {
		return max(left, minProbingWait)
	}
	return left
}
