package combo

import (
	"context"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
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

	sent     int  // attempts, sibling keys included
	retries  int  // extra attempts, sibling keys not included
	closed   bool // the pool is closed: only fallback targets may still be asked
	ending   ending
	queued   time.Duration
	upstream time.Duration
	last     lastFailure

	flight // the attempt under way

	// Room for what most walks need.
	roomCandidates [3]candidate
	roomSet        [3]int
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
	byDeadline        // total ran out
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

// run walks until a target answers or nothing is left to try.
func (w *walk) run(ctx context.Context) step {
	w.noteDrained(w.node, 1)
	w.router.rank(&w.ranking, w.node, w.req, w.now, false)
	pool := w.since(0)
	s := w.pass(ctx, pool, false)
	if s == goOn {
		s = w.queue(ctx, pool)
	}
	if s == goOn {
		s = w.fallbacks(ctx)
	}
	if s == goOn && w.sent == 0 {
		s = w.exhausted(ctx, pool)
	}
	if s == goOn && w.sent > 0 && !w.closed && w.node.failsOpen() {
		s = w.pass(ctx, w.merelyParked(pool), true)
	}
	if s == goOn {
		s = w.fallbacks(ctx) // for what failed since
	}
	return s
}

// since is the set of the candidates from index n on.
func (w *walk) since(n int) []int {
	set := w.roomSet[:0]
	if n > 0 {
		set = nil
	}
	for i := n; i < len(w.candidates); i++ {
		set = append(set, i)
	}
	return set
}

// pass asks the candidates of a set until one answers, the walk stops, or none is left. Who was passed over is not
// asked again in the same pass.
func (w *walk) pass(ctx context.Context, set []int, forced bool) step {
	for {
		c, at := w.pick(set)
		if c == nil {
			return goOn
		}
		if !w.pauseUntil(ctx, at) || w.sent > 0 && w.leaves(ctx) {
			w.refund(c)
			return stop
		}
		if s := w.ask(ctx, c, forced, false); s != goOn {
			return s
		}
	}
}

// pick takes the candidate of the set to be asked next: the first that may be asked at once, before one that was asked
// earlier in this walk, before one that a wait is due for. It is due at the time that is returned, zero for at once
// (spec: routing.md 2 "Back-off").
func (w *walk) pick(set []int) (*candidate, time.Time) {
	for w.mayGoOn() {
		var chosen *candidate
		var due time.Time
		best := lastChoice + 1
		for _, i := range set {
			c := &w.candidates[i]
			at, open := w.open(c)
			if !open {
				continue
			}
			if rank := w.preference(c, at); rank < best {
				chosen, due, best = c, at, rank
			}
			if best == firstChoice {
				break
			}
		}
		if chosen == nil || w.pay(chosen) {
			return chosen, due
		}
		chosen.over = true
	}
	return nil, time.Time{}
}

const (
	firstChoice  = iota // at once
	secondChoice        // at once, but it has failed already, and not just now
	lastChoice          // after a wait
)

func (w *walk) preference(c *candidate, due time.Time) int {
	switch {
	case !due.IsZero() && !w.node.Retry.PauseOnFailover:
		return lastChoice
	case c.tries > 0 && c.leg != w.pace.last.leg:
		return secondChoice
	default:
		return firstChoice
	}
}

// mayGoOn is the cap on attempts.
func (w *walk) mayGoOn() bool {
	most := w.node.Retry.MaxRetries
	return most == nil || w.sent == 0 || w.retries < *most
}

// open tells whether and when a candidate may be asked.
func (w *walk) open(c *candidate) (at time.Time, ok bool) {
	if c.skip != "" || c.over || w.closed && !c.fallback || c.tries > w.node.Retry.SameTarget {
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
	return at, true
}

// pay takes a retry from the provider's budget if this walk has asked that provider already; the first attempt on a
// provider is free, so that the death of one target never costs an answer (spec: routing.md 2 "Budget").
func (w *walk) pay(c *candidate) bool {
	if c.paid || !w.asked(c.leg) {
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

// asked tells whether this walk has made an attempt on the leg's provider, or, where targets are charged one by one
// because each has a capacity of its own, on the leg.
func (w *walk) asked(l *leg) bool {
	for i := range w.candidates {
		c := &w.candidates[i]
		if c.tries > 0 && (c.leg == l || c.leg.host == l.host && l.host.Scope != circuitbreaker.ScopeTarget) {
			return true
		}
	}
	return false
}

// ask makes one try of a candidate: with one key after the other, as long as keys are what fails. With slot the
// caller has a slot of the provider, which is used or given back.
func (w *walk) ask(ctx context.Context, c *candidate, forced, slot bool) step {
	state := c.leg.host.state
	tried := false
	reason := c.leg.unfit(w.req)
	for c.used = 0; reason == ""; tried = true {
		l := w.admit(c, forced)
		if l == nil {
			reason = c.refusal
			break
		}
		if !slot && !state.slots.take() {
			w.permits.NoVerdict(w.now)
			reason = SkipConcurrency
			break
		}
		slot = false
		if s := w.send(ctx, c, l, tried); s != sibling {
			return s
		}
		if w.node.Retry.PauseOnFailover && !w.pauseUntil(ctx, w.pace.backoff) {
			return stop
		}
	}
	if slot {
		state.slots.give()
	}
	w.refund(c)
	switch {
	case tried:
	case reason == "":
		c.over = true
	default:
		w.skip(c, reason)
	}
	return goOn
}

// admit acquires the permits of provider, key and target for one of the candidate's lanes that was not used in this
// try; nil: none admits, and the candidate says why.
func (w *walk) admit(c *candidate, forced bool) *lane {
	lanes := c.leg.lanes
	ask := circuitbreaker.Ask{Lease: w.lease(c.leg), IgnoreParks: w.parks}
	if w.now != w.start {
		ask.Now = w.now
	}
	begin := 0
	if len(lanes) > 1 {
		begin = c.lane
		if !forced {
			begin = c.leg.host.state.keys.next(c.leg.host.weights, false)
		}
	}
	var refusal *circuitbreaker.OpenError
	for i := range lanes {
		at := (begin + i) % len(lanes)
		l := &lanes[at]
		if c.used&(1<<(at%64)) != 0 || w.held(c.leg, l) {
			continue
		}
		var e *circuitbreaker.OpenError
		if forced {
			e = l.path.AcquireForced(&w.permits, ask, forcedReason)
		} else {
			e = l.path.Acquire(&w.permits, ask)
		}
		if e == nil {
			c.used |= 1 << (at % 64)
			return l
		}
		if refusal == nil || soonerThan(e, refusal) {
			refusal, c.lane = e, at
		}
	}
	c.refuse(refusal, w.now)
	return nil
}

// forcedReason is what a forced permit tells the breaker's log.
const forcedReason = "fail_open"

// held tells whether a hint or the back-off forbids the lane now.
func (w *walk) held(l *leg, through *lane) bool {
	if w.pace.last.leg == nil {
		return false
	}
	at, ok := w.pace.due(l, through.key.Name, w.now, w.node.Retry.PauseOnFailover)
	return !ok || at.After(w.now)
}

// lease is how long a probe may go without showing life (spec: breaker.md 2.4).
func (w *walk) lease(l *leg) time.Duration {
	limits := limitsOf(w.node.Combo, l)
	if w.req.Stream {
		return max(limits.FirstToken, 0)
	}
	return max(limits.Response, 0)
}
