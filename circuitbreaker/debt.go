package circuitbreaker

import (
	"maps"
	"slices"
)

const (
	// keptTransitions is how many transitions of a name are remembered.
	keptTransitions = 50
	// maxPending and a bit more transitions wait for a store that fails; then
	// the oldest are lost, a bit at a time, and subscribers are told so.
	maxPending = 10_000
	aBit       = maxPending / 8
)

// debt is what is owed together.
type debt struct {
	names       map[string]struct{} // rows to write or delete
	forget      map[string]uint64   // names whose transitions up to that number go
	transitions []Transition
	reported    int    // how many of the transitions were logged
	lost        uint64 // transitions dropped at maxPending
	all         bool   // every row goes first, but for those of keep
	keep        []string
	included    bool   // with all: what an operator holds goes too
	sync        bool   // an operator acted
	urgent      bool   // not to wait for the flush interval
	since       moment // when the oldest was noted; unset if there is none
}

func (d *debt) row(name string) {
	if d.names == nil {
		d.names = map[string]struct{}{}
	}
	d.names[name] = struct{}{}
}

func (d *debt) add(ts []Transition) {
	d.transitions = append(d.transitions, ts...)
	if extra := len(d.transitions) - maxPending; extra > aBit {
		d.transitions = slices.Delete(d.transitions, 0, extra)
		d.reported = max(d.reported-extra, 0)
		d.lost += uint64(extra)
	}
}

func (d *debt) forgetUpTo(name string, latest uint64) {
	if d.forget == nil {
		d.forget = map[string]uint64{}
	}
	d.forget[name] = latest
}

// batch is what has to be committed, less the rows to save.
func (d *debt) batch() Batch {
	b := Batch{DeleteAll: d.all, Keep: d.keep, Sync: d.sync, Forget: slices.Sorted(maps.Keys(d.forget))}
	for _, t := range d.transitions {
		if latest, gone := d.forget[t.Name]; !gone || t.Seq > latest {
			b.Transitions = append(b.Transitions, t)
		}
	}
	return b
}

// merge adds a newer debt.
func (d *debt) merge(newer debt) {
	for name := range newer.names {
		d.row(name)
	}
	for name, latest := range newer.forget {
		d.forgetUpTo(name, latest)
	}
	d.add(newer.transitions)
	d.lost += newer.lost
	if newer.all {
		d.keep = newer.keep
	}
	d.all, d.included = d.all || newer.all, d.included || newer.included
	d.sync = d.sync || newer.sync
	d.urgent = d.urgent || newer.urgent
}
