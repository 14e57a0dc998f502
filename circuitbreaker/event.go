package circuitbreaker

import (
	"context"
	"errors"
	"time"
)

// Event is what a registry publishes; exactly one member is set.
type Event struct {
	Transition  *Transition
	Persistence *PersistenceChange
}

// PersistenceChange says that the store has begun to fail, or is back.
type PersistenceChange struct {
	Degraded bool
	At       time.Time
}

// ErrClosed is what Next returns after the subscription or its registry was
// closed and everything published before was read.
var ErrClosed = errors.New("circuitbreaker: closed")

// Subscription is one reader of a registry's events.
type Subscription struct{}

// Subscribe begins a subscription that holds up to size events that were not
// read yet; a reader that is slower loses the oldest. Close it.
func (r *Registry) Subscribe(size int) *Subscription { return &Subscription{} }

// Next waits for the next event. missed is how many were lost before it.
func (s *Subscription) Next(ctx context.Context) (ev Event, missed uint64, err error) {
	return Event{}, 0, ErrClosed
}

// Close ends the subscription. It may be called more than once.
func (s *Subscription) Close() {}
