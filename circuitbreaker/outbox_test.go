package circuitbreaker

import (
	"sync"
	"testing"
)

// What a look can see in the history is owed already: whoever shows it waits for the disk.
func TestHistoryIsNeverAheadOfWhatIsOwed(t *testing.T) {
	const transitions = 20_000
	for name, note := range map[string]func(*outbox, Transition){
		"a transition":     func(o *outbox, tr Transition) { o.made("a", []Transition{tr}, 0) },
		"a reset of all":   func(o *outbox, tr Transition) { o.resetAll([]Transition{tr}, []string{"a"}, nil, false, 0) },
		"a forgotten name": func(o *outbox, tr Transition) { o.made("a", []Transition{tr}, 0); o.forget("a", tr.Seq, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			var o outbox
			o.init()
			var group sync.WaitGroup
			group.Go(func() {
				for seq := range uint64(transitions) {
					note(&o, Transition{Name: "a", Seq: seq + 1})
				}
			})
			for owed := uint64(0); owed < transitions; {
				o.mu.Lock()
				seen, forgotten := uint64(0), o.debt.forget["a"]
				if kept := o.history["a"]; len(kept) > 0 {
					seen = kept[len(kept)-1].Seq
				}
				owed = 0
				if pending := o.debt.transitions; len(pending) > 0 {
					owed = pending[len(pending)-1].Seq
				}
				o.mu.Unlock()
				if seen > owed {
					t.Fatalf("transition %d is seen, and %d is owed", seen, owed)
				}
				if seen == 0 && owed > forgotten {
					t.Fatalf("transition %d is not seen any more, and only %d is to be forgotten", owed, forgotten)
				}
			}
			group.Wait()
		})
	}
}
