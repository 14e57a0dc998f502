package combo

import (
	"context"
	"slices"

	"github.com/ohmroute/ohmroute/providers"
)

// fallbacks asks the targets that were put out of the pool for kinds of failure that this walk has met, in their
// order, until one answers or no failure unlocks another (spec: routing.md 1 "only_on").
func (w *walk) fallbacks(ctx context.Context) step {
	for {
		known := len(w.candidates)
		w.unlock(w.node, 1)
		if len(w.candidates) == known {
			return goOn
		}
		if s := w.pass(ctx, w.since(known), false); s != goOn {
			return s
		}
	}
}

// unlock makes candidates of the fallback targets of n and of the combos in its pool.
func (w *walk) unlock(n *node, depth int) {
	for i := range n.fallbacks {
		p := &n.fallbacks[i]
		if !w.met(p.onlyOn) {
			continue
		}
		known := len(w.candidates)
		w.router.enter(&w.ranking, p, w.req, w.now, false, depth)
		for j := known; j < len(w.candidates); j++ {
			w.candidates[j].fallback = true
		}
	}
	for i := range n.pool {
		if sub := n.pool[i].sub; sub != nil && depth < maxDepth {
			w.unlock(sub, depth+1)
		}
	}
}

// met tells whether an attempt of this walk failed with one of the kinds.
func (w *walk) met(kinds []providers.Kind) bool {
	for i := range w.attempts {
		if a := &w.attempts[i]; a.Outcome == Failed && slices.Contains(kinds, a.Kind) {
			return true
		}
	}
	return false
}

// unlocks tells whether a fallback target waits for a failure of the kind.
func (w *walk) unlocks(kind providers.Kind) bool {
	return w.node.reserves(1, func(p *place) bool { return slices.Contains(p.onlyOn, kind) && !w.reached(p) })
}

// reached tells whether a place's targets are candidates already.
func (w *walk) reached(p *place) bool {
	for i := range w.candidates {
		if p.holds(w.candidates[i].leg) {
			return true
		}
	}
	return false
}

// reserves tells whether one of the fallback places of n and of the combos in its pool is as wanted.
func (n *node) reserves(depth int, wanted func(p *place) bool) bool {
	if slices.ContainsFunc(n.fallbacks, func(p place) bool { return wanted(&p) }) {
		return true
	}
	return depth < maxDepth && slices.ContainsFunc(n.pool, func(p place) bool {
		return p.sub != nil && p.sub.reserves(depth+1, wanted)
	})
}

// noteUnreached lists the fallback targets that no failure unlocked.
func (w *walk) noteUnreached(n *node, depth int) {
	for i := range n.fallbacks {
		for _, l := range n.fallbacks[i].legs {
			if !w.has(l) {
				w.attempts = append(w.attempts, Attempt{
					Provider: l.host.ID, Model: l.model.Name, Outcome: Skipped, SkipReason: SkipOnlyOn, Listed: l.listed,
				})
			}
		}
	}
	for i := range n.pool {
		if sub := n.pool[i].sub; sub != nil && depth < maxDepth {
			w.noteUnreached(sub, depth+1)
		}
	}
}

func (w *walk) has(l *leg) bool {
	return slices.ContainsFunc(w.candidates, func(c candidate) bool { return c.leg == l })
}
