package combo

import (
	"encoding/json"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// Outcome is what became of one candidate.
type Outcome string

// The outcomes of a candidate, as they stand in error.attempts.
const (
	OK      Outcome = "ok"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
)

// SkipReason is why a candidate was passed over without an attempt (spec: routing.md 2, step 1).
type SkipReason string

// The reasons of a skip.
const (
	SkipDrained       SkipReason = "drained"
	SkipOnlyOn        SkipReason = "only_on"
	SkipCooldown      SkipReason = "cooldown"
	SkipOpen          SkipReason = "open"
	SkipProbing       SkipReason = "probing"
	SkipIsolated      SkipReason = "isolated"
	SkipContextWindow SkipReason = "context_window"
	SkipCapability    SkipReason = "capability"
	SkipConcurrency   SkipReason = "concurrency"
)

// Attempt is what the walk did with one candidate: a value for error.attempts, the request log and metrics.
type Attempt struct {
	Provider, Model, Key string
	Outcome              Outcome
	Kind                 providers.Kind // why it failed
	SkipReason           SkipReason     // why it was skipped
	Status               int            // the upstream's; 0: none came
	Start                time.Time      // when it was sent; zero for a skip
	Duration             time.Duration  // to the verdict; of a stream that is under way: to the commit
	FirstToken           time.Duration  // from sending to the first meaningful event or the whole answer; 0: none came
	Forced               bool           // sent although a breaker refused
	Probe                bool           // the breakers' evidence of recovery
	Listed               bool           // the model is one that the configuration names (bounds a metric's label)
}

// MarshalJSON writes the members of error.attempts; what doesn't apply is null.
func (a Attempt) MarshalJSON() ([]byte, error) {
	type row struct {
		Provider   string  `json:"provider"`
		Model      string  `json:"model"`
		Key        *string `json:"key"`
		Outcome    Outcome `json:"outcome"`
		Kind       *string `json:"kind"`
		SkipReason *string `json:"skip_reason"`
		Status     *int    `json:"status"`
		MS         int64   `json:"ms"`
		Forced     bool    `json:"forced"`
		FirstToken *int64  `json:"first_token_ms,omitempty"`
		Probe      bool    `json:"probe,omitempty"`
	}
	r := row{
		Provider: a.Provider, Model: a.Model, Outcome: a.Outcome, MS: a.Duration.Milliseconds(),
		Forced: a.Forced, Probe: a.Probe,
		Key: present(a.Key), Kind: present(string(a.Kind)), SkipReason: present(string(a.SkipReason)),
	}
	if a.Status != 0 {
		r.Status = &a.Status
	}
	if a.FirstToken > 0 {
		r.FirstToken = new(a.FirstToken.Milliseconds())
	}
	return json.Marshal(r)
}

func present(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Sent counts the attempts that reached out to an upstream: the number of x-ohmroute-attempts.
func Sent(attempts []Attempt) int {
	n := 0
	for i := range attempts {
		if attempts[i].Outcome != Skipped {
			n++
		}
	}
	return n
}
