package circuitbreaker

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// RangeError is one setting that is out of range.
type RangeError struct {
	Path  string // "failure_threshold", "kinds.rate_limit.park"
	Value string // as a user would write it
	Range string // "0 to 1000000", "at least 1ms"
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("%s: %s is out of range (%s)", e.Path, e.Value, e.Range)
}

const (
	maxCount       = 1_000_000
	minDuration    = time.Millisecond
	minWindow      = time.Second
	maxWindow      = 2 * time.Minute
	maxHalfOpen    = 100
	fractionRange  = "0 to 1"
	measuresRange  = "consecutive, decay or window"
	positiveRange  = "at least 1ms"
	zeroOrPositive = "0 or at least 1ms"
)

// Validate returns every problem at once, as errors.Join of *RangeError.
func (s Settings) Validate() error {
	var v validation
	switch s.Measure {
	case "", Consecutive, Decay, Window:
	default:
		v.refuse("measure", strconv.Quote(string(s.Measure)), measuresRange)
	}
	v.count("failure_threshold", s.FailureThreshold, 0, maxCount)
	v.fraction("degraded_at", s.DegradedAt)
	v.fraction("recovers_at", s.RecoversAt)
	if s.RecoversAt >= s.DegradedAt {
		v.refuse("recovers_at", s.RecoversAt.String(), "less than degraded_at "+s.DegradedAt.String())
	}
	v.positive("forget_after", s.ForgetAfter)
	v.positive("reset_timeout", s.ResetTimeout)
	v.count("max_backoff_multiplier", s.MaxBackoffMultiplier, 0, maxCount)
	v.count("backoff_after", s.BackoffAfter, 0, maxCount)
	v.count("half_open_requests", s.HalfOpenRequests, 1, maxHalfOpen)
	v.count("half_open_successes", s.HalfOpenSuccesses, 0, maxCount)
	v.zeroOrPositive("probe_timeout", s.ProbeTimeout)
	v.zeroOrPositive("cooldown", s.Cooldown)
	v.positive("retry_after_max", s.RetryAfterMax)
	v.fraction("jitter", s.Jitter)
	if s.Window < minWindow || s.Window > maxWindow {
		v.refuse("window", s.Window.String(), "1s to 2m0s")
	}
	v.fraction("error_threshold", s.ErrorThreshold)
	v.count("volume_threshold", s.VolumeThreshold, 0, maxCount)
	for _, kind := range slices.Sorted(maps.Keys(s.Kinds)) {
		path, k := "kinds."+string(kind), s.Kinds[kind]
		v.count(path+".threshold", k.Threshold, 0, maxCount)
		if k.Cooldown != nil {
			v.positive(path+".cooldown", *k.Cooldown)
		}
		if k.Park != nil {
			v.zeroOrPositive(path+".park", *k.Park)
		}
	}
	return errors.Join(v.problems...)
}

// validation collects the problems of one Settings value.
type validation struct{ problems []error }

func (v *validation) refuse(path, value, allowed string) {
	v.problems = append(v.problems, &RangeError{Path: path, Value: value, Range: allowed})
}

func (v *validation) count(path string, n, low, high int) {
	if n < low || n > high {
		v.refuse(path, strconv.Itoa(n), fmt.Sprintf("%d to %d", low, high))
	}
}

func (v *validation) fraction(path string, f Fraction) {
	if f < 0 || f > One {
		v.refuse(path, f.String(), fractionRange)
	}
}

func (v *validation) positive(path string, d time.Duration) {
	if d < minDuration {
		v.refuse(path, d.String(), positiveRange)
	}
}

func (v *validation) zeroOrPositive(path string, d time.Duration) {
	if d != 0 && d < minDuration {
		v.refuse(path, d.String(), zeroOrPositive)
	}
}
