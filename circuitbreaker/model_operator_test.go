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
		if m.seen(w.now).blank() {
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

// restart ends the process, in an orderly way or after all that was owed was written, and starts another on the same store; the
// permits die with the process.
func (w *world) restart() {
	rekeyed := w.src.pick(4) == 3
	w.note("restart, with another key: %t", rekeyed)
	end := one(w.src, w.registry.Close, w.registry.Flush)
	if err := end(w.t.Context()); err != nil {
		w.disagree("end of the process: %v", err)
	}
	w.held, w.spare, w.walks = nil, nil, [3][]begun{}
	stored, err := w.store.Load(w.t.Context())
	if err != nil {
		w.disagree("load: %v", err)
	}
	for _, row := range stored.Breakers {
		if m := w.machines[row.Name]; m.blank() && !m.windowed() {
			w.disagree("there is a row of %s, which has nothing to remember", row.Name)
		}
	}
	for _, m := range w.machines {
		m.restart(w.now, flushInterval)
	}
	if rekeyed {
		w.machines[theKey].rekey(w.now)
		w.secret += "'"
	}
	w.boot()
}

// rekey gives the key another secret (6.3).
func (w *world) rekey() {
	w.note("another secret for %s", theKey)
	w.machines[theKey].rekey(w.now)
	w.secret += "'"
	w.configure()
}

// leave takes a name out of the configuration and brings it back: what it knew is gone, unless an operator holds it.
func (w *world) leave() {
	m := w.machines[one(w.src, w.names...)]
	released := w.src.pick(2) == 1
	w.note("%s leaves the configuration and comes back, released between: %t", m.name, released)
	w.configure(m.name)
	isolated := m.state == circuitbreaker.Isolated
	if _, known := w.registry.Status(m.name, w.clock()); known != isolated {
		w.disagree("%s is listed: %t, isolated: %t", m.name, known, isolated)
	}
	if isolated && released {
		if _, err := w.registry.Release(m.name); err != nil {
			w.disagree("release %s: %v", m.name, err)
		}
		isolated = false
	}
	if !isolated {
		if _, known := w.registry.Status(m.name, w.clock()); known {
			w.disagree("%s is listed, though neither configured nor held", m.name)
		}
		m.leave()
	}
	w.configure()
}
