package circuitbreaker

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Reset brings one breaker back to CLOSED with nothing learned, ISOLATED
// included, and deletes its row. ErrUnknown if there is no such name.
func (r *Registry) Reset(name string) (Status, error) {
	return r.operate(name, func(b *Breaker, t *turn) error {
		b.m.reset(t, ReasonManualReset)
		return nil
	})
}

// Isolate holds a breaker: it refuses everything until it is released or
// reset. Isolating again notes the new by and reason. ErrUnknown if there is
// no such name.
func (r *Registry) Isolate(name, by, reason string) (Status, error) {
	return r.operate(name, func(b *Breaker, t *turn) error {
		b.m.isolate(t, Isolation{By: by, Reason: reason, At: b.reg.clock.time(t.now)})
		return nil
	})
}

// Release ends an isolation: HALF_OPEN, so that one probe decides. ErrUnknown
// if there is no such name, ErrNotIsolated if it is not held.
func (r *Registry) Release(name string) (Status, error) {
	return r.operate(name, func(b *Breaker, t *turn) error {
		if b.m.state != Isolated {
			return ErrNotIsolated
		}
		b.m.release(t)
		return nil
	})
}

// operate lets an operator act on one breaker, which is made if its name is
// known, and returns how it stands then.
func (r *Registry) operate(name string, act func(b *Breaker, t *turn) error) (Status, error) {
	now := r.clock.now()
	r.clock.observe(now)
	at := r.clock.moment(now)
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.table.Load().slots[name]
	if s == nil {
		return Status{}, ErrUnknown
	}
	b := r.obtain(name)
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.turn(at, 0)
	if err := act(b, &t); err != nil {
		return Status{}, err
	}
	b.done(&t)
	r.outbox.acted(name, at)
	status := b.status(at)
	if r.configured && !s.configured && b.m.state != Isolated {
		// Its name left the configuration while it was held.
		b.leave(departed)
		r.live--
		r.table.Store(r.table.Load().without(name))
		r.outbox.forget(name, t.seq.last.Load(), at)
	}
	return status, nil
}

// ResetAll resets every breaker that has anything to clear, in one step for
// traffic and for the store, and deletes every row. ISOLATED breakers are left
// alone, unless included, and so are rows that could not be read, for an
// operator may hold what they tell of. It returns the names that it reset, and
// the names that it left, sorted. Spec: breaker.md 5.
func (r *Registry) ResetAll(includeIsolated bool) (reset, left []string) {
	now := r.clock.moment(time.Time{})
	r.mu.Lock()
	defer r.mu.Unlock()
	old, next := r.table.Load().slots, &table{slots: map[string]*slot{}}
	var leaving []*Breaker
	var isolated []string
	for name, s := range old {
		b := s.breaker.Load()
		if b != nil && !includeIsolated && b.held() {
			isolated = append(isolated, name)
			next.slots[name] = s
			continue
		}
		if b != nil {
			leaving = append(leaving, b)
		}
		if s.configured || !r.configured {
			next.slots[name] = &slot{name: name, rules: s.rules, fingerprint: s.fingerprint, configured: s.configured}
		}
	}
	// From here on traffic finds the new table. It can't make a breaker in it
	// before mu is free, so nothing is noted of the new ones before the old are gone.
	r.table.Store(next)
	var made []Transition
	last := map[*slot]*Transition{}
	for _, b := range leaving {
		ts := b.resetAway(now)
		if len(ts) == 0 {
			continue
		}
		reset = append(reset, b.name)
		made = append(made, ts...)
		if s := next.slots[b.name]; s != nil {
			last[s] = &ts[len(ts)-1]
		}
	}
	r.live -= len(leaving)
	keep := r.unread()
	if includeIsolated {
		reset, keep, r.unreadable = append(reset, keep...), nil, nil
	}
	left = slices.Concat(isolated, keep)
	slices.Sort(reset)
	slices.Sort(left)
	slices.SortFunc(made, func(a, b Transition) int { return cmp.Compare(a.Seq, b.Seq) })
	r.outbox.resetAll(made, isolated, keep, includeIsolated, now)
	for s, t := range last {
		r.begins(s, t, now)
	}
	return reset, left
}

// unread are the names of the stored rows that could not be read, less those
// that are about to be replaced or deleted; with mu held.
func (r *Registry) unread() []string {
	maps.DeleteFunc(r.unreadable, func(name string, _ struct{}) bool { return r.outbox.owesRow(name) })
	return slices.Collect(maps.Keys(r.unreadable))
}

// begins makes the breaker of a slot that t, a reset, has emptied, so that it
// shows what a reset by name shows; with mu held.
func (r *Registry) begins(s *slot, t *Transition, now moment) {
	b := newBreaker(r, s, now)
	b.m.reason, b.version = t.Reason, t.Seq
	s.breaker.Store(b)
	r.live++
}

// held says whether an operator holds b.
func (b *Breaker) held() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.m.state == Isolated
}

// resetAway makes b gone and returns the transition of its reset, if there was
// anything to clear.
func (b *Breaker) resetAway(now moment) []Transition {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.turn(now, 0)
	b.m.fade(t.rules, now)
	blank := b.m.blank()
	b.m.reset(&t, ReasonManualReset)
	b.leave(replaced)
	if blank {
		return nil
	}
	return b.transitions(&t)
}
