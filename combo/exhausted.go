package combo

import (
	"context"
	"slices"
	"time"
)

// exhausted decides what happens when every candidate refused: no attempt was made. It applies to those that time
// lets recover (spec: routing.md "when_exhausted").
func (w *walk) exhausted(ctx context.Context) step {
	if w.soonest((*candidate).recovers) == nil {
		return goOn
	}
	switch w.node.Exhausted.Do {
	case Reject:
		return goOn
	case Wait:
		return w.waitForRecovery(ctx)
	default:
		if s := w.followProbe(ctx); s != goOn || w.sent > 0 {
			return s
		}
		w.readmit(forced, func(c *candidate) bool { return c.recovers() && !c.doomed })
		return w.pass(ctx)
	}
}

func (n *node) failsOpen() bool { return n.Exhausted.Do == "" || n.Exhausted.Do == FailOpen }

// oneMoreChance readmits the candidates, fallback targets too, that nothing but a cooldown without a hint keeps out, each
// once; false: there are none.
func (w *walk) oneMoreChance() bool {
	return w.node.failsOpen() && w.readmit(chance, (*candidate).merelyParked)
}

// readmit lets those that are wanted be asked again, with force soonest first; false: there are none.
func (w *walk) readmit(how force, wanted func(c *candidate) bool) bool {
	found := false
	for i := range w.candidates {
		if c := &w.candidates[i]; wanted(c) {
			c.unskip()
			c.force, found = how, true
		}
	}
	if how != unforced {
		slices.SortStableFunc(w.candidates, func(a, b candidate) int { return a.retryAt.Compare(b.retryAt) })
	}
	return found
}

// soonest is the first to recover of those that are wanted; nil: there are none.
func (w *walk) soonest(wanted func(c *candidate) bool) (first *candidate) {
	for i := range w.candidates {
		if c := &w.candidates[i]; wanted(c) && (first == nil || c.retryAt.Before(first.retryAt)) {
			first = c
		}
	}
	return first
}

// followProbe waits for the verdict on a probe that is under way and does as it says: a target that answers again is
// asked in the ordinary way, one that failed its probe is left alone.
func (w *walk) followProbe(ctx context.Context) step {
	deadline := w.now.Add(w.node.Exhausted.ProbeWait)
	for w.now.Before(deadline) {
		c := w.soonest(func(c *candidate) bool { return c.skip == SkipProbing && !c.doomed })
		if c == nil {
			break
		}
		bell := c.leg.host.state.verdicts.listen()
		c.unskip()
		if s := w.pass(ctx); s != goOn || w.sent > 0 {
			return s
		}
		if c.skip == SkipOpen {
			c.doomed = true
		}
		if c.skip == SkipProbing && !w.pauseFor(ctx, deadline.Sub(w.now), bell) {
			return stop
		}
	}
	return goOn
}

const (
	maxWaiting = 256                    // requests of one combo that may wait for a recovery
	pollEvery  = 250 * time.Millisecond // how soon a waiting request notices an operator's reset
)

// waitForRecovery holds the request until the soonest candidate recovers, at most max_wait, in a bounded queue. It
// gives up at once if the soonest lies beyond that; a probe's verdict may come at any time.
func (w *walk) waitForRecovery(ctx context.Context) step {
	waiting := &w.node.state.waiting
	defer waiting.Add(-1)
	if waiting.Add(1) > maxWaiting {
		return goOn
	}
	deadline := w.now.Add(w.node.Exhausted.MaxWait)
	if !w.until.IsZero() && w.until.Before(deadline) {
		deadline = w.until
	}
	for w.now.Before(deadline) {
		soonest := w.soonest((*candidate).recovers)
		if soonest == nil {
			return goOn
		}
		probing := w.soonest(func(c *candidate) bool { return c.skip == SkipProbing }) != nil
		if soonest.retryAt.After(deadline) && !probing {
			return goOn
		}
		bell := soonest.leg.host.state.verdicts.listen()
		wait := min(deadline.Sub(w.now), pollEvery)
		if left := soonest.retryAt.Sub(w.now); left > 0 {
			wait = min(wait, left)
		}
		if !w.pauseFor(ctx, wait, bell) {
			return stop
		}
		w.readmit(unforced, (*candidate).recovers)
		if s := w.pass(ctx); s != goOn || w.sent > 0 {
			return s
		}
	}
	return goOn
}
