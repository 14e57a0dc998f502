package combo

import (
	"slices"
	"sync"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// turn is where a strategy stood when it ordered a node, for its served.
type turn struct {
	node  *node
	stood uint64
}

// ranking is the order of a walk's candidates: the strategies' order, suspects last.
type ranking struct {
	candidates []candidate
	turns      []turn
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
// twice is a candidate once.
func (r *Router) expand(k *ranking, n *node, req *providers.Request, now time.Time, look bool, depth int) {
	if len(n.pool) < 2 || n.strategy.arrange == nil {
		for i := range n.pool {
			r.enter(k, &n.pool[i], req, now, look, depth)
		}
		return
	}
	c := choices.Get().(*choice)
	defer choices.Put(c)
	c.req, c.now, c.rand, c.look = req, now, r.rand, look
	c.start(n)
	n.strategy.arrange(c)
	if n.strategy.served != nil {
		k.turns = append(k.turns, turn{n, c.turn})
	}
	if c.claim != nil {
		if k.claim == nil {
			k.claim = c.claim
		} else {
			c.claim.measuring.Store(false)
		}
	}
	for _, i := range c.order {
		r.enter(k, &n.pool[i], req, now, look, depth)
	}
	c.req, c.node, c.claim = nil, nil, nil
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
	k.candidates = append(k.candidates, candidate{leg: p.leg})
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
