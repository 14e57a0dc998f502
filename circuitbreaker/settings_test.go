package circuitbreaker_test

import (
	"encoding/json"
	"math/big"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Spec: api.md, "Breaker settings".

func TestTheDefaultsAreValid(t *testing.T) {
	if err := circuitbreaker.DefaultSettings().Validate(); err != nil {
		t.Error(err)
	}
}

func TestEachSettingOutOfRangeIsNamedWithItsPathValueAndRange(t *testing.T) {
	for want, change := range map[string]with{
		`measure: "median" is out of range (consecutive, decay or window)`: measure("median"),
		"failure_threshold: -1 is out of range (0 to 1000000)":             func(s *circuitbreaker.Settings) { s.FailureThreshold = -1 },
		"degraded_at: 1.000001 is out of range (0 to 1)":                   func(s *circuitbreaker.Settings) { s.DegradedAt = 1_000_001 },
		"recovers_at: 0.6 is out of range (less than degraded_at 0.6)":     func(s *circuitbreaker.Settings) { s.RecoversAt = 600_000 },
		"forget_after: 0s is out of range (at least 1ms)":                  func(s *circuitbreaker.Settings) { s.ForgetAfter = 0 },
		"reset_timeout: 999.999µs is out of range (at least 1ms)":          func(s *circuitbreaker.Settings) { s.ResetTimeout = time.Millisecond - 1 },
		"max_backoff_multiplier: 1000001 is out of range (0 to 1000000)":   func(s *circuitbreaker.Settings) { s.MaxBackoffMultiplier = 1_000_001 },
		"backoff_after: -1 is out of range (0 to 1000000)":                 func(s *circuitbreaker.Settings) { s.BackoffAfter = -1 },
		"half_open_requests: 0 is out of range (1 to 100)":                 func(s *circuitbreaker.Settings) { s.HalfOpenRequests = 0 },
		"half_open_successes: -1 is out of range (0 to 1000000)":           func(s *circuitbreaker.Settings) { s.HalfOpenSuccesses = -1 },
		"probe_timeout: -1s is out of range (0 or at least 1ms)":           func(s *circuitbreaker.Settings) { s.ProbeTimeout = -time.Second },
		"cooldown: 1ns is out of range (0 or at least 1ms)":                cooldown(1),
		"retry_after_max: 0s is out of range (at least 1ms)":               func(s *circuitbreaker.Settings) { s.RetryAfterMax = 0 },
		"jitter: -0.1 is out of range (0 to 1)":                            func(s *circuitbreaker.Settings) { s.Jitter = -100_000 },
		"window: 2m0.001s is out of range (1s to 2m0s)":                    func(s *circuitbreaker.Settings) { s.Window = 2*time.Minute + time.Millisecond },
		"error_threshold: 2 is out of range (0 to 1)":                      func(s *circuitbreaker.Settings) { s.ErrorThreshold = 2_000_000 },
		"volume_threshold: -1 is out of range (0 to 1000000)":              func(s *circuitbreaker.Settings) { s.VolumeThreshold = -1 },
		"kinds.auth.threshold: -1 is out of range (0 to 1000000)":          kinds(kindRows{"auth": {Threshold: -1}}),
		"kinds.auth.cooldown: 0s is out of range (at least 1ms)":           kinds(kindRows{"auth": {Cooldown: new(time.Duration(0))}}),
		"kinds.auth.park: -1ns is out of range (0 or at least 1ms)":        kinds(kindRows{"auth": {Park: new(time.Duration(-1))}}),
	} {
		if err := rigSettings(change).Validate(); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestEveryProblemIsReportedAtOnce(t *testing.T) {
	err := circuitbreaker.Settings{}.Validate()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 6 {
		t.Errorf("problems: %v", err)
	}
}

func TestAFractionIsReadExactly(t *testing.T) {
	for text, want := range map[string]circuitbreaker.Fraction{
		"0": 0, "1": 1_000_000, "0.6": 600_000, "0.29": 290_000, "0.000001": 1, "6e-1": 600_000, "60E-2": 600_000, "0.50000000": 500_000,
		"1e0": 1_000_000, "-0.5": -500_000, "2": 2_000_000, "0e99": 0,
	} {
		var f circuitbreaker.Fraction
		if err := json.Unmarshal([]byte(text), &f); err != nil || f != want {
			t.Errorf("%s: %d, %v", text, f, err)
		}
	}
	for _, text := range []string{"", ".", "-", "0.0000001", "1e9", "1e99999999999", "half", "0x1", "1_0", "NaN", "0.6.1", "+1"} {
		if f, err := circuitbreaker.ParseFraction(text); err == nil {
			t.Errorf("%q was read as %s", text, f)
		}
	}
}

func FuzzParseFraction(f *testing.F) {
	for _, seed := range []string{"0.6", "1", "6e-1", "0.0000001", "-0.5", "1e400", "00.10"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := circuitbreaker.ParseFraction(text)
		if err != nil {
			return
		}
		exact, ok := new(big.Rat).SetString(text)
		if !ok || exact.Cmp(big.NewRat(int64(got), 1_000_000)) != 0 {
			t.Errorf("%q was read as %s, it is %v", text, got, exact)
		}
		if back, err := circuitbreaker.ParseFraction(got.String()); err != nil || back != got {
			t.Errorf("%q: %s was read back as %s, %v", text, got, back, err)
		}
	})
}
