package circuitbreaker_test

import (
	"context"
	"testing"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/circuitbreaker/storetest"
)

// watched is a store that fails its test when a row gets older.
type watched struct {
	*storetest.Memory
	t    *testing.T
	seen map[string]uint64 // by name: one caller at a time, so no lock
}

func (w *watched) Apply(ctx context.Context, b circuitbreaker.Batch) error {
	for _, row := range b.Save {
		if row.Version < w.seen[row.Name] {
			w.t.Errorf("version %d of %s after %d", row.Version, row.Name, w.seen[row.Name])
		}
		w.seen[row.Name] = row.Version
	}
	return w.Memory.Apply(ctx, b)
}
