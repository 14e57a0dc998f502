package providers

import (
	"testing"
	"time"
)

func TestHintsInHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		header string
		want   time.Duration
	}{
		"retry-after-ms":                      {"retry-after-ms: 1500", 1500 * time.Millisecond},
		"retry-after-ms with a fraction":      {"retry-after-ms: 12.5", 12500 * time.Microsecond},
		"x-ms-retry-after-ms":                 {"x-ms-retry-after-ms: 300", 300 * time.Millisecond},
		"retry-after":                         {"Retry-After: 7", 7 * time.Second},
		"retry-after with blanks":             {"Retry-After:   7  ", 7 * time.Second},
		"retry-after with a fraction":         {"Retry-After: 0.25", 250 * time.Millisecond},
		"retry-after as a date":               {"Retry-After: Sat, 31 Jan 2026 12:01:00 GMT", time.Minute},
		"retry-after against its own date":    {"Retry-After: Sat, 31 Jan 2026 09:01:00 GMT\nDate: Sat, 31 Jan 2026 09:00:00 GMT", time.Minute},
		"retry-after in the past":             {"Retry-After: Sat, 31 Jan 2026 11:00:00 GMT", 0},
		"retry-after before its own date":     {"Retry-After: Sat, 31 Jan 2026 12:30:00 GMT\nDate: Sat, 31 Jan 2026 13:00:00 GMT", 0},
		"retry-after, date unreadable":        {"Retry-After: Sat, 31 Jan 2026 12:01:00 GMT\nDate: yesterday", time.Minute},
		"retry-after as a duration":           {"Retry-After: 5m", 5 * time.Minute},
		"zero":                                {"Retry-After: 0", 0},
		"zero as a fraction":                  {"Retry-After: 0.0", 0},
		"negative":                            {"Retry-After: -5", 0},
		"NaN":                                 {"Retry-After: NaN", 0},
		"infinite":                            {"Retry-After: inf", 0},
		"exponent":                            {"Retry-After: 1e3", 0},
		"hexadecimal":                         {"Retry-After: 0x10", 0},
		"a plus":                              {"Retry-After: +5", 0},
		"two points":                          {"Retry-After: 1.2.3", 0},
		"a point alone":                       {"Retry-After: .", 0},
		"words":                               {"Retry-After: soon", 0},
		"a number and words":                  {"Retry-After: 5 or so", 0},
		"2^64":                                {"Retry-After: 18446744073709551616", 0},
		"an overflow of the duration":         {"Retry-After: 9223372037", 0},
		"an overflow of the units":            {"Retry-After: 99999999999999999h5s", 0},
		"a list":                              {"Retry-After: 5, 6", 0},
		"the larger of two":                   {"retry-after-ms: 900\nretry-after: 1", time.Second},
		"the larger, the other way":           {"retry-after-ms: 1900\nretry-after: 1", 1900 * time.Millisecond},
		"zero and one":                        {"retry-after-ms: 0\nretry-after: 1", time.Second},
		"18 days":                             {"Retry-After: 1555200", 18 * 24 * time.Hour},
		"reset of a used-up dimension":        {"x-ratelimit-remaining-tokens: 0\nx-ratelimit-reset-tokens: 6m0s\nx-ratelimit-remaining-requests: 5\nx-ratelimit-reset-requests: 24h", 6 * time.Minute},
		"reset of both dimensions":            {"x-ratelimit-remaining-tokens: 0\nx-ratelimit-reset-tokens: 12ms\nx-ratelimit-remaining-requests: 0.0\nx-ratelimit-reset-requests: 17.39s", 17390 * time.Millisecond},
		"reset without remaining":             {"x-ratelimit-reset-tokens: 6m0s", 0},
		"reset of the only dimension":         {"x-ratelimit-reset: 3", 3 * time.Second},
		"reset of the only one, some left":    {"x-ratelimit-remaining: 4\nx-ratelimit-reset: 3", 0},
		"reset in epoch seconds":              {"x-ratelimit-remaining: 0\nx-ratelimit-reset: 1769860830", 30 * time.Second},
		"reset in epoch milliseconds":         {"x-ratelimit-remaining: 0\nx-ratelimit-reset: 1769860830500", 30500 * time.Millisecond},
		"reset in the past":                   {"x-ratelimit-remaining: 0\nx-ratelimit-reset: 1769850000", 0},
		"reset in microseconds":               {"x-ratelimit-remaining: 0\nx-ratelimit-reset: 1769860830500000", 0},
		"reset in RFC 3339":                   {"anthropic-ratelimit-requests-remaining: 0\nanthropic-ratelimit-requests-reset: 2026-01-31T12:00:30Z", 30 * time.Second},
		"reset in RFC 3339, with its date":    {"anthropic-ratelimit-output-tokens-remaining: 0\nanthropic-ratelimit-output-tokens-reset: 2026-01-31T09:00:30Z\nDate: Sat, 31 Jan 2026 09:00:00 GMT", 30 * time.Second},
		"reset of Anthropic, some left":       {"anthropic-ratelimit-requests-remaining: 1\nanthropic-ratelimit-requests-reset: 2026-01-31T12:00:30Z", 0},
		"reset as a bare number":              {"x-ratelimit-remaining-requests: 0\nx-ratelimit-reset-requests: 26", 26 * time.Second},
		"reset of Cerebras":                   {"x-ratelimit-remaining-requests-day: 0\nx-ratelimit-reset-requests-day: 33011.382867", 33011382867 * time.Microsecond},
		"reset of the standard":               {"ratelimit-remaining: 0\nratelimit-reset: 50", 50 * time.Second},
		"another header that ends in -reset":  {"x-password-reset: 5", 0},
		"remaining that isn't a number":       {"x-ratelimit-remaining-tokens: none\nx-ratelimit-reset-tokens: 6m0s", 0},
		"the larger of reset and retry-after": {"retry-after: 2\nx-ratelimit-remaining-tokens: 0\nx-ratelimit-reset-tokens: 1m", time.Minute},
		"nothing":                             {"", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := Classify(Signal{Dialect: "openai", Status: 429, Header: headerOf(c.header), Now: testNow})
			if f.Hint != c.want {
				t.Errorf("hint %s, want %s", f.Hint, c.want)
			}
		})
	}
}

func TestHintsInTheWording(t *testing.T) {
	for message, want := range map[string]time.Duration{
		"Please try again in 1.2s.":                                        1200 * time.Millisecond,
		"Please retry in 10h17m5.7s.":                                      10*time.Hour + 17*time.Minute + 5700*time.Millisecond,
		"Please retry in 48.939935699s.":                                   48939935699,
		"Please try again in 6m0s. Visit https://x.y":                      6 * time.Minute,
		"Please try again in 12ms.":                                        12 * time.Millisecond,
		"Please retry after 26 seconds.":                                   26 * time.Second,
		"try again in 5 minutes":                                           5 * time.Minute,
		"try again in about 2 hours":                                       2 * time.Hour,
		"try again in 1 hour 5 minutes":                                    time.Hour + 5*time.Minute,
		"Try again in 1d2h":                                                26 * time.Hour,
		"Your limit will reset at 2026-01-31 13:30:00":                     90 * time.Minute,
		"You will regain access on 2026-02-01 at 00:00 UTC.":               12 * time.Hour,
		"Your limit will reset at 2025-01-31 13:30:00":                     0,
		"Your limit will reset at 2026-13-41 13:30:00":                     0,
		"try again in 0s":                                                  0,
		"try again in 5":                                                   0,
		"try again in 5 apples":                                            0,
		"try again later":                                                  0,
		"try again in 999999999999h":                                       0,
		`you said "try again in 5 minutes"`:                                0,
		"retry in 3s, or else the content of the message 'retry in 9h' is": 3 * time.Second,
	} {
		if got := wordedHint(unquoted(message), testNow); got != want {
			t.Errorf("%q: %s, want %s", message, got, want)
		}
	}
}

func TestOnlyKindsThatWaitCarryAHint(t *testing.T) {
	header := headerOf("Retry-After: 9")
	for status, want := range map[int]time.Duration{
		400: 0, 401: 0, 402: 9 * time.Second, 403: 0, 404: 0, 408: 9 * time.Second, 409: 9 * time.Second, 413: 0,
		429: 9 * time.Second, 500: 9 * time.Second, 503: 9 * time.Second, 521: 0, 529: 9 * time.Second,
	} {
		if f := Classify(Signal{Dialect: "openai", Status: status, Header: header, Now: testNow}); f.Hint != want {
			t.Errorf("%d: hint %s, want %s", status, f.Hint, want)
		}
	}
}

func TestAStreamsHeadersSayNothingOfItsFailure(t *testing.T) {
	f := Classify(Signal{
		Dialect: "openai", Status: 200, Header: headerOf("Retry-After: 9"), Event: true, Now: testNow,
		Body: []byte(`{"error":{"code":"rate_limit_exceeded","message":"try again in 2s"}}`),
	})
	if f.Hint != 2*time.Second {
		t.Errorf("hint %s, want the one inside", f.Hint)
	}
}
