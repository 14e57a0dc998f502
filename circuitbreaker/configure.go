package circuitbreaker

import (
	"context"
	"reflect"
	"time"
)

// Configured is what the configuration says of one breaker.
type Configured struct {
	Settings Settings
	// Fingerprint stands for the secret of a key's breaker (an HMAC of it), ""
	// if there is none: when it changes, the breaker is reset with reason
	// key-changed. It is stored.
	Fingerprint string
}

// Configure replaces the whole configuration. Settings act from the next
// verdict on, without a transition; names that are no longer there are deleted
// with their rows, or stay until released if they are ISOLATED. Names that are
// configured exist, CLOSED, before their first use. Spec: breaker.md 6.3.
func (r *Registry) Configure(ctx context.Context, names map[string]Configured) {
	now := r.clock.moment(time.Time{})
	r.mu.Lock()
	old := r.table.Load().slots
	next := &table{slots: make(map[string]*slot, len(names))}
	for name, c := range names {
		s := &slot{name: name, rules: compile(c.Settings), fingerprint: c.Fingerprint, configured: true}
		next.slots[name] = s
		if was := old[name]; was != nil {
			s.breaker.Store(was.breaker.Load())
		}
		if b := s.breaker.Load(); b != nil {
			b.reconfigure(s, now)
		}
	}
	removed := 0
	for name, s := range old {
		if next.slots[name] != nil {
			continue
		}
		if r.depart(s, now) {
			removed++
			continue
		}
		next.slots[name] = &slot{name: name, rules: s.rules, fingerprint: s.fingerprint}
		next.slots[name].breaker.Store(s.breaker.Load())
	}
	r.configured = true
	r.table.Store(next)
	r.mu.Unlock()
	r.log.DebugContext(ctx, "circuit breakers configured", "names", len(names), "removed", removed)
}

// depart deletes a name that left the configuration, unless an operator holds
// it; with mu held.
func (r *Registry) depart(s *slot, now moment) bool {
	if b := s.breaker.Load(); b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.m.state == Isolated {
			return false
		}
		b.leave(departed)
		r.live--
	}
	r.outbox.forget(s.name, r.seq.last.Load(), now)
	return true
}

// reconfigure fits a breaker to what the configuration says now. Settings that
// say what they said before change nothing.
func (b *Breaker) reconfigure(s *slot, now moment) {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := b.rules.Load()
	faded := b.m.fade(old, now) // what the old settings have forgotten stays forgotten
	b.rules.Store(s.rules)
	t := b.turn(now, 0)
	t.moved = faded
	switch restored := b.restored; {
	case restored != nil:
		b.restored, b.unpublished = nil, nil
		b.revive(restored, &t)
	case !reflect.DeepEqual(old.Settings, s.rules.Settings):
		b.m.adapt(&t)
	}
	b.renewFor(s.fingerprint, &t)
	b.done(&t)
}
