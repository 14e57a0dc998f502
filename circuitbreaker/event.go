package circuitbreaker

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// Event is what a registry publishes; exactly one member is set, to a value
// that is shared by all subscribers.
type Event struct {
	Transition  *Transition
	Persistence *PersistenceChange
}

// PersistenceChange says that the store has begun to fail, or is back.
type PersistenceChange struct {
	Degraded bool
	At       time.Time
}

// ErrClosed is what Next returns after the subscription, or its registry, was
// closed and what was published before was read.
var ErrClosed = errors.New("circuitbreaker: closed")

// Subscription is one reader of a registry's events, for one goroutine.
// Publishing never waits for it.
type Subscription struct {
	subs  *subscriptions
	size  int
	ready chan struct{} // cap 1: something may be there to read

	mu     sync.Mutex
	events []Event
	missed uint64 // before events[0]
	closed bool
}

// Subscribe begins a subscription that holds up to size events (at least one)
// which were not read yet; a reader that is slower loses the oldest, and Next
// tells how many. Close it.
func (r *Registry) Subscribe(size int) *Subscription {
	s := &Subscription{subs: &r.subs, size: max(size, 1), ready: make(chan struct{}, 1)}
	r.subs.add(s)
	return s
}

// Next waits for the next event. missed is how many were lost before it.
func (s *Subscription) Next(ctx context.Context) (ev Event, missed uint64, err error) {
	for {
		ev, missed, err = s.pop()
		if !errors.Is(err, errNothing) {
			return ev, missed, err
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return Event{}, 0, ctx.Err()
		}
	}
}

// Close ends the subscription. It may be called more than once.
func (s *Subscription) Close() {
	s.subs.remove(s)
	s.end()
}

var errNothing = errors.New("circuitbreaker: nothing to read")

func (s *Subscription) pop() (Event, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.events) == 0 {
		if s.closed {
			return Event{}, 0, ErrClosed
		}
		return Event{}, 0, errNothing
	}
	ev, missed := s.events[0], s.missed
	s.events, s.missed = slices.Delete(s.events, 0, 1), 0
	return ev, missed, nil
}

func (s *Subscription) push(ev Event) {
	s.mu.Lock()
	if len(s.events) == s.size {
		s.events = slices.Delete(s.events, 0, 1)
		s.missed++
	}
	s.events = append(s.events, ev)
	s.mu.Unlock()
	s.ring()
}

func (s *Subscription) miss(n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missed += n
}

func (s *Subscription) end() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.ring()
}

func (s *Subscription) ring() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// subscriptions are the readers of a registry.
type subscriptions struct {
	mu   sync.Mutex
	all  map[*Subscription]struct{}
	over bool
}

func (ss *subscriptions) add(s *Subscription) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.over {
		s.end()
		return
	}
	if ss.all == nil {
		ss.all = map[*Subscription]struct{}{}
	}
	ss.all[s] = struct{}{}
}

func (ss *subscriptions) remove(s *Subscription) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	delete(ss.all, s)
}

func (ss *subscriptions) publish(ev Event) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for s := range ss.all {
		s.push(ev)
	}
}

func (ss *subscriptions) miss(n uint64) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for s := range ss.all {
		s.miss(n)
	}
}

func (ss *subscriptions) close() {
	ss.mu.Lock()
	ss.over = true
	all := slices.Collect(maps.Keys(ss.all))
	ss.all = nil
	ss.mu.Unlock()
	for _, s := range all {
		s.end()
	}
}
