package circuitbreaker

import "time"

// Status is what a look at a breaker shows: the state that the measure gives
// at that moment, forgotten and windowed failures included. A look changes
// nothing. Zero times and empty words mean "none". Spec: breaker.md 2.1, api.md.
type Status struct {
	Name  string
	Scope Scope
	// State is what requests meet: CLOSED, unless ISOLATED, where Enforce is false.
	State State
	// Reason is the reason of the last transition.
	Reason           string
	FailureCount     int
	FailureThreshold int
	// DegradedAt is the mark itself: a number of failures, or a share; 0 if there is none.
	DegradedAt float64
	Measure    Measure
	// MeasureValue is a number of failures, or a share.
	MeasureValue    float64
	KindCounts      map[Kind]int
	LastFailureKind Kind
	LastFailureAt   time.Time
	OpenedAt        time.Time
	// RetryAt is the deadline of OPEN, also when it has passed.
	RetryAt time.Time
	// RetryAfter is what a refusal would say now, negative if nothing would be
	// refused or no time is known.
	RetryAfter   time.Duration
	OpenCycle    int
	ResetTimeout time.Duration
	// EffectiveResetTimeout is the wait of this cycle before jitter and hints.
	EffectiveResetTimeout time.Duration
	CooldownUntil         time.Time
	ProbesInFlight        int
	HalfOpenRequests      int
	Enforce               bool
	// WouldBe is the machine's own state; it differs from State if Enforce is false.
	WouldBe   State
	Isolated  *Isolation
	Version   uint64
	UpdatedAt time.Time
}
