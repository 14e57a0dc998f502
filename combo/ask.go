package combo

import (
	"context"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

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

// ask makes one try of a candidate: with one key after the other, as long as keys are what fails. It keeps its slot of
// the provider from key to key, and uses or gives back one that the walk has.
func (w *walk) ask(ctx context.Context, c *candidate) step {
	w.come(c)
	c.unskip()
	tried := c.resumes()
	if !tried {
		c.used = laneSet{}
	}
	c.owed = false
	reason := c.leg.unfit(w.req)
	for reason == "" {
		l := w.admit(c)
		if l == nil {
			reason = c.refusal
			break
		}
		if !w.takeSlot(&c.leg.host.state.slots) {
			w.permits.NoVerdict(w.now)
			reason = SkipConcurrency
			break
		}
		if s := w.send(ctx, c, l, tried); s != sibling {
			return s
		}
		tried = true
		if w.node.Retry.PauseOnFailover && !w.pauseUntil(ctx, w.pace.backoff) {
			w.releaseSlot()
			return stop
		}
	}
	w.releaseSlot()
	w.refund(c)
	c.owed = tried && (reason == SkipConcurrency || reason != "" && c.force == unforced)
	switch {
	case tried && reason != SkipConcurrency:
	case reason == "":
		c.over = true
	default:
		w.skip(c, reason)
	}
	return goOn
}

// takeSlot takes a slot unless the walk has one, from its queue or from the key before.
func (w *walk) takeSlot(s *slots) bool {
	if w.slot == nil && s.take() {
		w.slot = s
	}
	return w.slot != nil
}

func (w *walk) releaseSlot() {
	if w.slot != nil {
		w.slot.give()
		w.slot = nil
	}
}

// admit acquires the permits of provider, key and target for one of the candidate's lanes that was not used in this
// try; nil: none admits, and the candidate says why.
func (w *walk) admit(c *candidate) *lane {
	lanes := c.leg.lanes
	ask := circuitbreaker.Ask{Lease: w.lease(c.leg), IgnoreParks: w.parks}
	if w.now != w.start {
		ask.Now = w.now
	}
	begin := 0
	if len(lanes) > 1 {
		begin = c.lane
		if c.force == unforced {
			begin = c.leg.host.state.keys.next(c.leg.host.weights, false)
		}
	}
	c.refusal, c.parked = "", false
	var refusal *circuitbreaker.OpenError
	for i := range lanes {
		l := &lanes[(begin+i)%len(lanes)]
		if c.used.has(l.index) || w.held(c.leg, l) {
			continue
		}
		e := w.acquire(l, ask, c.force)
		if e == nil {
			return l
		}
		c.parked = c.parked || l.merelyParked(e, ask)
		if refusal == nil || soonerThan(e, refusal) {
			refusal, c.lane = e, l.index
			c.refusal, c.retryAt = SkipReason(e.Reason), e.RetryAt
		}
	}
	return nil
}

// acquire asks for the permits of a lane.
func (w *walk) acquire(l *lane, ask circuitbreaker.Ask, how force) *circuitbreaker.OpenError {
	if how == unforced {
		return l.path.Acquire(&w.permits, ask)
	}
	if how == chance {
		if e := l.path.Peek(ask); e != nil && !l.merelyParked(e, ask) {
			return e
		}
	}
	return l.path.AcquireForced(&w.permits, ask, forcedReason)
}

// forcedReason is what a forced permit tells the breaker's log.
const forcedReason = "fail_open"

// merelyParked tells whether nothing but cooldowns that no hint set stands behind the lane's refusal e.
func (l *lane) merelyParked(e *circuitbreaker.OpenError, ask circuitbreaker.Ask) bool {
	return e.Reason == circuitbreaker.ReasonCooldown && l.path.MerelyParked(ask)
}

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
