package circuitbreaker

import (
	"context"
	"errors"
	"time"
)

var errSlow = errors.New("the commit takes longer than a second")

// Persistence tells how well the registry's state is kept.
type Persistence struct {
	// Degraded: the last commit failed, or takes or took more than a second.
	Degraded bool
	// OldestUnsaved is the age of the oldest change that was not committed, 0 if all was.
	OldestUnsaved time.Duration
}

// Persistence tells how things stand, at once.
func (r *Registry) Persistence() Persistence {
	now := r.clock.moment(time.Time{})
	r.outbox.mu.Lock()
	defer r.outbox.mu.Unlock()
	return Persistence{Degraded: r.outbox.degraded, OldestUnsaved: r.outbox.oldest(now)}
}

// Durable waits until what was owed when it was called is committed, or the
// store is broken, or ctx ends. What is shown after it survives a crash, or is
// said not to. Spec: breaker.md 7.3.
func (r *Registry) Durable(ctx context.Context) Persistence {
	if !r.writer.isRunning() {
		// A store is not given a client's context. What failed shows in Persistence.
		_ = r.commit(context.WithoutCancel(ctx))
		return r.Persistence()
	}
	o := &r.outbox
	o.mu.Lock()
	target := o.owed
	for o.paid < target && !o.degraded && ctx.Err() == nil {
		changed := o.changed
		o.debt.urgent = o.debt.urgent || o.debt.since != unset
		o.mu.Unlock()
		o.ring()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		o.mu.Lock()
	}
	o.mu.Unlock()
	return r.Persistence()
}

// Flush commits everything owed. Spec: breaker.md 7.6.
func (r *Registry) Flush(ctx context.Context) error { return r.commit(ctx) }

// degrade says, once, that the store is broken.
func (r *Registry) degrade(err error) {
	if !r.outbox.setDegraded(true) {
		return
	}
	r.log.Error("circuit breaker state can't be stored, serving from memory", "error", err)
	r.subs.publish(Event{Persistence: &PersistenceChange{Degraded: true, At: r.clock.now()}})
}

// recover says, once, that the store is back.
func (r *Registry) recover() {
	if !r.outbox.setDegraded(false) {
		return
	}
	r.log.Info("circuit breaker state is stored again")
	r.subs.publish(Event{Persistence: &PersistenceChange{At: r.clock.now()}})
}

// setDegraded says whether that was a change.
func (o *outbox) setDegraded(degraded bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.degraded == degraded {
		return false
	}
	o.degraded = degraded
	o.announce()
	return true
}
