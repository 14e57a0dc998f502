package circuitbreaker

import (
	"cmp"
	"time"
)

// Sweep evicts the breakers that are CLOSED, measure nothing, and were not
// asked for Options.IdleAfter, with their rows, and returns how many. Start
// calls it every Options.SweepInterval. Spec: breaker.md 6.4.
func (r *Registry) Sweep(now time.Time) int {
	at := r.clock.moment(now)
	r.mu.Lock()
	defer r.mu.Unlock()
	evicted, unnamed := 0, []string(nil)
	for name, s := range r.table.Load().slots {
		b := s.breaker.Load()
		if b == nil {
			continue
		}
		if b.touched.Swap(false) {
			b.idleSince = at
		}
		if at.since(b.idleSince) < r.options.IdleAfter || !r.evict(s, b, at) {
			continue
		}
		evicted++
		if !s.configured {
			unnamed = append(unnamed, name)
		}
	}
	r.table.Store(r.table.Load().without(unnamed...))
	return evicted
}

// makeRoom evicts the coldest breaker if the registry is full, one of scope if
// there is one; with mu held. If none of any scope may be evicted, the registry
// grows and says so once.
func (r *Registry) makeRoom(scope Scope, now moment) {
	if r.live < r.options.MaxBreakers {
		r.overfull = false
		return
	}
	for {
		s := r.coldest(scope, now)
		if s == nil {
			break
		}
		if r.evict(s, s.breaker.Load(), now) {
			if !s.configured {
				r.table.Store(r.table.Load().without(s.name))
			}
			return
		}
	}
	if !r.overfull {
		r.overfull = true
		r.log.Warn("more circuit breakers than max_breakers, none of them idle", "max_breakers", r.options.MaxBreakers)
	}
}

// coldest is the slot of the evictable breaker that was asked longest ago: of
// those of scope, and if there are none of all; nil if none may be evicted.
func (r *Registry) coldest(scope Scope, now moment) *slot {
	var found *slot
	for _, s := range r.table.Load().slots {
		b := s.breaker.Load()
		if b == nil || !b.cold(now) {
			continue
		}
		if found == nil || b.goesBefore(found.breaker.Load(), scope) {
			found = s
		}
	}
	return found
}

// evict removes the breaker of a slot, unless it has something to remember.
func (r *Registry) evict(s *slot, b *Breaker, now moment) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.m.idle(b.rules.Load(), now) {
		return false
	}
	b.leave(replaced)
	s.breaker.Store(nil)
	r.live--
	switch {
	case !s.configured: // its name goes as well
		r.outbox.forget(s.name, r.seq.last.Load(), now)
	case b.version != 0:
		r.outbox.row(s.name, now)
	}
	return true
}

// cold says whether b may be evicted.
func (b *Breaker) cold(now moment) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.m.idle(b.rules.Load(), now)
}

// goesBefore orders by whether they are of scope, and then the colder first.
func (b *Breaker) goesBefore(other *Breaker, scope Scope) bool {
	if (b.scope == scope) != (other.scope == scope) {
		return b.scope == scope
	}
	return b.colder(other)
}

// colder orders by the last sweep that found it asked, those asked since last.
func (b *Breaker) colder(other *Breaker) bool {
	if b.touched.Load() != other.touched.Load() {
		return other.touched.Load()
	}
	return cmp.Or(cmp.Compare(b.idleSince, other.idleSince), cmp.Compare(b.name, other.name)) < 0
}

// idle says that eviction loses nothing: CLOSED with a zero measure, not parked.
func (m *machine) idle(r *rules, now moment) bool {
	failed, total := m.tally.at(r, now)
	return m.state == Closed && failed == 0 && total == 0 && m.parks.end() <= now
}
