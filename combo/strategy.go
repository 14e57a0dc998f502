package combo

import (
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// strategy orders the places of a combo's pool; it never admits and never refuses (spec: routing.md "Strategies").
type strategy struct {
	name string
	// arrange permutes c.order, which comes in list order; nil: as listed.
	arrange func(c *choice)
	// moves says that arrange, unless it only looks, changes what the next one finds.
	moves bool
	// served, if set, is told the place that answered and where arrange stood (choice.turn).
	served func(n *node, place int, turn uint64)
}

// strategies is the one table; the first row is the default.
var strategies = []strategy{
	{name: "priority"},
	{name: "round_robin", arrange: roundRobin, moves: true, served: passBy},
	{name: "weighted", arrange: weighted, moves: true},
	{name: "random", arrange: random},
	{name: "least_busy", arrange: leastBusy},
	{name: "p2c", arrange: twoChoices},
	{name: "cheapest", arrange: cheapest},
	{name: "fastest", arrange: fastest, moves: true},
	{name: "sticky", arrange: sticky},
	{name: "last_good", arrange: lastGood, served: remember},
	{name: "auto", arrange: auto},
}

// StrategyNames lists the strategies in the order of the documentation.
func StrategyNames() []string {
	names := make([]string, len(strategies))
	for i := range strategies {
		names[i] = strategies[i].name
	}
	return names
}

// strategyNamed finds a row; a name that validation would have refused is priority.
func strategyNamed(name string) *strategy {
	for i := range strategies {
		if strategies[i].name == name {
			return &strategies[i]
		}
	}
	return &strategies[0]
}

// choice is what a strategy may look at, and where it leaves its order. One goroutine uses it.
type choice struct {
	node *node
	req  *providers.Request
	now  time.Time
	rand func() float64
	look bool // nothing may move: no cursor, no weight, no claim

	order []int     // indexes into node.pool: what the strategy permutes
	score []float64 // room for one number per place

	turn  uint64       // where the strategy stood, for served
	claim *targetState // a target that this request shall measure; whoever walks ends the claim
}

// start readies the choice for a node, its order as listed.
func (c *choice) start(n *node) {
	c.node, c.turn, c.claim = n, 0, nil
	c.order, c.score = c.order[:0], c.score[:0]
	for i := range n.pool {
		c.order = append(c.order, i)
		c.score = append(c.score, 0)
	}
}

// rate gives each place a score; the lowest goes first, list order decides between equals.
func (c *choice) rate(score func(p *place) float64) {
	for i := range c.node.pool {
		c.score[i] = score(&c.node.pool[i])
	}
	c.sort()
}

// sort orders by score, stably. Pools are short and mostly in order already: insertion does it without allocating.
func (c *choice) sort() {
	for i := 1; i < len(c.order); i++ {
		for j := i; j > 0 && c.score[c.order[j]] < c.score[c.order[j-1]]; j-- {
			c.order[j], c.order[j-1] = c.order[j-1], c.order[j]
		}
	}
}

// lead puts one place first and leaves the others as they are.
func (c *choice) lead(place int) {
	for i, p := range c.order {
		if p == place {
			copy(c.order[1:i+1], c.order[:i])
			c.order[0] = place
			return
		}
	}
}
