package combo

import (
	"context"
	"iter"
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

// unlock makes candidates of the fallback targets of n and of the combos that it has come into.
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
		if p.sub != nil {
			w.noteDrained(p.sub, depth+1)
		}
	}
	if depth < maxDepth {
		for sub := range w.entered(n) {
			w.unlock(sub, depth+1)
		}
	}
}

// entered are the combos in n that this walk has come into: those of its pool, and those that a failure unlocked.
func (w *walk) entered(n *node) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for _, places := range [...][]place{n.pool, n.fallbacks} {
			for i := range places {
				p := &places[i]
				if p.sub != nil && (len(p.onlyOn) == 0 || w.met(p.onlyOn)) && !yield(p.sub) {
					return
				}
			}
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
func (w *walk) unlocks(kind providers.Kind) bool { return w.awaits(w.node, kind, 1) }

func (w *walk) awaits(n *node, kind providers.Kind, depth int) bool {
	for i := range n.fallbacks {
		if p := &n.fallbacks[i]; slices.Contains(p.onlyOn, kind) && !w.reached(p) {
			return true
		}
	}
	if depth < maxDepth {
		for sub := range w.entered(n) {
			if w.awaits(sub, kind, depth+1) {
				return true
			}
		}
	}
	return false
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
	if depth < maxDepth {
		for sub := range w.entered(n) {
			w.noteUnreached(sub, depth+1)
		}
	}
}

func (w *walk) has(l *leg) bool {
	return slices.ContainsFunc(w.candidates, func(c candidate) bool { return c.leg == l })
}
