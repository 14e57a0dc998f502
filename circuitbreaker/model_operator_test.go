package circuitbreaker_test

import (
	"errors"
	"slices"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

func (w *world) isolate() {
	m := w.machines[one(w.src, w.names...)]
	by := one(w.src, "ana", "ben")
	w.note("isolate %s by %s", m.name, by)
	m.isolate(w.now, by, "maintenance", w.clock())
	if _, err := w.registry.Isolate(m.name, by, "maintenance"); err != nil {
		w.disagree("isolate %s: %v", m.name, err)
	}
}

// release mostly takes a breaker that is isolated, and now and then one that is not.
func (w *world) release() {
	name := one(w.src, w.names...)
	if w.src.pick(4) > 0 {
		for _, other := range w.names {
			if w.machines[other].state == circuitbreaker.Isolated {
				name = other
			}
		}
	}
	w.note("release %s", name)
	released := w.machines[name].release(w.now)
	_, err := w.registry.Release(name)
	if released && err != nil || !released && !errors.Is(err, circuitbreaker.ErrNotIsolated) {
		w.disagree("release %s: %v, the model says released: %t", name, err, released)
	}
}

func (w *world) reset() {
	name := one(w.src, w.names...)
	w.note("reset %s", name)
	w.machines[name].reset(w.now, circuitbreaker.ReasonManualReset)
	if _, err := w.registry.Reset(name); err != nil {
		w.disagree("reset %s: %v", name, err)
	}
}

func (w *world) resetAll() {
	included := w.src.pick(3) == 2
	w.note("reset all, isolated included: %t", included)
	var left []string
	for _, name := range w.names {
		m := w.machines[name]
		if m.state == circuitbreaker.Isolated && !included {
			left = append(left, name)
			continue
		}
		if m.blank() {
			m.clear() // nothing to tell, but a new generation all the same
			continue
		}
		m.reset(w.now, circuitbreaker.ReasonManualReset)
	}
	_, isolated := w.registry.ResetAll(included)
	slices.Sort(isolated)
	if !slices.Equal(isolated, left) {
		w.disagree("reset all left %v, the model %v", isolated, left)
	}
}

// restart ends the process in an orderly way and starts another on the same store; the permits die with the process.
func (w *world) restart() {
	w.note("restart")
	if err := w.registry.Close(w.t.Context()); err != nil {
		w.disagree("close: %v", err)
	}
	w.held, w.parks = nil, nil
	for _, m := range w.machines {
		m.restart(w.now, flushInterval)
	}
	w.boot()
}
