package combo

import (
	"iter"
	"slices"

	"github.com/ohmroute/ohmroute/providers"
)

// unlocking is what makes candidates of fallback targets, those that stand in a combo for kinds of failure (spec:
// routing.md 1 "only_on").
type unlocking struct {
	kinds []providers.Kind // of the failures so far; if the pool is closed, of what closed it and came after
	news  bool             // a failure that unlockMore has not seen
	into  []*place         // combos that a failure unlocked
}

// unlockMore makes candidates of the fallback targets that were put there for what failed last.
func (w *walk) unlockMore() {
	if w.news {
		w.news = false
		w.unlock(w.node, 1)
	}
}

// noteKind notes a failure, for fallback targets.
func (w *walk) noteKind(kind providers.Kind) {
	w.kinds = append(w.kinds, kind)
	w.news = true
}

// closePool ends what may be asked after a failure of the kind but for those that were put there for it, and what fails
// among these may unlock others.
func (w *walk) closePool(kind providers.Kind) {
	w.closed = true
	w.kinds = append(w.kinds[:0], kind)
	for i := range w.candidates {
		w.candidates[i].fallback = false
	}
}

// unlock makes candidates of the fallback targets of n and of the combos that it has come into. What stands there and in
// a closed pool, too, gets another place.
func (w *walk) unlock(n *node, depth int) {
	for i := range n.fallbacks {
		p := &n.fallbacks[i]
		if !w.met(p) {
			continue
		}
		if w.closed {
			w.candidates = slices.DeleteFunc(w.candidates, func(c candidate) bool {
				return c.tries == 0 && !c.fallback && p.holds(c.leg)
			})
		}
		known := len(w.candidates)
		w.router.enter(&w.ranking, p, w.req, w.now, false, depth)
		for j := known; j < len(w.candidates); j++ {
			w.candidates[j].fallback = true
		}
		if p.sub != nil && !slices.Contains(w.into, p) {
			w.into = append(w.into, p)
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
				if p.sub != nil && (len(p.onlyOn) == 0 || slices.Contains(w.into, p)) && !yield(p.sub) {
					return
				}
			}
		}
	}
}

// met tells whether what a place waits for has happened.
func (w *walk) met(p *place) bool {
	return slices.ContainsFunc(p.onlyOn, func(kind providers.Kind) bool { return slices.Contains(w.kinds, kind) })
}

// unlocks tells whether a fallback target that may still be asked waits for a failure of the kind.
func (w *walk) unlocks(kind providers.Kind) bool { return w.mayGoOn() && w.awaits(w.node, kind, 1) }

func (w *walk) awaits(n *node, kind providers.Kind, depth int) bool {
	for i := range n.fallbacks {
		if p := &n.fallbacks[i]; slices.Contains(p.onlyOn, kind) && slices.ContainsFunc(p.legs, w.untried) {
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

// untried tells whether a leg may come to be asked, as a candidate or as what would become one.
func (w *walk) untried(l *leg) bool {
	c := w.candidate(l)
	return c == nil || w.left(c)
}

// noteUnreached lists the fallback targets that no failure unlocked, or none that still counted when it was their turn.
func (w *walk) noteUnreached(n *node, depth int) {
	for i := range n.fallbacks {
		for _, l := range n.fallbacks[i].legs {
			if c := w.candidate(l); c == nil || !c.fallback && c.tries == 0 && c.skip == "" {
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

// candidate is the candidate of a leg, nil if it is none.
func (w *walk) candidate(l *leg) *candidate {
	for i := range w.candidates {
		if c := &w.candidates[i]; c.leg == l {
			return c
		}
	}
	return nil
}
