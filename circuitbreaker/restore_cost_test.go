package circuitbreaker_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/circuitbreaker/storetest"
)

// Four times as many breakers cost about four times as much memory, not sixteen times.
func TestRestoringManyBreakersCostsNoMoreThanTheirNumber(t *testing.T) {
	cost := func(n int) uint64 {
		store := storetest.NewMemory()
		var batch circuitbreaker.Batch
		for i := range n {
			batch.Save = append(batch.Save, circuitbreaker.Snapshot{
				Name: fmt.Sprintf("target:p/%d", i), State: circuitbreaker.Degraded, Measure: circuitbreaker.Decay, Failures: 3, Version: uint64(i + 1),
			})
		}
		if err := store.Apply(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		r := circuitbreaker.NewRegistry(circuitbreaker.Options{Store: store})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := r.Restore(t.Context()); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := cost(500), cost(2000); many > 8*few {
		t.Errorf("500 cost %d bytes, 2000 cost %d", few, many)
	}
}
