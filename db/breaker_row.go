package db

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// breakerRow is a row of the table breakers as SQL gives it.
type breakerRow struct {
	Name            string
	Version         int64
	State           string
	Reason          string
	Kind            string
	Measure         string
	WindowNS        int64
	FailureCount    int
	KindCounts      string
	Buckets         string
	LastFailureKind string
	LastFailureAt   sql.NullInt64
	OpenedAt        sql.NullInt64
	RetryAt         sql.NullInt64
	OpenCycle       int
	ProbeSuccesses  int
	CooldownUntil   sql.NullInt64
	CooldownHinted  bool
	IsolatedAt      sql.NullInt64
	IsolatedBy      sql.NullString
	IsolatedReason  sql.NullString
	Fingerprint     string
	UpdatedAt       sql.NullInt64
}

// columns is where a scan puts breakerColumns, in their order: a start reads thousands of rows, and scanning by name
// looks every column up in each. name and version come first: a row whose rest can't be read still tells them.
func (r *breakerRow) columns() []any {
	return []any{
		&r.Name, &r.Version, &r.State, &r.Reason, &r.Kind, &r.Measure, &r.WindowNS, &r.FailureCount, &r.KindCounts, &r.Buckets,
		&r.LastFailureKind, &r.LastFailureAt, &r.OpenedAt, &r.RetryAt, &r.OpenCycle, &r.ProbeSuccesses,
		&r.CooldownUntil, &r.CooldownHinted, &r.IsolatedAt, &r.IsolatedBy, &r.IsolatedReason, &r.Fingerprint, &r.UpdatedAt,
	}
}

const (
	breakerColumns = `name, version, state, reason, kind, measure, window_ns, failure_count, kind_counts, buckets,
		last_failure_kind, last_failure_at, opened_at, retry_at, open_cycle, probe_successes,
		cooldown_until, cooldown_hinted, isolated_at, isolated_by, isolated_reason, fingerprint, updated_at`

	loadBreakers = "SELECT " + breakerColumns + " FROM breakers ORDER BY name"

	// saveBreaker leaves a row with a newer version as it is.
	saveBreaker = "INSERT INTO breakers (" + breakerColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET version = excluded.version, state = excluded.state,
			reason = excluded.reason, kind = excluded.kind, measure = excluded.measure,
			window_ns = excluded.window_ns, failure_count = excluded.failure_count,
			kind_counts = excluded.kind_counts, buckets = excluded.buckets,
			last_failure_kind = excluded.last_failure_kind, last_failure_at = excluded.last_failure_at,
			opened_at = excluded.opened_at, retry_at = excluded.retry_at, open_cycle = excluded.open_cycle,
			probe_successes = excluded.probe_successes, cooldown_until = excluded.cooldown_until,
			cooldown_hinted = excluded.cooldown_hinted, isolated_at = excluded.isolated_at,
			isolated_by = excluded.isolated_by, isolated_reason = excluded.isolated_reason,
			fingerprint = excluded.fingerprint, updated_at = excluded.updated_at
		WHERE excluded.version >= breakers.version`
)

// bucketJSON is one element of the column buckets.
type bucketJSON struct {
	Start  int64                       `json:"start"` // Unix ms
	Total  int                         `json:"total"`
	Failed int                         `json:"failed,omitempty"`
	Kinds  map[circuitbreaker.Kind]int `json:"kinds,omitempty"`
}

// breakerValues are the values of breakerColumns for one snapshot.
func breakerValues(s *circuitbreaker.Snapshot) ([]any, error) {
	state, err := s.State.MarshalText()
	if err != nil {
		return nil, fmt.Errorf("breaker %s: %w", s.Name, err)
	}
	kinds, err := kindsText(s.Kinds)
	if err != nil {
		return nil, fmt.Errorf("breaker %s: %w", s.Name, err)
	}
	buckets, err := bucketsText(s.Buckets)
	if err != nil {
		return nil, fmt.Errorf("breaker %s: %w", s.Name, err)
	}
	var heldAt, heldBy, heldWhy any
	if s.Isolated != nil {
		heldAt, heldBy, heldWhy = s.Isolated.At.UnixMilli(), s.Isolated.By, s.Isolated.Reason
	}
	return []any{
		s.Name, int64(s.Version), string(state), s.Reason, string(s.Kind), string(s.Measure), int64(s.Window),
		s.Failures, kinds, buckets, string(s.LastFailureKind), millis(s.LastFailureAt), millis(s.OpenedAt),
		millis(s.RetryAt), s.Cycle, s.Successes, millis(s.ParkedUntil), s.ParkHinted, heldAt, heldBy, heldWhy,
		s.Fingerprint, millis(s.UpdatedAt),
	}, nil
}

// snapshot reads the row. An error says what in it can't be understood.
func (r *breakerRow) snapshot(kinds kindsReader) (circuitbreaker.Snapshot, error) {
	s := circuitbreaker.Snapshot{
		Name: r.Name, Version: uint64(r.Version), Reason: r.Reason, Kind: circuitbreaker.Kind(r.Kind),
		Measure: circuitbreaker.Measure(r.Measure), Window: time.Duration(r.WindowNS), Failures: r.FailureCount,
		LastFailureKind: circuitbreaker.Kind(r.LastFailureKind), LastFailureAt: at(r.LastFailureAt),
		OpenedAt: at(r.OpenedAt), RetryAt: at(r.RetryAt), Cycle: r.OpenCycle, Successes: r.ProbeSuccesses,
		ParkedUntil: at(r.CooldownUntil), ParkHinted: r.CooldownHinted, Fingerprint: r.Fingerprint,
		UpdatedAt: at(r.UpdatedAt),
	}
	if r.IsolatedAt.Valid {
		s.Isolated = &circuitbreaker.Isolation{
			By: r.IsolatedBy.String, Reason: r.IsolatedReason.String, At: at(r.IsolatedAt),
		}
	}
	var failed error
	if err := s.State.UnmarshalText([]byte(r.State)); err != nil {
		failed = errors.Join(failed, fmt.Errorf("state: %w", err))
	}
	if r.Version < 0 || r.FailureCount < 0 || r.OpenCycle < 0 || r.ProbeSuccesses < 0 || r.WindowNS < 0 {
		failed = errors.Join(failed, errors.New("a count below zero"))
	}
	var err error
	if s.Kinds, err = kinds.read(r.KindCounts); err != nil {
		failed = errors.Join(failed, fmt.Errorf("kind_counts: %w", err))
	}
	if s.Buckets, err = parseBuckets(r.Buckets); err != nil {
		failed = errors.Join(failed, fmt.Errorf("buckets: %w", err))
	}
	return s, failed
}

func kindsText(kinds map[circuitbreaker.Kind]int) (string, error) {
	if len(kinds) == 0 {
		return "{}", nil
	}
	text, err := json.Marshal(kinds)
	return string(text), err
}

// kindsReader reads counts of kinds, each text once: the rows of an outage have few different ones.
type kindsReader map[string]map[circuitbreaker.Kind]int

// read gives the counts to the caller.
func (k kindsReader) read(text string) (map[circuitbreaker.Kind]int, error) {
	if text == "{}" {
		return nil, nil
	}
	kinds, known := k[text]
	if !known {
		if err := json.Unmarshal([]byte(text), &kinds); err != nil {
			return nil, err
		}
		k[text] = kinds
	}
	return maps.Clone(kinds), nil
}

func bucketsText(buckets []circuitbreaker.Bucket) (string, error) {
	if len(buckets) == 0 {
		return "[]", nil
	}
	list := make([]bucketJSON, len(buckets))
	for i, b := range buckets {
		list[i] = bucketJSON{Start: b.Start.UnixMilli(), Total: b.Total, Failed: b.Failed, Kinds: b.Kinds}
	}
	text, err := json.Marshal(list)
	return string(text), err
}

func parseBuckets(text string) ([]circuitbreaker.Bucket, error) {
	if text == "[]" {
		return nil, nil
	}
	var list []bucketJSON
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, err
	}
	buckets := make([]circuitbreaker.Bucket, len(list))
	for i, b := range list {
		buckets[i] = circuitbreaker.Bucket{
			Start: time.UnixMilli(b.Start).UTC(), Total: b.Total, Failed: b.Failed, Kinds: b.Kinds,
		}
	}
	return buckets, nil
}

// millis is a time as stored: Unix ms, NULL for the zero time.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// at is a stored time in UTC.
func at(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}
