package combo

import (
	"slices"
	"sync"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// turn is where a strategy stood when it ordered a node, for its served.
type turn struct {
	node   *node
	stood  uint64
	within int  // index + 1 of the turn of the combo around it; 0: none
	due    bool // it was a look; the strategy moves when the first target of the node is asked
}

// ranking is the order of a walk's candidates: the strategies' order, suspects last.
type ranking struct {
	candidates []candidate
	turns      []turn
	via        int          // index + 1 of the innermost turn that candidates are added for; 0: none
	claim      *targetState // to be measured by this request
}

// choices recycles the strategies' scratch memory.
var choices = sync.Pool{New: func() any { return new(choice) }}

// rank orders the pool of n. With look nothing moves.
func (r *Router) rank(k *ranking, n *node, req *providers.Request, now time.Time, look bool) {
	r.expand(k, n, req, now, look, 1)
	suspectsLast(k.candidates, now)
}

// expand appends the node's legs in its strategy's order, a nested combo's at its place. A target that stands there
// twice is a candidate once. The strategy of a nested combo only looks: whether the walk comes to it is not known yet, and
// a cursor that moves in step with the outer one would starve targets.
func (r *Router) expand(k *ranking, n *node, req *providers.Request, now time.Time, look bool, depth int) {
	if len(n.pool) < 2 || n.strategy.arrange == nil {
		for i := range n.pool {
			r.enter(k, &n.pool[i], req, now, look, depth)
		}
		return
	}
	c := r.arrange(k, n, req, now, look || depth > 1)
	around := k.via
	if s := n.strategy; s.served != nil || s.moves && depth > 1 {
		k.turns = append(k.turns, turn{node: n, stood: c.turn, within: around, due: s.moves && depth > 1})
		k.via = len(k.turns)
	}
	for _, i := range c.order {
		r.enter(k, &n.pool[i], req, now, look, depth)
	}
	k.via = around
	choices.Put(c)
}

// arrange has a node's strategy order its pool. What it claims is the walk's, at most one target. The choice goes back to
// choices.
func (r *Router) arrange(k *ranking, n *node, req *providers.Request, now time.Time, look bool) *choice {
	c := choices.Get().(*choice)
	c.req, c.now, c.rand, c.look = req, now, r.rand, look
	c.start(n)
	n.strategy.arrange(c)
	if c.claim != nil {
		if k.claim == nil {
			k.claim = c.claim
		} else {
			c.claim.measuring.Store(false)
		}
	}
	c.req, c.node, c.claim = nil, nil, nil
	return c
}

// come moves on the strategies of the nested combos that a candidate came from, if it is the first of theirs to be asked.
func (w *walk) come(c *candidate) {
	for i := c.via; i > 0; i = w.turns[i-1].within {
		if t := &w.turns[i-1]; t.due {
			t.due = false
			moved := w.router.arrange(&w.ranking, t.node, w.req, w.now, false)
			t.stood = moved.turn
			choices.Put(moved)
		}
	}
}

func (r *Router) enter(k *ranking, p *place, req *providers.Request, now time.Time, look bool, depth int) {
	if p.leg == nil {
		if depth < maxDepth {
			r.expand(k, p.sub, req, now, look, depth+1)
		}
		return
	}
	for i := range k.candidates {
		if k.candidates[i].leg == p.leg {
			return
		}
	}
	k.candidates = append(k.candidates, candidate{leg: p.leg, via: k.via})
}

// suspectsLast moves the targets that seem to hang behind the others (spec: routing.md "Suspects").
func suspectsLast(candidates []candidate, now time.Time) {
	if len(candidates) < 2 {
		return
	}
	var hanging []candidate
	kept := candidates[:0]
	for _, c := range candidates {
		if c.leg.state.tokens.suspect(now) {
			hanging = append(hanging, c)
		} else {
			kept = append(kept, c)
		}
	}
	copy(candidates[len(kept):], hanging)
}

// served tells the strategies of a walk who answered.
func (k *ranking) served(l *leg) {
	for _, t := range k.turns {
		if t.due || t.node.strategy.served == nil {
			continue
		}
		for i := range t.node.pool {
			if p := &t.node.pool[i]; p.holds(l) {
				t.node.strategy.served(t.node, i, t.stood)
				break
			}
		}
	}
}

// holds tells whether a leg is reached through this place.
func (p *place) holds(l *leg) bool { return slices.Contains(p.legs, l) }
