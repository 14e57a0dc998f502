package circuitbreaker

import (
	"encoding/json"
	"time"
)

// Reasons of transitions. Spec: breaker.md 1, 4, 5, 6.3, 7.5.
const (
	ReasonThreshold      = "threshold"       // to OPEN: the measure reached what opens it
	ReasonKindThreshold  = "kind-threshold"  // to OPEN: a kind reached its own threshold
	ReasonImmediateOpen  = "immediate-open"  // to OPEN: a kind with ImmediateOpen failed
	ReasonDegraded       = "degraded"        // to DEGRADED: the measure reached the mark
	ReasonRecovered      = "recovered"       // DEGRADED to CLOSED: the measure fell to the mark
	ReasonProbe          = "probe"           // OPEN to HALF_OPEN: the wait had passed and somebody asked
	ReasonForced         = "forced"          // OPEN to HALF_OPEN: a forced request succeeded
	ReasonProbeSucceeded = "probe-succeeded" // HALF_OPEN to CLOSED
	ReasonProbeFailed    = "probe-failed"    // HALF_OPEN to OPEN
	ReasonIsolated       = "isolated"        // any to ISOLATED
	ReasonReleased       = "released"        // ISOLATED to HALF_OPEN
	ReasonManualReset    = "manual-reset"    // any to CLOSED: an operator's reset
	ReasonKeyChanged     = "key-changed"     // any to CLOSED: the key's secret is another one
	ReasonRestored       = "restored"        // HALF_OPEN to OPEN: the probe died with the process
)

// Transition is one change of state. Transitions of one breaker are published
// in the order in which they were made, each once, after they were committed.
type Transition struct {
	Name     string
	From, To State
	Reason   string
	// Kind is the failure kind that caused it, "" if none did.
	Kind Kind
	// Measure is the number of the measure when the transition was made,
	// before it cleared anything: failures, or a share.
	Measure float64
	// Wait is the time from At to the deadline, in transitions to OPEN.
	Wait time.Duration
	At   time.Time
	// Enforce is false if the breaker only observes.
	Enforce bool
	// Seq is unique in the registry and grows; it is the version of the state after the transition.
	Seq uint64
}

type transitionJSON struct {
	Name    string   `json:"name"`
	From    State    `json:"from"`
	To      State    `json:"to"`
	Reason  string   `json:"reason"`
	Kind    *Kind    `json:"kind"`
	Measure float64  `json:"measure"`
	WaitMS  int64    `json:"wait_ms"`
	At      jsonTime `json:"at"`
	Enforce bool     `json:"enforce"`
}

// MarshalJSON gives the payload of a breaker.transition event.
func (t Transition) MarshalJSON() ([]byte, error) {
	j := transitionJSON{
		Name: t.Name, From: t.From, To: t.To, Reason: t.Reason, Measure: t.Measure,
		WaitMS: ceilMS(t.Wait), At: jsonTime(t.At), Enforce: t.Enforce,
	}
	if t.Kind != "" {
		j.Kind = &t.Kind
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON gave; Seq is not part of it.
func (t *Transition) UnmarshalJSON(b []byte) error {
	var j transitionJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*t = Transition{
		Name: j.Name, From: j.From, To: j.To, Reason: j.Reason, Measure: j.Measure,
		Wait: time.Duration(j.WaitMS) * time.Millisecond, At: time.Time(j.At), Enforce: j.Enforce,
	}
	if j.Kind != nil {
		t.Kind = *j.Kind
	}
	return nil
}
