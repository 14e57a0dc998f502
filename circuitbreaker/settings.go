package circuitbreaker

import "time"

// Kind names a kind of failure. The package gives it no meaning: it counts
// per kind and looks the kind up in [Settings.Kinds].
type Kind string

// Measure says what a breaker counts. Spec: breaker.md 3.
type Measure string

// The three measures.
const (
	// Consecutive counts failures in a row; one success sets it to 0.
	Consecutive Measure = "consecutive"
	// Decay counts failures; each success takes one away.
	Decay Measure = "decay"
	// Window is the share of failed requests in a rolling window.
	Window Measure = "window"
)

// Settings belong to the configuration, never to what a breaker has learned.
// [DefaultSettings] is where to start from; [Settings.Validate] says what is
// out of range. A Settings value that was handed over is not changed by the
// package and must not be changed by the caller.
type Settings struct {
	// Measure is what is counted; "" is Decay.
	Measure Measure
	// FailureThreshold is the count that opens Consecutive and Decay. 0 turns
	// counting off: only kinds with ImmediateOpen open it then.
	FailureThreshold int
	// DegradedAt and RecoversAt are shares of what opens the breaker: DEGRADED
	// is entered at the first, rounded up, and left at the second, rounded down.
	DegradedAt, RecoversAt Fraction
	// ForgetAfter: when the last failure is longer ago, Consecutive and Decay measure 0.
	ForgetAfter time.Duration
	// ResetTimeout is the base of the wait in OPEN.
	ResetTimeout time.Duration
	// MaxBackoffMultiplier bounds the wait to base x multiplier; 0 and 1 mean a fixed wait.
	MaxBackoffMultiplier int
	// BackoffAfter failed recoveries pass before the first doubling of the wait.
	BackoffAfter int
	// HalfOpenRequests probes may be outstanding at a time, 1 to 100.
	HalfOpenRequests int
	// HalfOpenSuccesses probes must succeed to close; 0 means HalfOpenRequests.
	HalfOpenSuccesses int
	// ProbeTimeout, if not 0, replaces the lease that callers ask for.
	ProbeTimeout time.Duration
	// Cooldown is the park after a single failure; 0 turns it off. With
	// Measure Window it should be 0, or each failure would keep the window empty.
	Cooldown time.Duration
	// RetryAfterMax clamps Retry-After hints.
	RetryAfterMax time.Duration
	// Jitter lengthens a wait by a random share of up to this much of it.
	Jitter Fraction
	// Enforce false only observes: the machine runs, nothing is refused but ISOLATED.
	Enforce bool
	// Window is the length of the rolling window, 1 s to 2 min, cut into 10 buckets.
	Window time.Duration
	// ErrorThreshold is the share of failures that opens Window; 0 opens on the first verdict.
	ErrorThreshold Fraction
	// VolumeThreshold is how many requests the window must hold before its share counts.
	VolumeThreshold int
	// Kinds holds what differs for some kinds of failure; may be nil.
	Kinds map[Kind]KindSettings
}

// KindSettings is what differs for one kind of failure. Spec: breaker.md 3, "Kinds".
type KindSettings struct {
	// Threshold is how many failures of this kind open the breaker by
	// themselves; 0 means none do (1 does, with ImmediateOpen).
	Threshold int
	// ImmediateOpen opens on the Threshold-th failure without passing DEGRADED,
	// and also where FailureThreshold 0 has turned counting off.
	ImmediateOpen bool
	// Cooldown is the base of the wait in OPEN while this kind is the reason;
	// nil means Settings.ResetTimeout.
	Cooldown *time.Duration
	// Park replaces Settings.Cooldown after a failure of this kind; nil means
	// Settings.Cooldown. It has no effect with Measure Window.
	Park *time.Duration
}

// DefaultSettings are the defaults of the specification, without kinds.
func DefaultSettings() Settings {
	return Settings{
		Measure:              Decay,
		FailureThreshold:     5,
		DegradedAt:           600_000,
		RecoversAt:           300_000,
		ForgetAfter:          10 * time.Minute,
		ResetTimeout:         30 * time.Second,
		MaxBackoffMultiplier: 16,
		HalfOpenRequests:     1,
		Cooldown:             5 * time.Second,
		RetryAfterMax:        300 * time.Second,
		Jitter:               100_000,
		Enforce:              true,
		Window:               10 * time.Second,
		ErrorThreshold:       500_000,
		VolumeThreshold:      10,
	}
}
