package circuitbreaker

import "time"

// Snapshot is what a breaker has learned, as a value: the stored row of one
// breaker. State, deadline and counts in it were captured together under one
// Version. Times are wall time; a zero time means none. It holds no settings.
// Spec: breaker.md 7.1.
type Snapshot struct {
	Name    string `json:"name"`
	Version uint64 `json:"version"`
	State   State  `json:"state"`
	// Reason is the reason of the last transition, Kind the failure kind that opened the breaker.
	Reason string `json:"reason,omitempty"`
	Kind   Kind   `json:"kind,omitempty"`
	// Measure and Window are those under which the counts were taken.
	Measure Measure       `json:"measure"`
	Window  time.Duration `json:"window,omitempty"`
	// Failures is the count of Consecutive and Decay; Kinds their counts per kind.
	Failures int          `json:"failures,omitempty"`
	Kinds    map[Kind]int `json:"kinds,omitempty"`
	// Buckets are the filled buckets of Window, oldest first.
	Buckets         []Bucket  `json:"buckets,omitempty"`
	LastFailureKind Kind      `json:"last_failure_kind,omitempty"`
	LastFailureAt   time.Time `json:"last_failure_at,omitzero"`
	OpenedAt        time.Time `json:"opened_at,omitzero"`
	// RetryAt is the deadline of OPEN.
	RetryAt time.Time `json:"retry_at,omitzero"`
	// Cycle counts failed recoveries since the breaker last closed.
	Cycle int `json:"cycle,omitempty"`
	// Successes counts the probes of this probe period that ended well.
	Successes int `json:"successes,omitempty"`
	// ParkedUntil is the end of the cooldown; ParkHinted says that a Retry-After hint set it.
	ParkedUntil time.Time  `json:"parked_until,omitzero"`
	ParkHinted  bool       `json:"park_hinted,omitempty"`
	Isolated    *Isolation `json:"isolated,omitempty"`
	// Fingerprint is that of the key's secret under which this was learned.
	Fingerprint string    `json:"fingerprint,omitempty"`
	UpdatedAt   time.Time `json:"updated_at,omitzero"`
}

// Bucket is a tenth of a rolling window, begun by the first verdict in it.
type Bucket struct {
	Start  time.Time    `json:"start"`
	Total  int          `json:"total"`
	Failed int          `json:"failed,omitempty"`
	Kinds  map[Kind]int `json:"kinds,omitempty"`
}

// Isolation tells who holds a breaker, why, and since when.
type Isolation struct {
	By     string    `json:"by"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}
