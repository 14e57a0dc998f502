package combo

import (
	"context"
	"time"
)

// rest waits for the first of the candidates that can't be asked at once, now that all that are left are of that sort:
// until a back-off or a hint has passed, a full provider has a slot, or, while it waits at all, a breaker that refused
// admits again. It gives the candidate to be asked, nil if the wait was for nothing or the walk stops. Queue refusals
// charge no breaker (spec: routing.md 2 "Concurrency").
func (w *walk) rest(ctx context.Context) (*candidate, step) {
	q := queues{turn: make(chan *slots, len(w.candidates))}
	next, wake := w.firstDue(&q)
	if next == nil {
		return nil, goOn
	}
	timer := time.NewTimer(wake.Sub(w.now))
	defer timer.Stop()
	before := w.now
	var got *slots
	select {
	case got = <-q.turn:
	case <-timer.C:
	case <-ctx.Done():
	}
	w.waited(before)
	if got = q.leave(got); got != nil {
		w.slot, next = got, q.who(got)
	}
	for _, c := range q.standing {
		c.stood += w.now.Sub(before)
	}
	for i := range w.candidates {
		if c := &w.candidates[i]; c != next {
			w.refund(c)
		}
	}
	switch {
	case w.quits(ctx):
		w.releaseSlot()
		w.refund(next)
		return nil, stop
	case got != nil:
		next.stood = 0
	case q.has(next):
		w.refund(next)
		w.leaveOut(next.leg.host)
		return nil, goOn
	default:
		w.now = later(w.now, wake)
	}
	return next, goOn
}

// firstDue takes a place in the queue of every full provider that has one, and finds who may be asked first, or whose
// time in the queue is over first; nil: nobody can be waited for. A retry is taken from the budgets of those that stand in
// a queue and of whoever is found.
func (w *walk) firstDue(q *queues) (next *candidate, wake time.Time) {
	for {
		next, wake = w.soonestDue(q)
		if next == nil || w.pay(next) {
			return next, wake
		}
		next.over = true
	}
}

func (w *walk) soonestDue(q *queues) (next *candidate, wake time.Time) {
	sooner := func(c *candidate, at time.Time) {
		if next == nil || at.Before(wake) {
			next, wake = c, at
		}
	}
	for i := range w.candidates {
		c := &w.candidates[i]
		at, open := w.open(c)
		switch {
		case !open:
		case !at.IsZero():
			sooner(c, at)
		case w.stands(q, c):
			sooner(c, w.now.Add(w.patience(c)))
		}
	}
	if next == nil {
		return nil, time.Time{}
	}
	for i := range w.candidates {
		if c := &w.candidates[i]; c.recovers() && w.eligible(c) && c.retryAt.After(w.now) {
			sooner(c, c.retryAt)
		}
	}
	return next, wake
}

// stands tells whether the candidate is who stands in the queue of its full provider, which it joins if nobody is.
func (w *walk) stands(q *queues, c *candidate) bool {
	if at := q.of(c.leg.host); at != nil {
		return at == c
	}
	if !w.pay(c) {
		c.over = true
		return false
	}
	if !q.join(c) {
		w.leaveOut(c.leg.host)
		return false
	}
	return true
}

// patience is how long the candidate may stand in its provider's queue; half of the walk's time is kept for those that
// fail_open would send to after it.
func (w *walk) patience(c *candidate) time.Duration {
	d := c.leg.host.QueueTimeout - c.stood
	if w.until.IsZero() || !w.node.failsOpen() {
		return d
	}
	for i := range w.candidates {
		if other := &w.candidates[i]; w.eligible(other) && (other.merelyParked() || w.sent == 0 && other.recovers()) {
			return min(d, w.until.Sub(w.now)/2)
		}
	}
	return d
}

// leaveOut passes over the candidates of a full provider for good.
func (w *walk) leaveOut(h *host) {
	for i := range w.candidates {
		if c := &w.candidates[i]; c.leg.host == h && c.skip == SkipConcurrency {
			w.refund(c)
			c.over = true
		}
	}
}

// pauseUntil waits for a point in time, which may have passed; false: the client left or the time ran out.
func (w *walk) pauseUntil(ctx context.Context, at time.Time) bool {
	if wait := at.Sub(w.now); !at.IsZero() && wait > 0 {
		return w.pauseFor(ctx, wait, nil)
	}
	return true
}

// pauseFor waits for so long, or until wake is closed; false: the client left or the time ran out.
func (w *walk) pauseFor(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	before := w.now
	select {
	case <-timer.C:
		w.waited(before)
		w.now = later(w.now, before.Add(d))
	case <-wake:
		w.waited(before)
	case <-ctx.Done():
		w.waited(before)
	}
	return !w.quits(ctx)
}

// waited accounts for a wait that began at before.
func (w *walk) waited(before time.Time) {
	w.now = later(w.router.now(), before)
	w.queued += w.now.Sub(before)
}

// quits tells whether the walk is over between two attempts: the client left, or the time ran out, in which case what
// was learned so far decides the answer.
func (w *walk) quits(ctx context.Context) bool {
	if isClosed(w.gone) {
		w.ending = byClient
	}
	return w.ending == byClient || ctx.Err() != nil
}

// leaves tells whether the client left or the walk's time ran out, in mid-attempt, and notes it as the walk's end.
func (w *walk) leaves(ctx context.Context) bool {
	switch {
	case isClosed(w.gone):
		w.ending = byClient
	case ctx.Err() != nil:
		w.ending = byDeadline
	}
	return w.ending != byFailure
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
