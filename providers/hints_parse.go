package providers

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// All parsers here return 0 for what is no hint: zero, negative, past, not a number, not parsable as a whole, or more
// than a time.Duration holds (292 years).

// milliseconds parses retry-after-ms: an integer or a fraction.
func milliseconds(s string) time.Duration { return scaled(strings.TrimSpace(s), time.Millisecond) }

// retryAfter parses Retry-After: seconds, an HTTP date, or a duration as Go writes it.
func retryAfter(s string, at time.Time) time.Duration {
	s = strings.TrimSpace(s)
	if d := scaled(s, time.Second); d > 0 {
		return d
	}
	if date, err := http.ParseTime(s); err == nil {
		return future(date, at)
	}
	return duration(s)
}

// Bare numbers of reset headers from here on are points in time; below, they are seconds to wait.
const (
	leastEpochSeconds = 1e9
	leastEpochMillis  = 1e12
	mostEpochMillis   = 1e14
)

// resetAfter parses a reset header: a duration (`6m0s`, `12ms`), seconds, an epoch in s or ms, or RFC 3339.
func resetAfter(s string, at time.Time) time.Duration {
	s = strings.TrimSpace(s)
	if n, ok := decimal(s); ok {
		switch {
		case n >= mostEpochMillis:
			return 0
		case n >= leastEpochMillis:
			return future(time.UnixMilli(int64(n)), at)
		case n >= leastEpochSeconds:
			return future(time.UnixMilli(int64(n*1000)), at)
		}
		return scaled(s, time.Second)
	}
	if date, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return future(date, at)
	}
	return duration(s)
}

// future is the time from at until then.
func future(then, at time.Time) time.Duration { return max(0, then.Sub(at)) }

// decimal parses digits with at most one point. Signs, exponents, inf and nan are no numbers here.
func decimal(s string) (float64, bool) {
	if s == "" || len(s) > 32 || strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}

func scaled(s string, unit time.Duration) time.Duration {
	n, ok := decimal(s)
	if !ok {
		return 0
	}
	n = math.Round(n * float64(unit))
	if n >= math.MaxInt64 {
		return 0
	}
	return time.Duration(n)
}

// units are the spellings of a unit that providers use.
var units = map[string]time.Duration{
	"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond,
	"ms": time.Millisecond, "millisecond": time.Millisecond, "milliseconds": time.Millisecond,
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hrs": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
}

// duration parses "10h17m5.7s", "12ms", "5 minutes", "1d2h". Each number needs its unit.
func duration(s string) time.Duration {
	return leadingDuration(s, true)
}

// wordedDuration parses the duration that a text begins with and leaves the words after it alone.
func wordedDuration(s string) time.Duration {
	return leadingDuration(s, false)
}

// leadingDuration adds up numbers with units as far as they go. With whole set, anything else makes it 0.
func leadingDuration(s string, whole bool) (sum time.Duration) {
	rest := strings.ToLower(strings.TrimSpace(s))
	for rest != "" {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		after := strings.TrimLeft(rest[digits:], " ")
		letters := 0
		for letters < len(after) && (after[letters] >= 'a' && after[letters] <= 'z' || after[letters] >= 0x80) {
			letters++
		}
		unit, known := units[after[:letters]]
		if digits == 0 || !known {
			if whole {
				return 0
			}
			return sum
		}
		number, numeric := decimal(rest[:digits])
		part := scaled(rest[:digits], unit)
		if overflow := part == 0 && number >= 1; !numeric || overflow || sum > math.MaxInt64-part {
			return 0
		}
		sum += part
		rest = strings.TrimLeft(after[letters:], " ")
	}
	return sum
}
