package combo

import (
	"sync"
	"time"
)

// retryBudget keeps retries from becoming a storm: of one provider's recent requests at most a fifth may be asked
// again, but some always may at a time (spec: routing.md 2 "Budget"). Safe for concurrent use; time is the caller's.
type retryBudget struct {
	mu       sync.Mutex
	seconds  [budgetSeconds]second
	underWay int
}

// second counts what began in one second of Unix time.
type second struct {
	unix              int64
	requests, retries int
}

const (
	budgetSeconds = 10 // how long a request is recent
	budgetShare   = 5  // one retry per so many requests
	budgetFloor   = 3  // retries at a time that are always granted
)

// request counts the first attempt of a request.
func (b *retryBudget) request(now time.Time) {
	b.mu.Lock()
	b.at(now).requests++
	b.mu.Unlock()
}

// take asks for one retry; who got it gives it back when the attempt has its verdict or its first token.
func (b *retryBudget) take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	requests, retries := 0, 0
	for i := range b.seconds {
		if s := &b.seconds[i]; s.unix > now.Unix()-budgetSeconds {
			requests += s.requests
			retries += s.retries
		}
	}
	if b.underWay >= budgetFloor && retries >= requests/budgetShare {
		return false
	}
	b.underWay++
	b.at(now).retries++
	return true
}

func (b *retryBudget) give() {
	b.mu.Lock()
	b.underWay--
	b.mu.Unlock()
}

// refund gives back a retry that was not made after all.
func (b *retryBudget) refund(now time.Time) {
	b.mu.Lock()
	b.underWay--
	if s := b.at(now); s.retries > 0 {
		s.retries--
	}
	b.mu.Unlock()
}

// at requires the lock.
func (b *retryBudget) at(now time.Time) *second {
	unix := now.Unix()
	s := &b.seconds[unix%budgetSeconds]
	if s.unix != unix {
		*s = second{unix: unix}
	}
	return s
}
