package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Breakers is the store of the breakers' registry (spec: breaker.md 7). It is safe for concurrent
// use, though the registry has one writer. It lives as long as d is open.
func (d *DB) Breakers() circuitbreaker.Store { return breakers{d} }

type breakers struct{ db *DB }

const (
	deleteBreaker     = "DELETE FROM breakers WHERE name = ?"
	deleteBreakers    = "DELETE FROM breakers WHERE name NOT IN (SELECT value FROM json_each(?))"
	forgetTransitions = "DELETE FROM breaker_transitions WHERE name = ?"

	highestDeleted  = "SELECT deleted FROM breaker_versions WHERE id = 1"
	rememberHighest = "UPDATE breaker_versions SET deleted = max(deleted, coalesce((%s), 0)) WHERE id = 1"
)

// Before rows go, the highest version among them is remembered.
var (
	rememberBreakers    = fmt.Sprintf(rememberHighest, "SELECT max(version) FROM breakers")
	rememberBreaker     = fmt.Sprintf(rememberHighest, "SELECT version FROM breakers WHERE name = ?")
	rememberTransitions = fmt.Sprintf(rememberHighest, "SELECT max(seq) FROM breaker_transitions WHERE name = ?")
)

// Load reads everything as it was at one moment.
func (b breakers) Load(ctx context.Context) (circuitbreaker.Loaded, error) {
	loaded := circuitbreaker.Loaded{Transitions: map[string][]circuitbreaker.Transition{}}
	err := b.db.read(ctx, func(reader *sqlx.DB) error {
		tx, err := reader.BeginTxx(ctx, nil)
		if err != nil {
			return err
		}
		var deleted int64
		err = errors.Join(tx.GetContext(ctx, &deleted, highestDeleted), readBreakers(ctx, tx, &loaded),
			readTransitions(ctx, tx, &loaded), tx.Rollback())
		seen(&loaded, deleted)
		return err
	})
	if err != nil {
		return circuitbreaker.Loaded{}, fmt.Errorf("load breakers: %w", err)
	}
	return loaded, nil
}

func readBreakers(ctx context.Context, tx *sqlx.Tx, loaded *circuitbreaker.Loaded) error {
	row := new(breakerRow)
	columns, kinds := row.columns(), kindsReader{}
	return each(ctx, tx, loadBreakers, func(rows *sqlx.Rows) {
		*row = breakerRow{}
		err := rows.Scan(columns...)
		seen(loaded, row.Version)
		var s circuitbreaker.Snapshot
		if err == nil {
			s, err = row.snapshot(kinds)
		}
		if err != nil {
			loaded.Unreadable = append(loaded.Unreadable, circuitbreaker.RowError{Name: row.Name, Err: err})
			return
		}
		loaded.Breakers = append(loaded.Breakers, s)
	})
}

func readTransitions(ctx context.Context, tx *sqlx.Tx, loaded *circuitbreaker.Loaded) error {
	return each(ctx, tx, loadTransitions, func(rows *sqlx.Rows) {
		var row transitionRow
		err := rows.StructScan(&row)
		seen(loaded, row.Seq)
		var t circuitbreaker.Transition
		if err == nil {
			t, err = row.transition()
		}
		if err != nil {
			loaded.Unreadable = append(loaded.Unreadable, circuitbreaker.RowError{Name: row.Name, Err: err, Transition: true})
			return
		}
		loaded.Transitions[t.Name] = append(loaded.Transitions[t.Name], t)
	})
}

// each runs a query and gives every row to take.
func each(ctx context.Context, tx *sqlx.Tx, query string, take func(*sqlx.Rows)) error {
	rows, err := tx.QueryxContext(ctx, query)
	if err != nil {
		return err
	}
	for rows.Next() {
		take(rows)
	}
	return errors.Join(rows.Err(), rows.Close())
}

func seen(loaded *circuitbreaker.Loaded, version int64) {
	if version > 0 {
		loaded.HighestVersion = max(loaded.HighestVersion, uint64(version))
	}
}

// Apply commits the batch in one transaction, deletions first.
func (b breakers) Apply(ctx context.Context, batch circuitbreaker.Batch) error {
	err := b.db.write(ctx, batch.Sync, func(tx *transaction) error {
		if err := applyDeletions(ctx, tx, batch); err != nil {
			return err
		}
		if err := saveSnapshots(ctx, tx, batch.Save); err != nil {
			return err
		}
		return appendTransitions(ctx, tx, batch.Transitions)
	})
	if err != nil {
		return fmt.Errorf("store breakers: %w", err)
	}
	return nil
}

func applyDeletions(ctx context.Context, tx *transaction, batch circuitbreaker.Batch) error {
	if batch.DeleteAll {
		kept, err := json.Marshal(append([]string{}, batch.Keep...))
		if err != nil {
			return err
		}
		if err := errors.Join(tx.exec(ctx, rememberBreakers), tx.exec(ctx, deleteBreakers, string(kept))); err != nil {
			return err
		}
	}
	for _, name := range batch.Delete {
		if err := errors.Join(tx.exec(ctx, rememberBreaker, name), tx.exec(ctx, deleteBreaker, name)); err != nil {
			return err
		}
	}
	for _, name := range batch.Forget {
		if err := errors.Join(tx.exec(ctx, rememberTransitions, name), tx.exec(ctx, forgetTransitions, name)); err != nil {
			return err
		}
	}
	return nil
}

func saveSnapshots(ctx context.Context, tx *transaction, snapshots []circuitbreaker.Snapshot) error {
	for i := range snapshots {
		values, err := breakerValues(&snapshots[i])
		if err != nil {
			return err
		}
		if err := tx.exec(ctx, saveBreaker, values...); err != nil {
			return fmt.Errorf("breaker %s: %w", snapshots[i].Name, err)
		}
	}
	return nil
}

// appendTransitions trims each name once.
func appendTransitions(ctx context.Context, tx *transaction, transitions []circuitbreaker.Transition) error {
	appended := make(map[string]struct{}, len(transitions))
	for i := range transitions {
		t := &transitions[i]
		values, err := transitionValues(t)
		if err != nil {
			return err
		}
		if err := tx.exec(ctx, appendTransition, values...); err != nil {
			return fmt.Errorf("transition %d of %s: %w", t.Seq, t.Name, err)
		}
		appended[t.Name] = struct{}{}
	}
	for name := range appended {
		if err := tx.exec(ctx, trimTransitions, name, name, keptTransitions); err != nil {
			return fmt.Errorf("transitions of %s: %w", name, err)
		}
	}
	return nil
}
