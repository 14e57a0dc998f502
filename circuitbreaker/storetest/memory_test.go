package storetest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/circuitbreaker/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemoryIsAStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) (circuitbreaker.Store, func() circuitbreaker.Store) {
		memory := storetest.NewMemory()
		return memory, func() circuitbreaker.Store { return memory }
	})
}

func TestMemoryFailsUntilItIsToldNotTo(t *testing.T) {
	memory, failure := storetest.NewMemory(), errors.New("disk full")
	batch := circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{{Name: "provider:a", Version: 1}}}
	memory.Fail(failure)
	if err := memory.Apply(t.Context(), batch); !errors.Is(err, failure) {
		t.Errorf("Apply: %v", err)
	}
	if _, err := memory.Load(t.Context()); !errors.Is(err, failure) {
		t.Errorf("Load: %v", err)
	}
	memory.Fail(nil)
	if loaded, err := memory.Load(t.Context()); err != nil || len(loaded.Breakers) != 0 {
		t.Errorf("after a failed batch: %+v, %v", loaded, err)
	}
	if err := memory.Apply(t.Context(), batch); err != nil {
		t.Error(err)
	}
	if n, applied := memory.Attempts(), memory.Applied(); n != 2 || len(applied) != 1 || len(applied[0].Save) != 1 {
		t.Errorf("%d attempts, applied %v", n, applied)
	}
}

func TestABlockedMemoryWaitsForItsReleaseOrTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := storetest.NewMemory()
		release := memory.Block()
		done := make(chan error, 1)
		go func() { done <- memory.Apply(t.Context(), circuitbreaker.Batch{}) }()
		synctest.Wait()
		select {
		case err := <-done:
			t.Fatalf("Apply returned %v while blocked", err)
		default:
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := memory.Apply(ctx, circuitbreaker.Batch{DeleteAll: true}); !errors.Is(err, context.Canceled) {
			t.Errorf("Apply with a canceled context: %v", err)
		}
		release()
		release()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := memory.Apply(t.Context(), circuitbreaker.Batch{}); err != nil {
			t.Error(err)
		}
	})
}

func TestADamagedRowIsReportedUntilItIsReplaced(t *testing.T) {
	memory, damage := storetest.NewMemory(), errors.New("bad json")
	memory.Damage("provider:a", 7, damage)
	loaded, err := memory.Load(t.Context())
	if err != nil || len(loaded.Unreadable) != 1 || loaded.HighestVersion != 7 {
		t.Fatalf("Load: %+v, %v", loaded, err)
	}
	if row := loaded.Unreadable[0]; row.Name != "provider:a" || !errors.Is(row, damage) {
		t.Errorf("unreadable: %v", row)
	}
	save := circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{{Name: "provider:a", Version: 8}}}
	if err := memory.Apply(t.Context(), save); err != nil {
		t.Fatal(err)
	}
	if loaded, err := memory.Load(t.Context()); err != nil || len(loaded.Unreadable) != 0 || len(loaded.Breakers) != 1 {
		t.Errorf("Load: %+v, %v", loaded, err)
	}
}
