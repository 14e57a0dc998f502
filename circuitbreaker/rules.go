package circuitbreaker

import (
	"maps"
	"math"
	"time"
)

// rules are Settings made ready for decisions: defaults filled in, marks
// computed. Immutable.
type rules struct {
	Settings
	// opens, degrades and recovers are the marks of the measure: failures, or
	// the share in millionths of Window. 0 in degrades means never DEGRADED.
	opens, degrades, recovers int64
	windowed                  bool // the measure is Window
	// longestPark is the longest that park can return.
	longestPark time.Duration
}

func compile(s Settings) *rules {
	if s.Measure == "" {
		s.Measure = Decay
	}
	s.HalfOpenRequests = max(s.HalfOpenRequests, 1)
	if s.HalfOpenSuccesses == 0 {
		s.HalfOpenSuccesses = s.HalfOpenRequests
	}
	s.MaxBackoffMultiplier = max(s.MaxBackoffMultiplier, 1)
	s.Kinds = maps.Clone(s.Kinds)
	r := &rules{Settings: s, opens: int64(s.FailureThreshold), windowed: s.Measure == Window}
	if s.Measure == Window {
		r.opens = int64(s.ErrorThreshold)
	}
	r.degrades = s.DegradedAt.ofUp(r.opens)
	r.recovers = s.RecoversAt.ofDown(r.opens)
	r.longestPark = max(s.Cooldown, s.RetryAfterMax)
	for kind := range s.Kinds {
		park, _ := r.park(kind, 0)
		r.longestPark = max(r.longestPark, park)
	}
	return r
}

// judge is the state that a measure stands for, coming from CLOSED or
// DEGRADED: CLOSED, DEGRADED or OPEN. total is used by Window only.
func (r *rules) judge(from State, failed, total int64) State {
	// The measure is failed x scale against mark x base: no division, no rounding.
	scale, base := int64(1), int64(1)
	if r.opensAtOnce() {
		return Open
	}
	if r.windowed {
		scale, base = int64(One), total
		if !r.speaks(total) {
			failed, base = 0, 1
		}
	} else if r.opens == 0 {
		return Closed
	}
	switch value := failed * scale; {
	case value >= r.opens*base:
		return Open
	case value >= r.degrades*base:
		return Degraded
	case value <= r.recovers*base:
		return Closed
	default:
		return from
	}
}

// drift is the state that CLOSED or DEGRADED comes to by what time alone has
// left of the measure: what opens is a verdict. Where the first verdict opens,
// nothing is DEGRADED.
func (r *rules) drift(from State, failed, total int64) State {
	if r.opens == 0 {
		return Closed
	}
	return min(r.judge(from, failed, total), Degraded)
}

// opensAtOnce says that the first verdict opens, whatever it is.
func (r *rules) opensAtOnce() bool { return r.windowed && r.opens == 0 }

// speaks says whether a window of total requests holds enough for its share to count.
func (r *rules) speaks(total int64) bool { return total > 0 && total >= int64(r.VolumeThreshold) }

// value is the measure as a number: failures, or a share.
func (r *rules) value(failed, total int64) float64 {
	if !r.windowed {
		return float64(failed)
	}
	if !r.speaks(total) {
		return 0
	}
	return float64(failed) / float64(total)
}

// mark is the DEGRADED mark as a number: failures, or a share.
func (r *rules) mark() float64 {
	if r.windowed {
		return Fraction(r.degrades).Float64()
	}
	return float64(r.degrades)
}

// opensByKind says whether the n-th failure of a kind opens the breaker, and
// with which reason. Spec: breaker.md 3, "Kinds" 2 and 3.
func (r *rules) opensByKind(kind Kind, n int64) (reason string, opens bool) {
	k := r.Kinds[kind]
	switch {
	case k.ImmediateOpen:
		return ReasonImmediateOpen, n >= int64(max(k.Threshold, 1))
	case !r.windowed && r.FailureThreshold == 0:
		return "", false
	default:
		return ReasonKindThreshold, k.Threshold > 0 && n >= int64(k.Threshold)
	}
}

// base is the base of the wait while kind is the reason; "" is no kind.
func (r *rules) base(kind Kind) time.Duration {
	if k, ok := r.Kinds[kind]; ok && k.Cooldown != nil {
		return *k.Cooldown
	}
	return r.ResetTimeout
}

// backoff is min(base x 2^n, base x multiplier), n being the cycle less the
// failed recoveries that are free. It saturates.
func (r *rules) backoff(base time.Duration, cycle int) time.Duration {
	factor := int64(r.MaxBackoffMultiplier)
	if doublings := max(cycle-r.BackoffAfter, 0); doublings < 62 {
		factor = min(factor, 1<<doublings)
	}
	return times(base, factor)
}

// wait is how long OPEN lasts: the back-off, longer by the jitter that draw in
// [0,1) chose, and at least the clamped hint. Spec: breaker.md 4.
func (r *rules) wait(kind Kind, cycle int, hint time.Duration, draw float64) time.Duration {
	base := r.base(kind)
	wait := r.backoff(base, cycle)
	wait = moreBy(wait, draw*r.Jitter.Float64())
	return max(wait, min(hint, max(r.RetryAfterMax, base)))
}

// longestWait is the longest that OPEN can last for kind: a wait, or a park
// that opening took in.
func (r *rules) longestWait(kind Kind) time.Duration {
	base := r.base(kind)
	wait := moreBy(times(base, int64(r.MaxBackoffMultiplier)), r.Jitter.Float64())
	return max(wait, r.longestPark)
}

// park is how long a breaker that stays closed is parked after a failure of
// kind, 0 being not at all, and whether a hint, of any length, set it. Spec:
// breaker.md 4, "Cooldown".
func (r *rules) park(kind Kind, hint time.Duration) (length time.Duration, hinted bool) {
	length = r.Cooldown
	if k, ok := r.Kinds[kind]; ok && k.Park != nil && !r.windowed {
		length = *k.Park
	}
	if hint <= 0 {
		return length, false
	}
	return min(max(hint, length), r.RetryAfterMax), true
}

// minLease is the least lease of a probe where no setting says otherwise.
const minLease = 30 * time.Second

// lease is how long a probe may keep its slot without progress. Spec: breaker.md 2.4.
func (r *rules) lease(kind Kind, asked time.Duration) time.Duration {
	if r.ProbeTimeout > 0 {
		return r.ProbeTimeout
	}
	return max(r.base(kind), minLease, asked)
}

// times is d x n, at most the longest Duration. n is at least 1.
func times(d time.Duration, n int64) time.Duration {
	if int64(d) > math.MaxInt64/n {
		return math.MaxInt64
	}
	return d * time.Duration(n)
}

// moreBy is d longer by share of it, at most the longest Duration.
func moreBy(d time.Duration, share float64) time.Duration {
	more := float64(d) * share
	if more >= float64(math.MaxInt64-d) {
		return math.MaxInt64
	}
	return d + time.Duration(more)
}
