package storetest

import (
	"testing"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// begun has two rows with a transition each.
func begun(t *testing.T, s *opened) (b, c circuitbreaker.Snapshot, moved circuitbreaker.Transition) {
	t.Helper()
	b, c, moved = saved("target:a/b", 1), saved("target:a/c", 2), transition("target:a/b", 1)
	s.apply(t, circuitbreaker.Batch{
		Save:        []circuitbreaker.Snapshot{b, c},
		Transitions: []circuitbreaker.Transition{moved, transition("target:a/c", 2)},
	})
	return b, c, moved
}

func deletedRow(t *testing.T, s *opened) {
	b, c, moved := begun(t, s)
	s.apply(t, circuitbreaker.Batch{Delete: []string{b.Name}})
	s.holds(t, c)
	s.lists(t, b.Name, moved)
}

func deletedAll(t *testing.T, s *opened) {
	b, c, moved := begun(t, s)
	s.apply(t, circuitbreaker.Batch{DeleteAll: true})
	s.holds(t)
	s.lists(t, b.Name, moved)
	s.lists(t, c.Name, transition(c.Name, 2))
}

func deletedAllButKept(t *testing.T, s *opened) {
	b, c, moved := begun(t, s)
	d := saved("target:'a'/\"d\"", 3)
	s.apply(t, circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{d}})
	s.apply(t, circuitbreaker.Batch{DeleteAll: true, Keep: []string{d.Name, "target:a/none", b.Name}})
	s.holds(t, b, d)
	s.lists(t, b.Name, moved)
	s.lists(t, c.Name, transition(c.Name, 2))
	s.apply(t, circuitbreaker.Batch{DeleteAll: true, Keep: []string{b.Name, d.Name}, Delete: []string{b.Name}})
	s.holds(t, d)
	s.apply(t, circuitbreaker.Batch{Keep: []string{c.Name}})
	s.holds(t, d)
}

func deletionsFirst(t *testing.T, s *opened) {
	b, c, _ := begun(t, s)
	older, reset := saved(c.Name, 1), transition(b.Name, 3)
	s.apply(t, circuitbreaker.Batch{
		Delete: []string{b.Name, c.Name}, Forget: []string{b.Name, c.Name},
		Save: []circuitbreaker.Snapshot{older}, Transitions: []circuitbreaker.Transition{reset},
	})
	s.holds(t, older)
	s.lists(t, b.Name, reset)
	s.lists(t, c.Name)
	s.apply(t, circuitbreaker.Batch{
		DeleteAll: true, Save: []circuitbreaker.Snapshot{b}, Transitions: []circuitbreaker.Transition{transition(b.Name, 4)},
	})
	s.holds(t, b)
	s.lists(t, b.Name, reset, transition(b.Name, 4))
}

func deletedNothing(t *testing.T, s *opened) {
	b, c, moved := begun(t, s)
	s.apply(t, circuitbreaker.Batch{Delete: []string{"target:a/none"}, Forget: []string{"target:a/none"}})
	s.holds(t, b, c)
	s.lists(t, b.Name, moved)
}

func appendedTransition(t *testing.T, s *opened) {
	bare := circuitbreaker.Transition{Name: "target:a/b", Seq: 1, At: now}
	whole := transition("target:a/b", 1<<62)
	s.apply(t, circuitbreaker.Batch{Transitions: []circuitbreaker.Transition{bare}})
	s.apply(t, circuitbreaker.Batch{Transitions: []circuitbreaker.Transition{whole}})
	s.lists(t, "target:a/b", bare, whole)
}

func keptLast(t *testing.T, s *opened) {
	other := transition("target:a/c", 3)
	s.apply(t, circuitbreaker.Batch{Transitions: []circuitbreaker.Transition{other}})
	var all []circuitbreaker.Transition
	for seq := uint64(10); seq < 10+3*45; seq += 3 {
		all = append(all, transition("target:a/b", seq))
	}
	s.apply(t, circuitbreaker.Batch{Transitions: all})
	s.lists(t, "target:a/b", all...)
	for seq := uint64(1000); seq < 1200; seq++ {
		all = append(all, transition("target:a/b", seq))
	}
	for i := 45; i < len(all); i += 20 {
		s.apply(t, circuitbreaker.Batch{Transitions: all[i:min(i+20, len(all))]})
	}
	s.lists(t, "target:a/b", all[len(all)-50:]...)
	s.lists(t, "target:a/c", other)
}

func forgotten(t *testing.T, s *opened) {
	b, c, _ := begun(t, s)
	s.apply(t, circuitbreaker.Batch{Forget: []string{b.Name}})
	s.holds(t, b, c)
	s.lists(t, b.Name)
	s.lists(t, c.Name, transition(c.Name, 2))
}
