package main

import "time"

// policy is how a breaker is set.
type policy struct {
	name     string
	says     string
	observes bool // it never refuses: what it would do is not counted as having stopped
	settings func(scaled func(time.Duration) string) map[string]any
}

var policies = []policy{
	{name: "default", says: "as it comes: 5 failures, probed after 30s, parked for 5s after each failure (10s after a 503)", settings: standard},
	{name: "tight", says: "3 failures, probed after 5s and at most 20s, parked for 1s", settings: func(scaled func(time.Duration) string) map[string]any {
		park := map[string]any{"park": scaled(time.Second)}
		return map[string]any{
			"failure_threshold": 3, "reset_timeout": scaled(5 * time.Second), "max_backoff_multiplier": 4,
			"cooldown": scaled(time.Second), "kinds": map[string]any{"overloaded": park, "rate_limit": park},
		}
	}},
	{name: "window", says: "half of the requests of 10s, at least 10; never parked but by a hint", settings: func(scaled func(time.Duration) string) map[string]any {
		return map[string]any{
			"measure": "window", "window": scaled(10 * time.Second), "reset_timeout": scaled(30 * time.Second),
		}
	}},
	{name: "observe", says: "no breaker: it watches and refuses nothing", observes: true, settings: func(scaled func(time.Duration) string) map[string]any {
		s := standard(scaled)
		s["enforce"] = false
		return s
	}},
}

// standard are the defaults, written out so that they can be scaled.
func standard(scaled func(time.Duration) string) map[string]any {
	return map[string]any{
		"reset_timeout": scaled(30 * time.Second), "cooldown": scaled(5 * time.Second),
		"kinds": map[string]any{
			"overloaded": map[string]any{"park": scaled(10 * time.Second)},
			"rate_limit": map[string]any{"park": scaled(5 * time.Second)},
		},
	}
}
