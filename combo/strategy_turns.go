package combo

import "math"

// roundRobin goes on cyclically from the cursor, which every request moves by one.
func roundRobin(c *choice) {
	n := uint64(len(c.order))
	cursor := &c.node.state.cursor
	if c.look {
		c.turn = cursor.Load()
	} else {
		c.turn = cursor.Add(1) - 1
	}
	for i := range n {
		c.order[i] = int((c.turn + i) % n)
	}
}

// passBy moves the cursor behind a place that served instead of an earlier one, unless somebody has moved it since.
func passBy(n *node, place int, turn uint64) {
	size := uint64(len(n.pool))
	if later := (uint64(place) + size - turn%size) % size; later > 0 {
		n.state.cursor.CompareAndSwap(turn+1, turn+1+later)
	}
}

// weighted takes the first by smooth weighted round robin and the rest by weight.
func weighted(c *choice) {
	c.rate(func(p *place) float64 { return -float64(p.weight) })
	c.lead(c.node.state.weights.next(c.node.weights, c.look))
}

// random shuffles so that a place comes first in proportion to its weight (exponential keys).
func random(c *choice) {
	c.rate(func(p *place) float64 { return -math.Log1p(-c.rand()) / float64(p.weight) })
}

// sticky ranks by rendezvous hashing of session and name, weights respected: nothing is remembered, so the order is
// the same after a restart and on another replica, and only the sessions of a removed target move.
func sticky(c *choice) {
	if c.req == nil {
		return
	}
	session := c.req.Session()
	if session == "" {
		return
	}
	seed := fold(fold(fnvOffset, session), "\x00")
	c.rate(func(p *place) float64 {
		unit := (float64(scatter(fold(seed, p.id))>>11) + 0.5) / (1 << 53)
		return -math.Log(unit) / float64(p.weight)
	})
}

const fnvOffset, fnvPrime = 14695981039346656037, 1099511628211

// fold is FNV-1a: the same on every machine and in every version.
func fold(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h
}

// scatter spreads similar hashes over all bits (the finalizer of splitmix64).
func scatter(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// lastGood puts the place that served last first.
func lastGood(c *choice) {
	if at := int(c.node.state.lastGood.Load()) - 1; at >= 0 {
		c.lead(at)
	}
}

func remember(n *node, place int, _ uint64) { n.state.lastGood.Store(int64(place + 1)) }
