package circuitbreaker_test

import (
	"context"
	"slices"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// memory is a Store that outlives its registries: the disk of the model's restarts. Like any store it has one caller at a time.
type memory struct {
	rows        map[string]circuitbreaker.Snapshot
	transitions map[string][]circuitbreaker.Transition
	highest     uint64
}

func newMemory() *memory {
	return &memory{rows: map[string]circuitbreaker.Snapshot{}, transitions: map[string][]circuitbreaker.Transition{}}
}

func (s *memory) Load(context.Context) (circuitbreaker.Loaded, error) {
	l := circuitbreaker.Loaded{Transitions: map[string][]circuitbreaker.Transition{}, HighestVersion: s.highest}
	for _, row := range s.rows {
		l.Breakers = append(l.Breakers, row)
	}
	for name, ts := range s.transitions {
		l.Transitions[name] = slices.Clone(ts)
	}
	return l, nil
}

func (s *memory) Apply(_ context.Context, b circuitbreaker.Batch) error {
	if b.DeleteAll {
		clear(s.rows)
	}
	for _, name := range b.Delete {
		delete(s.rows, name)
	}
	for _, name := range b.Forget {
		delete(s.transitions, name)
	}
	for _, row := range b.Save {
		s.highest = max(s.highest, row.Version)
		if s.rows[row.Name].Version <= row.Version {
			s.rows[row.Name] = row
		}
	}
	for _, t := range b.Transitions {
		s.highest = max(s.highest, t.Seq)
		kept := append(s.transitions[t.Name], t)
		s.transitions[t.Name] = kept[max(0, len(kept)-50):]
	}
	return nil
}
