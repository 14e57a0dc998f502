package db

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// keptTransitions is how many transitions of a breaker are kept (api.md, GET breakers/{name}).
const keptTransitions = 50

// transitionRow is a row of the table breaker_transitions as SQL gives it.
type transitionRow struct {
	Name    string        `db:"name"`
	Seq     int64         `db:"seq"`
	At      sql.NullInt64 `db:"at"`
	From    string        `db:"from_state"`
	To      string        `db:"to_state"`
	Reason  string        `db:"reason"`
	Kind    string        `db:"kind"`
	Measure float64       `db:"measure"`
	WaitMS  int64         `db:"wait_ms"`
	Enforce bool          `db:"enforce"`
}

const (
	transitionColumns = "name, seq, at, from_state, to_state, reason, kind, measure, wait_ms, enforce"

	loadTransitions = "SELECT " + transitionColumns + " FROM breaker_transitions ORDER BY name, seq"

	// appendTransition does nothing for one that a batch, which is applied again, has appended before.
	appendTransition = "INSERT INTO breaker_transitions (" + transitionColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name, seq) DO NOTHING`

	// trimTransitions has the name twice and the number that is kept.
	trimTransitions = `DELETE FROM breaker_transitions WHERE name = ? AND seq <=
		(SELECT seq FROM breaker_transitions WHERE name = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)`
)

// transitionValues are the values of transitionColumns for one transition.
func transitionValues(t *circuitbreaker.Transition) ([]any, error) {
	from, err := t.From.MarshalText()
	if err != nil {
		return nil, fmt.Errorf("transition %d of %s: %w", t.Seq, t.Name, err)
	}
	to, err := t.To.MarshalText()
	if err != nil {
		return nil, fmt.Errorf("transition %d of %s: %w", t.Seq, t.Name, err)
	}
	wait := (t.Wait + time.Millisecond - 1) / time.Millisecond
	return []any{
		t.Name, int64(t.Seq), millis(t.At), string(from), string(to), t.Reason, string(t.Kind), t.Measure,
		int64(wait), t.Enforce,
	}, nil
}

// transition reads the row. An error says what in it can't be understood.
func (r *transitionRow) transition() (circuitbreaker.Transition, error) {
	t := circuitbreaker.Transition{
		Name: r.Name, Reason: r.Reason, Kind: circuitbreaker.Kind(r.Kind), Measure: r.Measure,
		Wait: time.Duration(r.WaitMS) * time.Millisecond, At: at(r.At), Enforce: r.Enforce, Seq: uint64(r.Seq),
	}
	err := errors.Join(t.From.UnmarshalText([]byte(r.From)), t.To.UnmarshalText([]byte(r.To)))
	if err == nil && r.Seq < 0 {
		err = errors.New("a number below zero")
	}
	if err != nil {
		return t, fmt.Errorf("transition %d: %w", r.Seq, err)
	}
	return t, nil
}
