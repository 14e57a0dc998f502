package server

import (
	"context"
	"time"
)

// follower goes through a journal in its order. take and wait are for one goroutine at a time.
type follower struct {
	journal *journal
	at      uint64        // number of the request that comes next
	asleep  bool          // the next request wakes it; guarded by the journal's mutex
	woken   chan struct{} // something came
	hurried chan struct{} // there is no time to wait for more
}

// follow adds a follower; all are added before the first request.
func (j *journal) follow() *follower {
	f := &follower{journal: j, woken: make(chan struct{}, 1), hurried: make(chan struct{}, 1)}
	j.followers = append(j.followers, f)
	return f
}

// signal leaves a sign that stays until it is seen.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// hurry ends the follower's waiting, or the next one.
func (f *follower) hurry() { signal(f.hurried) }

// take appends the next requests to into, up to its capacity, and tells how many were missed before them.
func (f *follower) take(into []finished) (batch []finished, missed uint64) {
	j := f.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if first := j.first(); f.at < first {
		missed = first - f.at
		f.at = first
	}
	for f.at < j.next && len(into) < cap(into) {
		into = append(into, *j.at(f.at))
		f.at++
	}
	return into, missed
}

// wait returns a while after the first request that wasn't taken, at once when it is to hurry, and without any request
// after idle (0: never). It returns when ctx ends.
func (f *follower) wait(ctx context.Context, while, idle time.Duration) {
	f.journal.mu.Lock()
	f.asleep = f.at == f.journal.next
	asleep := f.asleep
	f.journal.mu.Unlock()
	if asleep {
		var quiet <-chan time.Time
		if idle > 0 {
			quiet = time.After(idle)
		}
		select {
		case <-f.woken:
		case <-f.hurried:
			return
		case <-quiet:
			return
		case <-ctx.Done():
			return
		}
	}
	select {
	case <-f.hurried:
	case <-time.After(while):
	case <-ctx.Done():
	}
}
