package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

func allOrNothing(t *testing.T, s *opened) {
	kept := saved("target:a/b", 5)
	s.apply(t, circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{kept}, Transitions: []circuitbreaker.Transition{transition("target:a/b", 5)}})
	impossible := saved("target:a/x", 7)
	impossible.State = 99
	nowhere := transition("target:a/b", 8)
	nowhere.To = 99
	for _, b := range []circuitbreaker.Batch{
		{DeleteAll: true, Forget: []string{"target:a/b"}, Save: []circuitbreaker.Snapshot{saved("target:a/b", 6), impossible}},
		{Delete: []string{"target:a/b"}, Save: []circuitbreaker.Snapshot{saved("target:a/n", 6)}, Transitions: []circuitbreaker.Transition{transition("target:a/b", 7), nowhere}},
	} {
		if err := s.Apply(t.Context(), b); err == nil {
			t.Fatal("Apply of a state that has no word: no error")
		}
	}
	s.holds(t, kept)
	s.lists(t, "target:a/b", transition("target:a/b", 5))
}

func canceledBatch(t *testing.T, s *opened) {
	kept := saved("target:a/b", 5)
	s.apply(t, circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{kept}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Apply(ctx, circuitbreaker.Batch{DeleteAll: true, Save: []circuitbreaker.Snapshot{saved("target:a/c", 6)}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Apply: %v, want the context's error", err)
	}
	if _, err := s.Load(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Load: %v, want the context's error", err)
	}
	s.holds(t, kept)
}

func largeBatch(t *testing.T, s *opened) {
	var b circuitbreaker.Batch
	for i := range uint64(300) {
		name := fmt.Sprintf("target:p%03d/m%d", i%10, i)
		b.Save = append(b.Save, saved(name, i+1))
		b.Transitions = append(b.Transitions, transition(name, i+1))
	}
	s.apply(t, b)
	s.holds(t, b.Save...)
	s.apply(t, circuitbreaker.Batch{DeleteAll: true})
	s.holds(t)
}

func emptyBatch(t *testing.T, s *opened) {
	s.apply(t, circuitbreaker.Batch{})
	s.holds(t)
}

func operatorsBatch(t *testing.T, s *opened) {
	held := saved("provider:a", 8)
	held.State, held.Isolated = circuitbreaker.Isolated, &circuitbreaker.Isolation{By: "ann", Reason: "maintenance", At: now}
	s.apply(t, circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{held, saved("target:a/b", 9)}})
	s.apply(t, circuitbreaker.Batch{Sync: true, DeleteAll: true, Save: []circuitbreaker.Snapshot{held}})
	s.holds(t, held)
}

func appliedTwice(t *testing.T, s *opened) {
	b := circuitbreaker.Batch{Delete: []string{"target:a/b"}}
	for seq := range uint64(60) {
		b.Transitions = append(b.Transitions, transition("target:a/b", seq+1))
	}
	b.Save = []circuitbreaker.Snapshot{saved("target:a/b", 60), saved("target:a/c", 61)}
	s.apply(t, b)
	s.apply(t, b)
	s.holds(t, b.Save...)
	s.lists(t, "target:a/b", b.Transitions[10:]...)
}
