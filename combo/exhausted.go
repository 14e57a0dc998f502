package combo

import (
	"context"
	"slices"
	"time"
)

// exhausted decides what happens when every candidate refused: no attempt was made. It applies to those that time
// lets recover (spec: routing.md "when_exhausted").
func (w *walk) exhausted(ctx context.Context, pool []int) step {
	refused := w.refused(pool)
	if len(refused) == 0 {
		return goOn
	}
	switch w.node.Exhausted.Do {
	case Reject:
		return goOn
	case Wait:
		return w.waitForRecovery(ctx, pool)
	default:
		if s := w.followProbe(ctx, refused); s != goOn || w.sent > 0 {
			return s
		}
		return w.pass(ctx, w.readmit(w.refused(pool), func(c *candidate) bool { return !c.doomed }), true)
	}
}

func (n *node) failsOpen() bool { return n.Exhausted.Do == "" || n.Exhausted.Do == FailOpen }

// refused are the candidates that were passed over for what time ends, those that recover first in front.
func (w *walk) refused(pool []int) []int {
	var set []int
	for _, i := range pool {
		if w.candidates[i].recovers() {
			set = append(set, i)
		}
	}
	slices.SortStableFunc(set, func(a, b int) int {
		return w.candidates[a].retryAt.Compare(w.candidates[b].retryAt)
	})
	return set
}

// merelyParked are the candidates that nothing but a cooldown without a hint keeps out, soonest first: a park after
// one failure is a preference, not a verdict.
func (w *walk) merelyParked(pool []int) []int {
	return w.readmit(w.refused(pool), func(c *candidate) bool { return c.skip == SkipCooldown && c.parked && c.tries == 0 })
}

// readmit lets those of a set that are wanted be asked again.
func (w *walk) readmit(set []int, wanted func(c *candidate) bool) []int {
	set = slices.DeleteFunc(set, func(i int) bool { return !wanted(&w.candidates[i]) })
	for _, i := range set {
		w.candidates[i].unskip()
	}
	return set
}

// followProbe waits for the verdict on a probe that is under way and does as it says: a target that answers again is
// asked in the ordinary way, one that failed its probe is left alone.
func (w *walk) followProbe(ctx context.Context, refused []int) step {
	if w.node.Exhausted.ProbeWait <= 0 {
		return goOn
	}
	deadline := w.now.Add(w.node.Exhausted.ProbeWait)
	for {
		i := slices.IndexFunc(refused, func(i int) bool {
			return w.candidates[i].skip == SkipProbing && !w.candidates[i].doomed
		})
		if i < 0 || !w.now.Before(deadline) {
			return goOn
		}
		c := &w.candidates[refused[i]]
		bell := c.leg.host.state.verdicts.listen()
		c.unskip()
		if s := w.pass(ctx, refused[i:i+1], false); s != goOn || w.sent > 0 {
			return s
		}
		if c.skip == SkipOpen {
			c.doomed = true
		}
		if c.skip == SkipProbing && !w.pauseFor(ctx, deadline.Sub(w.now), bell) {
			return stop
		}
	}
}

const (
	maxWaiting = 256                    // requests of one combo that may wait for a recovery
	pollEvery  = 250 * time.Millisecond // how soon a waiting request notices an operator's reset
)

// waitForRecovery holds the request until the soonest candidate recovers, at most max_wait, in a bounded queue. It
// gives up at once if the soonest lies beyond that; a probe's verdict may come at any time.
func (w *walk) waitForRecovery(ctx context.Context, pool []int) step {
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
		refused := w.refused(pool)
		if len(refused) == 0 {
			return goOn
		}
		soonest := &w.candidates[refused[0]]
		probing := slices.ContainsFunc(refused, func(i int) bool { return w.candidates[i].skip == SkipProbing })
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
		set := w.readmit(refused, func(*candidate) bool { return true })
		slices.Sort(set)
		if s := w.pass(ctx, set, false); s != goOn || w.sent > 0 {
			return s
		}
	}
	return goOn
}

// soonest is when the first of the refused candidates recovers; false if none does.
func (w *walk) soonest() (time.Time, bool) {
	at, found := time.Time{}, false
	for i := range w.candidates {
		if c := &w.candidates[i]; c.recovers() && (!found || c.retryAt.Before(at)) {
			at, found = c.retryAt, true
		}
	}
	return at, found
}
