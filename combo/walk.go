package combo

import (
	"context"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// walk is one request on its way over the candidates: the one place that asks breakers, sends, settles permits and
// decides what comes next, for every strategy and endpoint, streamed or not (spec: routing.md 2). It is part of
// the Answer that it may become; one goroutine uses it.
type walk struct {
	router *Router
	node   *node
	req    *providers.Request
	start  time.Time
	gone   <-chan struct{} // the client left
	cancel func()          // ends the walk's own context; nil: it has none
	until  time.Time       // the deadline of the whole walk; zero: none
	now    time.Time       // as last read

	ranking
	attempts []Attempt
	pace     pace
	small    tooSmall
	parks    []uint64 // begun by this walk's own failures, and ignored by it

	sent    int  // attempts, sibling keys included
	retries int  // extra attempts, sibling keys not included
	closed  bool // the pool is closed: only fallback targets may still be asked
	unlocking
	ending   ending
	queued   time.Duration
	upstream time.Duration
	last     lastFailure

	flight // the attempt under way

	// Room for what most walks need.
	roomCandidates [3]candidate
	roomTurns      [1]turn
}

// step is what an attempt, or a pass over candidates, means for the walk.
type step uint8

const (
	goOn     step = iota // with the next candidate
	sibling              // with another key of the same target
	answered             // the walk is over
	stop                 // the walk is over without an answer
)

// ending is why a walk stopped for another reason than a failure.
type ending uint8

const (
	byFailure  ending = iota
	byClient          // it left
	byDeadline        // total ran out in mid-attempt
)

func (w *walk) begin(r *Router, n *node, req *providers.Request) {
	w.router, w.node, w.req = r, n, req
	w.start = req.Start
	if w.start.IsZero() {
		w.start = r.now()
	}
	w.now = w.start
	w.candidates, w.turns = w.roomCandidates[:0], w.roomTurns[:0]
	w.attempts = make([]Attempt, 0, 2) // apart: a report that is kept must not keep the request and its body
	if n.Total > 0 {
		w.until = w.start.Add(n.Total)
	}
}

// run walks until a target answers or nothing is left to try: one pass over those that are admitted, and then over
// those that were refused, as far as when_exhausted lets them through.
func (w *walk) run(ctx context.Context) step {
	w.noteDrained(w.node, 1)
	w.router.rank(&w.ranking, w.node, w.req, w.now, false)
	s := w.pass(ctx)
	if s == goOn && w.sent == 0 && w.fitsNobody() { // who is there for that is asked, as after an upstream that said so
		w.noteKind(providers.ContextLength)
		s = w.pass(ctx)
	}
	if s == goOn && w.sent == 0 {
		s = w.exhausted(ctx)
	}
	for s == goOn && w.sent > 0 && w.oneMoreChance() {
		s = w.pass(ctx)
	}
	return s
}

// pass asks every candidate that is neither passed over nor done with, and those that a failure unlocks meanwhile, until
// one answers, the walk stops, or none is left. Who is refused is not asked again in the same pass; who has to wait, for a
// back-off or a slot, is waited for when nobody else is left.
func (w *walk) pass(ctx context.Context) step {
	for {
		w.unlockMore()
		c, s := w.next(ctx)
		if c == nil {
			return s
		}
		if s := w.ask(ctx, c); s != goOn {
			return s
		}
	}
}

// next gives the candidate to be asked now, after a wait if need be; nil: none is left, or the walk stops.
func (w *walk) next(ctx context.Context) (*candidate, step) {
	for {
		c, due, choice := w.pick()
		switch {
		case c == nil:
			return nil, goOn
		case choice == lastChoice:
			if c, s := w.rest(ctx); c != nil || s != goOn {
				return c, s
			}
		case !w.pay(c):
			c.over = true
		case !w.pauseUntil(ctx, due) || w.sent > 0 && w.quits(ctx):
			w.refund(c)
			return nil, stop
		default:
			return c, goOn
		}
	}
}

// preference is how readily a candidate is asked: the lowest first; the order of the candidates decides between equals
// (spec: routing.md 2 "Back-off": a client doesn't wait for one when another is free).
type preference uint8

const (
	firstChoice  preference = iota // at once
	secondChoice                   // at once, but it has failed already, and not just now
	thirdChoice                    // at once, but it is out of the pool
	lastChoice                     // after a back-off, or in a queue
	noChoice
)

// pick finds the candidate to be asked next, nil if none is left. It is due at the time that is returned, zero for at
// once.
func (w *walk) pick() (chosen *candidate, due time.Time, best preference) {
	best = noChoice
	for i := range w.candidates {
		c := &w.candidates[i]
		at, open := w.open(c)
		if !open {
			continue
		}
		if p := w.preference(c, at); p < best {
			chosen, due, best = c, at, p
		}
		if best == firstChoice {
			break
		}
	}
	return chosen, due, best
}

func (w *walk) preference(c *candidate, due time.Time) preference {
	switch {
	case c.skip != "" || !due.IsZero() && !w.node.Retry.PauseOnFailover:
		return lastChoice
	case c.fallback:
		return thirdChoice
	case c.tries > 0 && c.leg != w.pace.last.leg:
		return secondChoice
	default:
		return firstChoice
	}
}

// open tells whether and when a candidate may be asked; the zero time is now.
func (w *walk) open(c *candidate) (at time.Time, ok bool) {
	if !w.eligible(c) || c.skip != "" && !c.queues() {
		return time.Time{}, false
	}
	if w.small.excludes(c.leg) {
		w.skip(c, SkipContextWindow)
		return time.Time{}, false
	}
	at, ok = w.pace.earliest(c.leg, w.now, w.node.Retry.PauseOnFailover)
	if !ok || !w.until.IsZero() && !at.Before(w.until) {
		c.over = true
		return time.Time{}, false
	}
	if !at.After(w.now) {
		at = time.Time{}
	}
	return at, true
}

// eligible tells whether an attempt on the candidate is left to this walk, whatever its breakers say.
func (w *walk) eligible(c *candidate) bool {
	return !c.over && (!w.closed || c.fallback) && (c.resumes() || c.tries <= w.node.Retry.SameTarget && w.mayGoOn())
}

// mayGoOn is the cap on attempts.
func (w *walk) mayGoOn() bool {
	most := w.node.Retry.MaxRetries
	return most == nil || w.sent == 0 || w.retries < *most
}

// another tells whether somebody else could still be asked if c fails.
func (w *walk) another(c *candidate) bool {
	if !w.mayGoOn() {
		return false
	}
	for i := range w.candidates {
		other := &w.candidates[i]
		if other != c && (!w.closed || other.fallback) && w.left(other) {
			return true
		}
	}
	return false
}

// left tells whether a candidate may still be asked that was not yet, or not with all keys: at once, through the queue, or
// as one more chance.
func (w *walk) left(c *candidate) bool {
	return !c.over && (c.tries == 0 && (c.skip == "" || c.queues()) || w.node.failsOpen() && c.merelyParked())
}

// pay takes a retry from the provider's budget if this walk has asked that provider already; the first attempt on a
// provider and a sibling key are free, so that the death of one target never costs an answer (spec: routing.md 2
// "Budget").
func (w *walk) pay(c *candidate) bool {
	if c.paid || c.resumes() || !w.asked(c.leg) {
		return true
	}
	c.paid = c.leg.host.state.retries.take(w.now)
	return c.paid
}

// refund gives back what pay took for an attempt that was not made.
func (w *walk) refund(c *candidate) {
	if c.paid {
		c.paid = false
		c.leg.host.state.retries.refund(w.now)
	}
}
