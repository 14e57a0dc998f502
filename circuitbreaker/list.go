package circuitbreaker

import (
	"maps"
	"slices"
	"time"
)

// List is a look at every breaker that is configured or exists, sorted by
// name. It changes nothing. now may be the zero time.
func (r *Registry) List(now time.Time) []Status {
	at := r.look(now)
	slots := r.table.Load().slots
	all := make([]Status, 0, len(slots))
	for _, name := range slices.Sorted(maps.Keys(slots)) {
		all = append(all, slots[name].status(r, at))
	}
	return all
}

// Status is a look at one breaker; false if its name is neither configured nor
// has a breaker. now may be the zero time.
func (r *Registry) Status(name string, now time.Time) (Status, bool) {
	at := r.look(now)
	s := r.table.Load().slots[name]
	if s == nil {
		return Status{}, false
	}
	return s.status(r, at), true
}

// Transitions are the last 50 of a name, oldest first.
func (r *Registry) Transitions(name string) []Transition { return r.outbox.transitions(name) }

// Status is a look at b. It changes nothing. now may be the zero time.
func (b *Breaker) Status(now time.Time) Status {
	at := b.reg.look(now)
	b = b.current()
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status(at)
}

// look is the moment of a look at now.
func (r *Registry) look(now time.Time) moment {
	if now.IsZero() {
		now = r.clock.now()
	}
	r.clock.observe(now)
	return r.clock.moment(now)
}

// status is a look at a slot, whether or not it has a breaker yet.
func (s *slot) status(r *Registry, now moment) Status {
	b := s.breaker.Load()
	if b == nil {
		b = &Breaker{name: s.name, scope: scopeOf(s.name), reg: r}
		b.rules.Store(s.rules)
		b.m = newMachine(s.rules, 0, unset)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status(now)
}

// status is a look with mu held.
func (b *Breaker) status(now moment) Status {
	m, c, r := &b.m, b.reg.clock, b.rules.Load()
	state, failed, total := m.shown(r, now)
	holding, _ := m.probes.count(now)
	s := Status{
		Name: b.name, Scope: b.scope, State: state, WouldBe: state, Reason: m.reason,
		FailureCount: int(failed), FailureThreshold: r.FailureThreshold, DegradedAt: r.mark(),
		Measure: r.Measure, MeasureValue: r.value(failed, total), KindCounts: m.tally.kindsAt(r, now),
		LastFailureKind: m.lastFailureKind, LastFailureAt: c.time(m.lastFailureAt),
		OpenedAt: c.time(m.openedAt), RetryAt: c.time(m.retryAt), RetryAfter: -1,
		OpenCycle: m.cycle, ResetTimeout: r.ResetTimeout, EffectiveResetTimeout: r.backoff(r.base(m.kind), m.cycle),
		ProbesInFlight: holding, HalfOpenRequests: r.HalfOpenRequests, Enforce: r.Enforce,
		Isolated: m.isolation, Version: b.version, UpdatedAt: c.time(m.updatedAt),
	}
	if until, _ := m.parks.holding(now, nil); until > now {
		s.CooldownUntil = c.time(until)
	}
	if !r.Enforce && state != Isolated {
		s.State = Closed
	}
	s.RetryAfter = b.retryAfter(now)
	return s
}

// retryAfter is what a refusal at now would say, negative if there is none or
// it knows no time; 0 where OPEN waits for somebody to ask.
func (b *Breaker) retryAfter(now moment) time.Duration {
	f := b.m.refuse(b.rules.Load(), now, nil)
	switch {
	case f.reason == ReasonHeld, !b.enforces(f):
		return -1
	case f.reason == ReasonProbing:
		return max(f.until.since(now), minProbingWait)
	case !f.admits():
		return f.until.since(now)
	case b.m.state == Open:
		return 0
	default:
		return -1
	}
}

// shownState is the state that a look shows.
func (b *Breaker) shownState(now moment) State {
	if b.word.Load()&flowBit != 0 {
		return Closed
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.rules.Load()
	state, _, _ := b.m.shown(r, now)
	if !r.Enforce && state != Isolated {
		return Closed
	}
	return state
}
