package combo

import (
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// candidate is one target in one walk.
type candidate struct {
	leg      *leg
	fallback bool       // out of the pool: it was unlocked by a failure
	tries    int        // times it was asked, sibling keys not counted
	skip     SkipReason // why it was passed over in this pass; empty: it wasn't
	listed   bool       // as passed over, among the attempts
	over     bool       // not to be asked again in this walk
	paid     bool       // a retry of the provider's budget is taken for it
	used     uint64     // lanes asked in the current try, by index modulo 64

	// What its breakers said when they last refused: of the lane that recovers first.
	refusal SkipReason
	lane    int
	retryAt time.Time
	parked  bool // nothing but a cooldown that no hint set stands in the way
	doomed  bool // the probe that this walk waited for has failed
}

// refuse notes a refusal; nil: no lane was left to ask for.
func (c *candidate) refuse(e *circuitbreaker.OpenError, now time.Time) {
	c.refusal, c.parked = "", false
	if e == nil {
		return
	}
	c.refusal, c.retryAt = SkipReason(e.Reason), e.RetryAt
	if e.Reason == circuitbreaker.ReasonCooldown && !e.Hinted {
		state := c.leg.lanes[c.lane].path.State(now)
		c.parked = state == circuitbreaker.Closed || state == circuitbreaker.Degraded
	}
}

// recovers tells whether the candidate was refused by what time ends: what when_exhausted applies to.
func (c *candidate) recovers() bool {
	return c.skip == SkipCooldown || c.skip == SkipOpen || c.skip == SkipProbing
}

// soonerThan orders refusals by when they end; one without an end is the last.
func soonerThan(a, b *circuitbreaker.OpenError) bool {
	return !a.RetryAt.IsZero() && (b.RetryAt.IsZero() || a.RetryAt.Before(b.RetryAt))
}

// skip passes over a candidate for the rest of this pass and lists it, unless it was asked before.
func (w *walk) skip(c *candidate, reason SkipReason) {
	c.skip = reason
	if c.tries > 0 {
		return
	}
	row := Attempt{Provider: c.leg.host.ID, Model: c.leg.model.Name, Outcome: Skipped, SkipReason: reason, Listed: c.leg.listed}
	if !c.listed {
		c.listed = true
		w.attempts = append(w.attempts, row)
		return
	}
	if i := w.skipRow(c.leg); i >= 0 {
		w.attempts[i] = row
	}
}

// skipRow finds where a leg is listed as passed over.
func (w *walk) skipRow(l *leg) int {
	for i := range w.attempts {
		if a := &w.attempts[i]; a.Outcome == Skipped && a.Model == l.model.Name && a.Provider == l.host.ID {
			return i
		}
	}
	return -1
}

// unskip lets a candidate be asked once more.
func (c *candidate) unskip() { c.skip, c.refusal = "", "" }

// noteDrained lists the drained targets, which no strategy gets to see.
func (w *walk) noteDrained(n *node, depth int) {
	for _, l := range n.drained {
		if w.skipRow(l) < 0 {
			w.attempts = append(w.attempts, Attempt{
				Provider: l.host.ID, Model: l.model.Name, Outcome: Skipped, SkipReason: SkipDrained, Listed: l.listed,
			})
		}
	}
	for i := range n.pool {
		if sub := n.pool[i].sub; sub != nil && depth < maxDepth {
			w.noteDrained(sub, depth+1)
		}
	}
}
