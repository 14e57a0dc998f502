package storetest

import (
	"testing"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

func newerVersion(t *testing.T, s *opened) {
	older, newer := saved("target:a/b", 3), saved("target:a/b", 4)
	newer.State = circuitbreaker.Open
	s.apply(t, circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{older}})
	s.apply(t, circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{newer}})
	s.holds(t, newer)

	again := saved("target:a/b", 4)
	s.apply(t, circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{again}})
	s.holds(t, again)
}

func olderVersion(t *testing.T, s *opened) {
	newer, older, other := saved("target:a/b", 1<<40), saved("target:a/b", 1<<40-1), saved("target:a/c", 2)
	older.State = circuitbreaker.Open
	s.apply(t, circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{newer}})
	s.apply(t, circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{older, other}})
	s.holds(t, newer, other)
	s.apply(t, circuitbreaker.Batch{DeleteAll: true, Save: []circuitbreaker.Snapshot{newer, older}})
	s.holds(t, newer)
}

func highestVersion(t *testing.T, s *opened) {
	steps := []struct {
		what  string
		batch circuitbreaker.Batch
		want  uint64
	}{
		{"a row", circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{saved("target:a/b", 7), saved("target:a/c", 3)}}, 7},
		{"an older row", circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{saved("target:a/b", 6)}}, 7},
		{"a transition", circuitbreaker.Batch{Transitions: []circuitbreaker.Transition{transition("target:a/b", 20), transition("target:a/b", 21)}}, 21},
		{"newer rows", circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{saved("target:a/b", 30), saved("target:a/c", 29)}}, 30},
		{"a deleted row", circuitbreaker.Batch{Delete: []string{"target:a/b"}}, 30},
		{"newest row", circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{saved("target:a/b", 40)}}, 40},
		{"all deleted", circuitbreaker.Batch{DeleteAll: true}, 40},
		{"newest transition", circuitbreaker.Batch{Transitions: []circuitbreaker.Transition{transition("target:a/b", 50)}}, 50},
		{"forgotten", circuitbreaker.Batch{Forget: []string{"target:a/b"}}, 50},
		{"a large one", circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{saved("target:a/b", 1<<62)}}, 1 << 62},
	}
	for _, step := range steps {
		s.apply(t, step.batch)
		s.both(t, func(t *testing.T, loaded circuitbreaker.Loaded) {
			t.Helper()
			if loaded.HighestVersion != step.want {
				t.Errorf("%s: highest version is %d, want %d", step.what, loaded.HighestVersion, step.want)
			}
		})
	}
}
