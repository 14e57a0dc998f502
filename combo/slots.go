package combo

import (
	"context"
	"slices"
	"sync"
	"time"
)

// slots bounds how many requests of a provider are under way, streams until they end. Who finds it full may wait
// in a bounded queue, first come, first served. Safe for concurrent use.
type slots struct {
	mu    sync.Mutex
	max   int // 0: no limit
	used  int
	queue []chan struct{} // closed when its owner was given a slot
}

// queueFactor times the slots, at least queueFloor, may wait; beyond that the queue refuses at once.
const (
	queueFactor = 4
	queueFloor  = 16
)

// limit changes the number of slots; what is over a lowered limit runs to its end.
func (s *slots) limit(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.max = n
	s.hand()
}

// take takes a slot if one is free and nobody waits for it.
func (s *slots) take() bool {
	s.mu.Lock()
	free := s.max <= 0 || s.used < s.max && len(s.queue) == 0
	if free {
		s.used++
	}
	s.mu.Unlock()
	return free
}

// full tells what take would answer.
func (s *slots) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.max > 0 && (s.used >= s.max || len(s.queue) > 0)
}

// give gives a slot back.
func (s *slots) give() {
	s.mu.Lock()
	s.used--
	s.hand()
	s.mu.Unlock()
}

// hand passes free slots to those who wait; it requires the lock.
func (s *slots) hand() {
	for len(s.queue) > 0 && (s.max <= 0 || s.used < s.max) {
		s.used++
		close(s.queue[0])
		s.queue = s.queue[1:]
	}
}

// wait takes a slot within the time, or doesn't: false as well if ctx ends or the queue is full.
func (s *slots) wait(ctx context.Context, within time.Duration) bool {
	s.mu.Lock()
	if len(s.queue) >= max(queueFactor*s.max, queueFloor) {
		s.mu.Unlock()
		return false
	}
	turn := make(chan struct{})
	s.queue = append(s.queue, turn)
	s.hand()
	s.mu.Unlock()

	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-turn:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return s.leave(turn)
}

// leave takes a turn out of the queue; if it came up meanwhile, its owner has a slot: true.
func (s *slots) leave(turn chan struct{}) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.queue, turn)
	if i >= 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
	}
	return i < 0
}
