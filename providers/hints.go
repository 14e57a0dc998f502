package providers

import (
	"net/http"
	"regexp"
	"strings"
	"time"
)

// hintPolicy is what a row of the table lets a failure carry as a hint.
type hintPolicy uint8

const (
	hintByKind hintPolicy = iota // as the kind does
	hintNone                     // the upstream's number means something else, or nothing
)

// hinted are the kinds whose upstreams say when to come back (spec: failures.md 3, column "hint").
var hinted = map[Kind]bool{
	RateLimit: true, QuotaExhausted: true, Billing: true, Overloaded: true, ServerError: true, Timeout: true,
}

// hintOf returns how long the upstream asks to be left alone: the largest of all that it says (spec: failures.md 2,
// Hints), unclamped. A stream's headers came before its failure and say nothing about it.
func hintOf(s *Signal, o *object) time.Duration {
	var hint time.Duration
	if !s.Event {
		hint = headerHint(s.Header, s.Now)
	}
	return max(hint, o.retryDelay, wordedHint(o.plain, answeredAt(s.Header, s.Now)))
}

// headerHint reads the hints that stand in headers.
func headerHint(h http.Header, now time.Time) time.Duration {
	if len(h) == 0 {
		return 0
	}
	at := answeredAt(h, now)
	hint := max(
		milliseconds(h.Get("Retry-After-Ms")),
		milliseconds(h.Get("X-Ms-Retry-After-Ms")),
		retryAfter(h.Get("Retry-After"), at),
	)
	for name, values := range h {
		if remaining, ok := remainingHeader(name); ok && len(values) > 0 && usedUp(h, name, remaining) {
			hint = max(hint, resetAfter(values[0], at))
		}
	}
	return hint
}

// answeredAt is the time that the answer's own clock showed; absolute times of the answer are measured against it.
func answeredAt(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}

// bareReset is the reset header of hosts that have one dimension only.
const bareReset = "X-Ratelimit-Reset"

// remainingHeader names the header that goes with a reset header: x-ratelimit-reset-<dimension>,
// anthropic-ratelimit-<dimension>-reset, ratelimit-reset.
func remainingHeader(reset string) (string, bool) {
	if dimension, ok := strings.CutPrefix(reset, bareReset); ok {
		return "X-Ratelimit-Remaining" + dimension, true
	}
	if dimension, ok := strings.CutSuffix(reset, "-Reset"); ok && strings.Contains(dimension, "Ratelimit") {
		return dimension + "-Remaining", true
	}
	return "", false
}

// usedUp tells whether the dimension of a reset header is the one that ran out. Of a host's only dimension it need
// not be said.
func usedUp(h http.Header, reset, remaining string) bool {
	left, said := h[remaining]
	if !said || len(left) == 0 {
		return reset == bareReset
	}
	n, ok := decimal(strings.TrimSpace(left[0]))
	return ok && n == 0
}

var (
	waitWording = regexp.MustCompile(`\b(?:try again|retry)(?: again)? (?:in|after) (?:about )?([0-9][0-9.]* ?[a-zµ]+(?: ?[0-9][0-9.]* ?[a-zµ]+)*)`)
	dateWording = regexp.MustCompile(`\b(?:regain access on|resets? at|flush(?:es)? at) (\d{4}-\d\d-\d\d)(?:[ t]| at )(\d\d:\d\d(?::\d\d)?)`)
)

// wordedHint reads a wait out of a message: "try again in 1.2s", "You will regain access on 2026-01-01 at 00:00 UTC".
// A time without a zone is taken for UTC.
func wordedHint(message string, at time.Time) time.Duration {
	lower := strings.ToLower(message)
	if strings.Contains(lower, "try again") || strings.Contains(lower, "retry") {
		if m := waitWording.FindStringSubmatch(lower); m != nil {
			return wordedDuration(m[1])
		}
	}
	if !strings.Contains(lower, " at ") {
		return 0
	}
	m := dateWording.FindStringSubmatch(lower)
	if m == nil {
		return 0
	}
	clock := m[2]
	if len(clock) == len("15:04") {
		clock += ":00"
	}
	until, err := time.Parse(time.DateTime, m[1]+" "+clock)
	if err != nil {
		return 0
	}
	return future(until, at)
}
