package circuitbreaker

import (
	"encoding/json"
	"time"
)

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// jsonTime is RFC 3339 in UTC with milliseconds, null for the zero time.
type jsonTime time.Time

func (t jsonTime) MarshalJSON() ([]byte, error) {
	if time.Time(t).IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + time.Time(t).UTC().Format(timeLayout) + `"`), nil
}

func (t *jsonTime) UnmarshalJSON(b []byte) error { return (*time.Time)(t).UnmarshalJSON(b) }

// ceilMS is d in whole milliseconds, rounded up: a caller that waits so long is not early.
func ceilMS(d time.Duration) int64 {
	ms := d.Milliseconds()
	if d > time.Duration(ms)*time.Millisecond {
		ms++
	}
	return ms
}

type statusJSON struct {
	Name                    string         `json:"name"`
	Scope                   string         `json:"scope"`
	State                   State          `json:"state"`
	Reason                  *string        `json:"reason"`
	FailureCount            int            `json:"failure_count"`
	FailureThreshold        int            `json:"failure_threshold"`
	DegradedAt              float64        `json:"degraded_at"`
	Measure                 Measure        `json:"measure"`
	MeasureValue            float64        `json:"measure_value"`
	KindCounts              map[Kind]int   `json:"kind_counts"`
	LastFailureKind         *Kind          `json:"last_failure_kind"`
	LastFailureAt           jsonTime       `json:"last_failure_at"`
	OpenedAt                jsonTime       `json:"opened_at"`
	RetryAt                 jsonTime       `json:"retry_at"`
	RetryAfterMS            *int64         `json:"retry_after_ms"`
	OpenCycle               int            `json:"open_cycle"`
	ResetTimeoutMS          int64          `json:"reset_timeout_ms"`
	EffectiveResetTimeoutMS int64          `json:"effective_reset_timeout_ms"`
	CooldownUntil           jsonTime       `json:"cooldown_until"`
	ProbesInFlight          int            `json:"probes_in_flight"`
	HalfOpenRequests        int            `json:"half_open_requests"`
	Enforce                 bool           `json:"enforce"`
	WouldBe                 *State         `json:"would_be"`
	Isolated                *isolationJSON `json:"isolated"`
	Version                 uint64         `json:"version"`
	UpdatedAt               jsonTime       `json:"updated_at"`
}

type isolationJSON struct {
	By     string   `json:"by"`
	Reason string   `json:"reason"`
	At     jsonTime `json:"at"`
}

// MarshalJSON gives the object B of api.md.
func (s Status) MarshalJSON() ([]byte, error) {
	j := statusJSON{
		Name: s.Name, Scope: s.Scope.String(), State: s.State, Reason: present(s.Reason),
		FailureCount: s.FailureCount, FailureThreshold: s.FailureThreshold, DegradedAt: s.DegradedAt,
		Measure: s.Measure, MeasureValue: s.MeasureValue, KindCounts: s.KindCounts,
		LastFailureKind: present(s.LastFailureKind), LastFailureAt: jsonTime(s.LastFailureAt),
		OpenedAt: jsonTime(s.OpenedAt), RetryAt: jsonTime(s.RetryAt), OpenCycle: s.OpenCycle,
		ResetTimeoutMS: ceilMS(s.ResetTimeout), EffectiveResetTimeoutMS: ceilMS(s.EffectiveResetTimeout),
		CooldownUntil: jsonTime(s.CooldownUntil), ProbesInFlight: s.ProbesInFlight,
		HalfOpenRequests: s.HalfOpenRequests, Enforce: s.Enforce,
		Version: s.Version, UpdatedAt: jsonTime(s.UpdatedAt),
	}
	if j.KindCounts == nil {
		j.KindCounts = map[Kind]int{}
	}
	if s.RetryAfter >= 0 {
		j.RetryAfterMS = new(ceilMS(s.RetryAfter))
	}
	if !s.Enforce {
		j.WouldBe = &s.WouldBe
	}
	if s.Isolated != nil {
		j.Isolated = &isolationJSON{By: s.Isolated.By, Reason: s.Isolated.Reason, At: jsonTime(s.Isolated.At)}
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON gave, to the millisecond.
func (s *Status) UnmarshalJSON(b []byte) error {
	var j statusJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*s = Status{
		Name: j.Name, Scope: scopeOf(j.Name), State: j.State, Reason: value(j.Reason),
		FailureCount: j.FailureCount, FailureThreshold: j.FailureThreshold, DegradedAt: j.DegradedAt,
		Measure: j.Measure, MeasureValue: j.MeasureValue, KindCounts: j.KindCounts,
		LastFailureKind: value(j.LastFailureKind), LastFailureAt: time.Time(j.LastFailureAt),
		OpenedAt: time.Time(j.OpenedAt), RetryAt: time.Time(j.RetryAt), RetryAfter: -1, OpenCycle: j.OpenCycle,
		ResetTimeout:          time.Duration(j.ResetTimeoutMS) * time.Millisecond,
		EffectiveResetTimeout: time.Duration(j.EffectiveResetTimeoutMS) * time.Millisecond,
		CooldownUntil:         time.Time(j.CooldownUntil), ProbesInFlight: j.ProbesInFlight,
		HalfOpenRequests: j.HalfOpenRequests, Enforce: j.Enforce, WouldBe: j.State,
		Version: j.Version, UpdatedAt: time.Time(j.UpdatedAt),
	}
	if j.RetryAfterMS != nil {
		s.RetryAfter = time.Duration(*j.RetryAfterMS) * time.Millisecond
	}
	if j.WouldBe != nil {
		s.WouldBe = *j.WouldBe
	}
	if j.Isolated != nil {
		s.Isolated = &Isolation{By: j.Isolated.By, Reason: j.Isolated.Reason, At: time.Time(j.Isolated.At)}
	}
	return nil
}

// present is nil for the zero value: JSON null.
func present[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
