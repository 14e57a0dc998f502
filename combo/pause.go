package combo

import (
	"context"
	"slices"
	"time"
)

// queue waits for a slot of the providers that were full, now that no other candidate is free; each provider is
// waited for once. Queue refusals charge no breaker (spec: routing.md 2 "Concurrency").
func (w *walk) queue(ctx context.Context, pool []int) step {
	for at, i := range pool {
		c := &w.candidates[i]
		if c.skip == SkipConcurrency && c.leg.host.QueueTimeout > 0 && !w.stoodFor(c.leg.host, pool[:at]) {
			if s := w.stand(ctx, c, pool[at:at+1]); s != goOn {
				return s
			}
		}
	}
	return goOn
}

// stand waits in the queue for one candidate, whose set is one, and asks it when its turn comes.
func (w *walk) stand(ctx context.Context, c *candidate, one []int) step {
	c.skip = ""
	next, due := w.pick(one)
	if next == nil {
		c.skip = SkipConcurrency
		return goOn
	}
	if !w.pauseUntil(ctx, due) {
		w.refund(c)
		return stop
	}
	h := c.leg.host
	got := h.state.slots.wait(ctx, h.QueueTimeout)
	w.waited(w.now)
	if got {
		return w.ask(ctx, c, false, true)
	}
	w.refund(c)
	c.skip = SkipConcurrency
	if w.leaves(ctx) {
		return stop
	}
	return goOn
}

// stoodFor tells whether the queue was waited in for another candidate of the provider.
func (w *walk) stoodFor(h *host, earlier []int) bool {
	return slices.ContainsFunc(earlier, func(i int) bool {
		c := &w.candidates[i]
		return c.leg.host == h && c.skip == SkipConcurrency
	})
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
		return !w.leaves(ctx)
	}
	return true
}

// waited accounts for a wait that began at before.
func (w *walk) waited(before time.Time) {
	w.now = later(w.router.now(), before)
	w.queued += w.now.Sub(before)
}

// leaves tells whether the client left or the walk's time ran out, and notes it as the walk's end.
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
