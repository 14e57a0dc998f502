package combo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// pool makes a node of places A, B, C ... with these weights.
func pool(strategy string, weights ...int) *node {
	n := &node{Combo: &Combo{Name: "c"}, strategy: strategyNamed(strategy), state: &nodeState{}}
	registry := circuitbreaker.NewRegistry(circuitbreaker.Options{})
	h := &host{Provider: &Provider{ID: "p", Enabled: true}, keys: make([]providers.Key, 1), weights: []int{1}, state: &hostState{}}
	for i, w := range weights {
		l := newLeg(h, string(rune('A'+i)), circuitbreaker.TargetName("p", string(rune('A'+i))), registry)
		l.state = &targetState{}
		n.pool = append(n.pool, place{id: l.model.Name, leg: l, legs: []*leg{l}, weight: w})
		n.weights = append(n.weights, w)
	}
	return n
}

// order arranges a node once and names the places in order.
func order(n *node, req *providers.Request, draw func() float64) string {
	c := &choice{req: req, rand: draw, now: time.Now()}
	c.start(n)
	if n.strategy.arrange != nil {
		n.strategy.arrange(c)
	}
	if c.claim != nil {
		c.claim.measuring.Store(false)
	}
	var names strings.Builder
	for _, i := range c.order {
		names.WriteString(n.pool[i].id)
	}
	return names.String()
}

// orders arranges a node several times.
func orders(n *node, times int) string {
	var all []string
	for range times {
		all = append(all, order(n, nil, rand.Float64))
	}
	return strings.Join(all, " ")
}

func TestEveryStrategyReturnsAPermutation(t *testing.T) {
	for _, s := range strategies {
		t.Run(s.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				weights := rapid.SliceOfN(rapid.IntRange(1, 100), 1, 30).Draw(t, "weights")
				n := pool(s.name, weights...)
				draw := func() float64 { return rapid.Float64Range(0, 0.999999).Draw(t, "draw") }
				for i := range n.pool {
					l := n.pool[i].leg
					l.state.inFlight.Store(rapid.Int64Range(0, 5).Draw(t, "load"))
					if ms := rapid.IntRange(0, 5).Draw(t, "latency"); ms > 0 {
						l.state.latency.firstToken.observe(time.Duration(ms) * time.Millisecond)
					}
					if price := rapid.IntRange(0, 3).Draw(t, "price"); price > 0 {
						l.model.Price = &Price{Input: float64(price - 1), Output: 1}
					}
					l.state.measuring.Store(rapid.Bool().Draw(t, "measuring"))
				}
				n.state.lastGood.Store(int64(rapid.IntRange(0, len(weights)).Draw(t, "last good")))
				req := &providers.Request{SessionHeader: rapid.StringN(0, 5, -1).Draw(t, "session")}
				for range 3 {
					got := []rune(order(n, req, draw))
					slices.Sort(got)
					var want strings.Builder
					for _, p := range n.pool {
						want.WriteString(p.id)
					}
					if string(got) != want.String() {
						t.Fatalf("%s is no permutation of %s", string(got), want.String())
					}
				}
			})
		})
	}
}

func TestPriorityOrdersAsListed(t *testing.T) {
	if got := orders(pool("priority", 1, 9, 1), 2); got != "ABC ABC" {
		t.Error(got)
	}
	if got := strategyNamed("").name; got != "priority" {
		t.Errorf("the default is %s", got)
	}
}

func TestRoundRobinGoesOnByOneAndBehindALaterTargetThatServed(t *testing.T) {
	n := pool("round_robin", 1, 1, 1)
	if got := orders(n, 4); got != "ABC BCA CAB ABC" {
		t.Error(got)
	}
	n = pool("round_robin", 1, 1, 1)
	order(n, nil, nil)
	passBy(n, 1, 0) // A was first, B served
	if got := orders(n, 1); got != "CAB" {
		t.Errorf("after B served: %s", got)
	}
	n = pool("round_robin", 1, 1, 1)
	orders(n, 2)
	passBy(n, 2, 0) // somebody has moved it since
	if got := orders(n, 1); got != "CAB" {
		t.Errorf("moved twice: %s", got)
	}
}

func TestWeightedGivesAABA(t *testing.T) {
	if got := orders(pool("weighted", 3, 1), 8); got != "AB AB BA AB AB AB BA AB" {
		t.Error(got)
	}
	if got := orders(pool("weighted", 1, 5, 3), 1); got != "BCA" {
		t.Errorf("the rest is not by weight: %s", got)
	}
}

func TestRandomRespectsWeights(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	n := pool("random", 7, 2, 1)
	first := map[byte]int{}
	for range 10_000 {
		first[order(n, nil, source.Float64)[0]]++
	}
	for place, want := range map[byte]int{'A': 7000, 'B': 2000, 'C': 1000} {
		if got := first[place]; got < want-200 || got > want+200 {
			t.Errorf("%c was first %d times, want about %d", place, got, want)
		}
	}
}

func TestLeastBusyCountsRequestsUnderWay(t *testing.T) {
	n := pool("least_busy", 1, 1, 1)
	n.pool[0].leg.state.inFlight.Store(2)
	n.pool[2].leg.state.inFlight.Store(1)
	if got := orders(n, 1); got != "BCA" {
		t.Error(got)
	}
	n.pool[1].leg.state.inFlight.Store(1)
	if got := orders(n, 1); got != "BCA" {
		t.Errorf("ties: %s", got)
	}
}

func TestTwoChoicesTakesTheLessBusyOfTwo(t *testing.T) {
	n := pool("p2c", 1, 1, 1, 1)
	n.pool[3].leg.state.inFlight.Store(9)
	source := rand.New(rand.NewPCG(1, 2))
	first := map[byte]int{}
	for range 3000 {
		got := order(n, nil, source.Float64)
		first[got[0]]++
		if got[3] != 'D' {
			t.Fatalf("%s: the busiest is the better of no two", got)
		}
	}
	for _, place := range []byte("ABC") {
		if first[place] < 800 {
			t.Errorf("%c was first only %d times", place, first[place])
		}
	}
}

func TestCheapestPricesThisRequest(t *testing.T) {
	n := pool("cheapest", 1, 1, 1, 1)
	n.pool[0].leg.model.Price = &Price{Input: 10, Output: 1} // dear to read
	n.pool[1].leg.model.Price = &Price{Input: 1, Output: 10} // dear to write
	n.pool[3].leg.model.Price = &Price{}                     // free
	long := &providers.Request{Body: make([]byte, 400_000), MaxTokens: 10}
	short := &providers.Request{Body: make([]byte, 40), MaxTokens: 100_000}
	if got := order(n, long, nil); got != "DBAC" {
		t.Errorf("a long question: %s", got)
	}
	if got := order(n, short, nil); got != "DABC" {
		t.Errorf("a long answer: %s", got)
	}
	for i := range n.pool {
		n.pool[i].leg.model.Price = nil
		n.pool[i].leg.state.inFlight.Store(int64(3 - i))
	}
	if got := order(n, short, nil); got != "DCBA" {
		t.Errorf("equal prices: %s, want by load", got)
	}
}

func TestFastestMeasuresOneAtATime(t *testing.T) {
	n := pool("fastest", 1, 1, 1)
	n.pool[2].leg.state.latency.firstToken.observe(time.Second)
	c := &choice{now: time.Now()}
	c.start(n)
	fastest(c)
	if got := fmt.Sprint(c.order); got != "[0 2 1]" {
		t.Errorf("unmeasured first, one at a time: %s", got)
	}
	if got := orders(n, 1); got != "BCA" {
		t.Errorf("while A is being measured: %s", got)
	}
	c.claim.measuring.Store(false)
	n.pool[0].leg.state.latency.firstToken.observe(2 * time.Second)
	n.pool[1].leg.state.latency.firstToken.observe(3 * time.Second)
	if got := orders(n, 1); got != "CAB" {
		t.Errorf("by latency: %s", got)
	}
	for range 20 {
		n.pool[2].leg.state.latency.firstToken.observe(5 * time.Second)
	}
	if got := orders(n, 1); got != "ABC" {
		t.Errorf("the average follows: %s", got)
	}
}

func TestTheAverageMovesByThreeTenths(t *testing.T) {
	var a average
	a.observe(10 * time.Second)
	a.observe(20 * time.Second)
	if got := a.seconds(); got < 12.999 || got > 13.001 {
		t.Errorf("average %v, want 13", got)
	}
}

func TestStickyKeepsASessionAndMovesOnlyTheKeysOfARemovedTarget(t *testing.T) {
	full, less := pool("sticky", 1, 1, 1, 1), pool("sticky", 1, 1, 1)
	first := map[byte]int{}
	for i := range 4000 {
		req := &providers.Request{SessionHeader: fmt.Sprintf("session-%d", i)}
		before, again, after := order(full, req, nil), order(full, req, nil), order(less, req, nil)
		first[before[0]]++
		if before != again {
			t.Fatalf("%s, then %s", before, again)
		}
		if left := strings.ReplaceAll(before, "D", ""); left != after {
			t.Fatalf("without D: %s, want %s", after, left)
		}
	}
	for place, n := range first {
		if n < 850 || n > 1150 {
			t.Errorf("%c has %d of 4000 sessions", place, n)
		}
	}
	if got := order(full, &providers.Request{SessionHeader: "session-3"}, nil); got != "BDCA" {
		t.Errorf("the order %s of session-3 has changed: other versions and replicas disagree", got)
	}
	if got := order(full, &providers.Request{}, nil); got != "ABCD" {
		t.Errorf("without a session: %s", got)
	}
}

func TestLastGoodLeadsWithWhoServedLast(t *testing.T) {
	n := pool("last_good", 1, 1, 1)
	if got := orders(n, 1); got != "ABC" {
		t.Error(got)
	}
	remember(n, 2, 0)
	if got := orders(n, 2); got != "CAB CAB" {
		t.Error(got)
	}
}

func TestAutoBlendsLatencyPriceAndLoad(t *testing.T) {
	n := pool("auto", 1, 1, 1)
	n.pool[0].leg.state.latency.firstToken.observe(3 * time.Second)
	n.pool[1].leg.state.latency.firstToken.observe(time.Second)
	if got := orders(n, 1); got != "BCA" {
		t.Errorf("by latency, the unknown in between: %s", got)
	}
	n.pool[1].leg.state.inFlight.Store(10)
	n.pool[1].leg.model.Price = &Price{Input: 1, Output: 1}
	n.pool[2].leg.model.Price = &Price{Input: 0.1, Output: 0.1}
	if got := orders(n, 1); got != "CBA" && got != "CAB" {
		t.Errorf("cheap and free goes first: %s", got)
	}
}

func TestAutoPrefersClosedToDegraded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", with(func(c *Combo) { c.Strategy = "auto" }))
		for range 3 {
			var p circuitbreaker.Permit
			r.breakers.Get("provider:a").AcquireForced(&p, circuitbreaker.Ask{Now: time.Now()}, "test")
			p.Failure(time.Now(), providers.ServerError, 0)
		}
		r.state("provider:a", circuitbreaker.Degraded)
		r.wait(6 * time.Second)
		r.ask("c")
		if got := r.asked(); got != "b/m" {
			t.Errorf("asked %s", got)
		}
	})
}

func TestALookMovesNothing(t *testing.T) {
	for _, s := range strategies {
		n := pool(s.name, 3, 2, 1)
		want := order(n, nil, func() float64 { return 0.5 })
		n = pool(s.name, 3, 2, 1)
		for range 5 {
			c := &choice{rand: func() float64 { return 0.5 }, look: true}
			c.start(n)
			if s.arrange != nil {
				s.arrange(c)
			}
		}
		if got := order(n, nil, func() float64 { return 0.5 }); got != want {
			t.Errorf("%s: %s after five looks, %s without", s.name, got, want)
		}
	}
}

func TestACursorFollowsItsTargetsThroughAChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for strategy, want := range map[string]string{"round_robin": "d/m", "last_good": "b/m"} {
			r := newRig(t, "a/m b/m d/m", with(func(c *Combo) { c.Strategy = strategy }))
			r.ask("c")
			if strategy == "last_good" {
				remember(r.router.table.Load().nodes["c"], 1, 0)
			} else {
				r.ask("c")
			}
			r.asked()
			next := *r.cfg
			c := *r.cfg.Combos["c"]
			c.Targets = append([]Target{r.target("x/m")}, c.Targets[1:]...)
			next.Combos = map[string]*Combo{"c": &c}
			r.router.Swap(&next)
			r.ask("c")
			if got := r.asked(); got != want {
				t.Errorf("%s: asked %s, want %s", strategy, got, want)
			}
		}
	})
}

func TestAStrategyOfANestedComboMovesWhenTheWalkComesToIt(t *testing.T) {
	for _, strategy := range []string{"round_robin", "weighted"} {
		t.Run(strategy, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "d/m")
				r.cfg.Combos["c"].Strategy = "round_robin"
				r.targets(r.target("d/m"), r.nests("in", strategy, "b/m", "e/m"))
				for range 8 {
					r.ask("c")
				}
				if got := r.asked(); got != "d/m b/m d/m e/m d/m b/m d/m e/m" {
					t.Errorf("asked %q", got)
				}
			})
		})
	}
	t.Run("at any depth, also of fallback targets", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, "d/m")
			r.nests("inner", "round_robin", "b/m", "e/m")
			outer := r.nests("outer", "round_robin", "f/m")
			r.cfg.Combos["outer"].Targets = append(r.cfg.Combos["outer"].Targets, Target{Combo: "inner"})
			r.targets(r.target("d/m"), outer.on(providers.Unsupported))
			r.plays("d/m", act{}, fails(providers.Unsupported), act{}, fails(providers.Unsupported), fails(providers.Unsupported), fails(providers.Unsupported))
			for range 6 {
				r.ask("c")
			}
			if got := r.asked(); got != "d/m d/m f/m d/m d/m b/m d/m f/m d/m e/m" {
				t.Errorf("asked %q", got)
			}
		})
	})
	t.Run("a target that was not come to isn't being measured", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, "d/m")
			r.targets(r.target("d/m"), r.nests("in", "fastest", "b/m", "e/m"))
			r.plays("d/m", act{after: time.Second})
			var wg sync.WaitGroup
			wg.Go(func() { r.ask("c") })
			synctest.Wait()
			if r.router.table.Load().legs["b/m"].state.measuring.Load() {
				t.Error("b is said to be measured by a request that is with d")
			}
			wg.Wait()
			r.plays("d/m", fails(providers.ServerError))
			r.plays("b/m", act{after: time.Second})
			wg.Go(func() { r.ask("c") })
			synctest.Wait()
			if !r.router.table.Load().legs["b/m"].state.measuring.Load() {
				t.Error("b is not said to be measured")
			}
			wg.Wait()
		})
	})
}

func TestWhatPlainAnswersTakeDoesNotOrderStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", with(func(c *Combo) { c.Strategy = "fastest" }))
		slow, quick := stream(said("x").later(3*time.Second), done()), stream(said("x").later(time.Second), done())
		slow.body, quick.body = "x", "x"
		// b streams sooner, a is sooner done.
		r.plays("a/m", slow)
		r.plays("b/m", quick)
		r.stream("c")
		r.stream("c")
		r.plays("a/m", act{body: "x", after: 4 * time.Second})
		r.plays("b/m", act{body: "x", after: 9 * time.Second})
		r.ask("c")
		r.ask("c")
		r.asked()
		r.stream("c")
		r.ask("c")
		if got := r.asked(); got != "b/m a/m" {
			t.Errorf("asked %q: want the stream of b and the plain answer of a", got)
		}
	})
}
