package combo

import (
	"slices"
	"sync"
)

// slots bounds how many requests of a provider are under way, streams until they end. Who finds it full may wait
// in a bounded queue, first come, first served. Safe for concurrent use.
type slots struct {
	mu    sync.Mutex
	max   int // 0: no limit
	used  int
	queue []chan<- *slots // gets the slots themselves when its owner was given one; it must have room
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
		s.queue[0] <- s
		s.queue = s.queue[1:]
	}
}

// join waits for a slot, which may be there at once; false: the queue is full. Whoever joined has to take what comes on
// turn, or leave.
func (s *slots) join(turn chan<- *slots) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) >= max(queueFactor*s.max, queueFloor) {
		return false
	}
	s.queue = append(s.queue, turn)
	s.hand()
	return true
}

// leave takes a turn out of the queue; false: it had come up already, and its owner has a slot.
func (s *slots) leave(turn chan<- *slots) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.queue, turn)
	if i >= 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
	}
	return i >= 0
}

// queues are the places that one walk has in the queues of several providers, to be served by whichever is free first.
type queues struct {
	turn     chan *slots  // with room for one of each
	standing []*candidate // one per provider
}

// join takes a place in the queue of the candidate's provider; false: it is full.
func (q *queues) join(c *candidate) bool {
	if !c.leg.host.state.slots.join(q.turn) {
		return false
	}
	q.standing = append(q.standing, c)
	return true
}

// of is who stands in a provider's queue, nil if nobody does.
func (q *queues) of(h *host) *candidate {
	for _, c := range q.standing {
		if c.leg.host == h {
			return c
		}
	}
	return nil
}

// has tells whether the candidate is who stands in its provider's queue.
func (q *queues) has(c *candidate) bool { return q.of(c.leg.host) == c }

// who is the candidate that stands for a slot of s.
func (q *queues) who(s *slots) *candidate {
	for _, c := range q.standing {
		if &c.leg.host.state.slots == s {
			return c
		}
	}
	return nil
}

// leave gives up every place but that of the slot that was got, nil if none was. If one came up meanwhile, it is the one
// that was got; any further is given back.
func (q *queues) leave(got *slots) *slots {
	for _, c := range q.standing {
		s := &c.leg.host.state.slots
		if s == got || s.leave(q.turn) {
			continue
		}
		if got == nil {
			got = s
		} else {
			s.give()
		}
	}
	return got
}
