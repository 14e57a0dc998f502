package combo

import (
	"cmp"
	"math"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// leastBusy puts the place with the fewest requests under way first.
func leastBusy(c *choice) { c.rate((*place).load) }

// twoChoices draws two of those left at random and takes the less busy, again and again.
func twoChoices(c *choice) {
	for i := range c.node.pool {
		c.score[i] = c.node.pool[i].load()
	}
	for i := range len(c.order) - 1 {
		left := c.order[i:]
		a := int(c.rand() * float64(len(left)))
		b := int(c.rand() * float64(len(left)-1))
		if b >= a {
			b++
		}
		if c.score[left[b]] < c.score[left[a]] {
			a = b
		}
		left[0], left[a] = left[a], left[0]
	}
}

// cheapest orders by what this request would cost, then by load. A price that nobody declared comes last.
func cheapest(c *choice) {
	leastBusy(c) // the sort is stable: equal prices stay in this order
	in, out := tokens(c.req)
	c.rate(func(p *place) float64 { return p.price(in, out) })
}

// fastest orders by the moving average of the time to first token, and a plain request, which has no first token, by that
// of the time to the whole answer: how long those take says nothing of the other. One place that was never measured goes
// first, if nobody is measuring it yet; the others of that sort go last.
func fastest(c *choice) {
	fresh := -1
	for i := range c.node.pool {
		p := &c.node.pool[i]
		c.score[i] = p.latency(c.req)
		if c.score[i] == 0 {
			c.score[i] = math.Inf(1)
			if fresh < 0 && c.claims(p) {
				fresh = i
			}
		}
	}
	c.sort()
	if fresh >= 0 {
		c.lead(fresh)
	}
}

// claims tells whether this request may measure the place; a nested combo by the first of its targets.
func (c *choice) claims(p *place) bool {
	if len(p.legs) == 0 {
		return false
	}
	s := p.legs[0].state
	if c.look {
		return !s.measuring.Load()
	}
	if !s.measuring.CompareAndSwap(false, true) {
		return false
	}
	c.claim = s
	return true
}

// The blend of auto: each part is the share of the worst place's value, so it lies between 0 and 1; what is unknown
// counts as the mean of what is known.
const (
	autoLatency = 0.5
	autoLoad    = 0.3
	autoPrice   = 0.2
)

// auto orders by the breakers' state first (CLOSED, DEGRADED, the rest) and by the blend within a state. It doesn't
// explore: `fastest` measures.
func auto(c *choice) {
	in, out := tokens(c.req)
	latency := scaleOf(c.node.pool, func(p *place) float64 { return p.latency(c.req) })
	load := scaleOf(c.node.pool, (*place).load)
	price := scaleOf(c.node.pool, func(p *place) float64 { return known(p.price(in, out)) })
	c.rate(func(p *place) float64 {
		return p.standing(c.now) + autoLatency*latency.of(p.latency(c.req)) +
			autoLoad*p.load()/max(load.top, 1) + autoPrice*price.of(known(p.price(in, out)))
	})
}

// scale relates a value to those of the other places; 0 is unknown.
type scale struct{ top, mean float64 }

func scaleOf(pool []place, value func(p *place) float64) scale {
	var s scale
	n := 0
	for i := range pool {
		if v := value(&pool[i]); v > 0 {
			s.top = max(s.top, v)
			s.mean += v
			n++
		}
	}
	s.mean /= float64(max(n, 1))
	return s
}

func (s scale) of(v float64) float64 {
	switch {
	case s.top == 0:
		return 0
	case v <= 0:
		return s.mean / s.top
	}
	return v / s.top
}

// known turns a price into a value for scale: no price is unknown, free is next to nothing.
func known(price float64) float64 {
	if math.IsInf(price, 1) {
		return 0
	}
	return max(price, math.SmallestNonzeroFloat64)
}

// load is how many requests are under way; of a nested combo, at its least busy place.
func (p *place) load() float64 {
	return p.least(func(l *leg) float64 { return float64(l.state.inFlight.Load()) })
}

// price is what so many tokens cost in USD, +Inf if no price was declared; of a nested combo, at its cheapest place.
func (p *place) price(in, out int) float64 {
	return p.least(func(l *leg) float64 {
		if l.model.Price == nil {
			return math.Inf(1)
		}
		return (float64(in)*l.model.Price.Input + float64(out)*l.model.Price.Output) / 1e6
	})
}

// latency is the average time to what the request waits for in seconds, 0 if never measured; of a nested combo, of its
// fastest place.
func (p *place) latency(req *providers.Request) float64 {
	v := p.least(func(l *leg) float64 { return cmp.Or(l.state.latency.of(req).seconds(), math.Inf(1)) })
	if math.IsInf(v, 1) {
		return 0
	}
	return v
}

// The standings of a place, twice as far apart as auto's blend can move it.
const (
	standingClosed   = 0.0
	standingDegraded = 2.0
	standingRefused  = 4.0
)

// standing ranks the place by the breakers it would pass; of a nested combo, by its best place.
func (p *place) standing(now time.Time) float64 {
	return p.least(func(l *leg) float64 {
		best := standingRefused
		for i := range l.lanes {
			switch l.lanes[i].path.State(now) {
			case circuitbreaker.Closed:
				return standingClosed
			case circuitbreaker.Degraded:
				best = standingDegraded
			}
		}
		return best
	})
}

// least is the smallest value of the place's legs, +Inf if it has none.
func (p *place) least(value func(l *leg) float64) float64 {
	v := math.Inf(1)
	for _, l := range p.legs {
		v = min(v, value(l))
	}
	return v
}

// tokens estimates what a request takes and gives; a nil request is a small one.
func tokens(req *providers.Request) (in, out int) {
	if req == nil {
		return defaultTokens, defaultTokens
	}
	return req.EstimatedTokens(), cmp.Or(req.MaxTokens, defaultTokens)
}

// defaultTokens is the output assumed of a request that sets no limit.
const defaultTokens = 1000
