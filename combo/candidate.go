package combo

import (
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// candidate is one target in one walk.
type candidate struct {
	leg      *leg
	tries    int        // times it was asked, sibling keys not counted
	used     laneSet    // asked in the current try
	via      int        // index + 1 of the turn of the innermost nested combo that it came from; 0: none
	skip     SkipReason // why it was passed over in this pass; empty: it wasn't
	over     bool       // not to be asked again in this walk
	fallback bool       // it was unlocked by a failure
	paid     bool       // a retry of the provider's budget is taken for it
	owed     bool       // the current try ended with keys that refused
	force    force

	// What its breakers said when they last refused: of the lane that recovers first.
	parked  bool // nothing but a cooldown that no hint set stands in the way of one of its lanes
	doomed  bool // the probe that this walk waited for has failed
	refusal SkipReason
	lane    int
	retryAt time.Time

	stood time.Duration // in the queue of its full provider, for the next attempt
}

// force is which refusals a candidate is sent through (spec: routing.md "when_exhausted").
type force uint8

const (
	unforced force = iota
	chance         // cooldowns that no hint set: the one more chance of fail_open
	forced         // all but an isolation
)

// recovers tells whether the candidate was refused by what time ends: what when_exhausted applies to.
func (c *candidate) recovers() bool {
	return c.skip == SkipCooldown || c.skip == SkipOpen || c.skip == SkipProbing
}

// queues tells whether a slot of its full provider may be waited for.
func (c *candidate) queues() bool { return c.skip == SkipConcurrency && c.leg.host.QueueTimeout > 0 }

// merelyParked tells whether one more chance is left for it: a park after one failure is a preference, not a verdict. A
// target of which a key was asked has it for a sibling key.
func (c *candidate) merelyParked() bool {
	return c.parked && c.force == unforced && (c.owed || c.tries == 0 && c.recovers())
}

// resumes tells whether its next attempt is one with a sibling key, which an earlier pass left.
func (c *candidate) resumes() bool { return c.owed && c.force == chance }

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
	if i := w.skipRow(c.leg); i >= 0 {
		w.attempts[i] = row
		return
	}
	w.attempts = append(w.attempts, row)
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

// laneSet is a set of lanes by their index; the first 64 need no memory of their own.
type laneSet struct {
	bits uint64
	more *laneSet // from 64 on; nil: none
}

func (s *laneSet) has(i int) bool {
	for ; i >= 64; i -= 64 {
		if s = s.more; s == nil {
			return false
		}
	}
	return s.bits&(1<<i) != 0
}

func (s *laneSet) add(i int) {
	for ; i >= 64; i -= 64 {
		if s.more == nil {
			s.more = &laneSet{}
		}
		s = s.more
	}
	s.bits |= 1 << i
}
