package circuitbreaker

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Restore brings back what the store holds. Call it before the first request,
// after or before Configure. A row that can't be read is logged, skipped and
// kept. If the store can't be read at all the registry works from memory, and
// restores when the store is back what has not been learned anew meanwhile.
// Spec: breaker.md 7.5.
func (r *Registry) Restore(ctx context.Context) error {
	select {
	case r.writer.turn <- struct{}{}:
		defer func() { <-r.writer.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	r.writer.unloaded = true
	err := r.loadLate(ctx)
	if err != nil {
		r.outbox.retry(r.clock.moment(time.Time{}))
	}
	return err
}

// loadLate loads if Restore is owed; with the writer's turn held.
func (r *Registry) loadLate(ctx context.Context) error {
	if !r.writer.unloaded || r.options.Store == nil {
		return nil
	}
	loaded, err := r.options.Store.Load(ctx)
	if err != nil {
		err = fmt.Errorf("restoring circuit breakers: %w", err)
		r.degrade(err)
		return err
	}
	r.writer.unloaded = false
	r.adopt(&loaded)
	return nil
}

// adopt takes in what a store held. Of a store that could not be read before,
// a reset of all that is owed meanwhile leaves only what such a reset leaves.
func (r *Registry) adopt(loaded *Loaded) {
	r.seq.seed(loaded.HighestVersion)
	unreadable := loaded.Unreadable
	r.outbox.remember(loaded.Transitions)
	for _, ts := range loaded.Transitions {
		for _, t := range ts {
			r.seq.seed(t.Seq)
		}
	}
	for i := range loaded.Breakers {
		r.seq.seed(loaded.Breakers[i].Version)
	}
	now := r.clock.now()
	r.clock.observe(now)
	at := r.clock.moment(now)
	r.mu.Lock()
	reset, included := r.outbox.owesReset()
	var sound []*Snapshot
	var places []*slot
	for i := range loaded.Breakers {
		s := &loaded.Breakers[i]
		if err := s.check(); err != nil {
			unreadable = append(unreadable, RowError{Name: s.Name, Err: err})
			continue
		}
		if reset && (included || s.State != Isolated) {
			continue
		}
		sound = append(sound, s)
		if r.table.Load().slots[s.Name] == nil && r.returns(s) {
			places = append(places, &slot{name: s.Name, rules: r.fallback})
		}
	}
	r.table.Store(r.table.Load().with(places...))
	for _, s := range sound {
		r.restore(s, at)
		if reset {
			r.outbox.row(s.Name, at)
		}
	}
	r.keep(unreadable, reset, included, at)
	r.mu.Unlock()
	for _, row := range unreadable {
		r.log.Warn(unreadableMessage(row, reset && included), "breaker", row.Name, "error", row.Err)
	}
}

// keep notes the breakers' rows that can't be read, unless a reset of all that
// is owed deletes them; with mu held.
func (r *Registry) keep(rows []RowError, reset, included bool, now moment) {
	for _, row := range rows {
		if row.Transition || reset && included {
			continue
		}
		if r.unreadable == nil {
			r.unreadable = map[string]struct{}{}
		}
		r.unreadable[row.Name] = struct{}{}
		if reset {
			r.outbox.spare(row.Name, now)
		}
	}
}

func unreadableMessage(row RowError, reset bool) string {
	switch {
	case row.Transition:
		return "circuit breaker transition can't be read, its row is kept"
	case reset:
		return "circuit breaker can't be restored, its row is deleted by a reset of all"
	default:
		return "circuit breaker can't be restored, its row is kept"
	}
}

// returns tells whether a breaker that nobody names is brought back: nobody has said yet which there are, or an operator
// holds it; with mu held.
func (r *Registry) returns(s *Snapshot) bool { return !r.configured || s.State == Isolated }

// restore brings one breaker back; with mu held.
func (r *Registry) restore(s *Snapshot, now moment) {
	if r.table.Load().slots[s.Name] == nil && !r.returns(s) {
		r.outbox.forget(s.Name, r.seq.last.Load(), now)
		return
	}
	b := r.obtain(s.Name)
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.m.blank() {
		return // it has learned since, while the store could not be read
	}
	t := b.turn(now, 0)
	b.revive(s, &t)
	if !r.configured {
		// The settings to come fit it again, and publish what that took.
		b.restored, b.unpublished = s, t.changes
		b.mirror(now)
		return
	}
	b.renewFor(r.table.Load().slots[s.Name].fingerprint, &t)
	b.done(&t)
}

// revive makes b what a snapshot says, fitted to the rules in force. Its probe
// died with the process.
func (b *Breaker) revive(s *Snapshot, t *turn) {
	b.m = s.machine(b.reg.clock, t.now, t.seq.next)
	b.version, b.fingerprint = s.Version, s.Fingerprint
	b.m.adapt(t)
	if b.m.state == HalfOpen {
		b.m.begin(t, Open, ReasonRestored, "")
		b.m.retryAt = t.now
		t.latest().retryAt = t.now
	}
}

// renewFor forgets what was learned under another key's secret; what is still
// under way with it comes too late.
func (b *Breaker) renewFor(fingerprint string, t *turn) {
	if fingerprint == "" || fingerprint == b.fingerprint {
		return
	}
	known := b.fingerprint != ""
	b.fingerprint = fingerprint
	t.moved = b.m.fade(t.rules, t.now) || t.moved
	switch {
	case !known:
	case b.m.blank():
		b.m.generation = t.seq.next()
	default:
		b.m.renew(t)
	}
}

// remember puts stored transitions before those made since.
func (o *outbox) remember(stored map[string][]Transition) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for name, ts := range stored {
		all := append(slices.Clone(ts), o.history[name]...)
		o.history[name] = all[max(len(all)-keptTransitions, 0):]
	}
}
