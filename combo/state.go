package combo

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// targetState is what the router has learned of one target; it stays with the target's name when the
// configuration changes. Safe for concurrent use.
type targetState struct {
	inFlight  atomic.Int64 // permits out: attempts and streams under way
	latency   latencies    // of successes
	measuring atomic.Bool  // `fastest` has sent somebody to measure it
	tokens    firstTokens
}

// hostState is what the router has learned of one provider.
type hostState struct {
	slots    slots
	retries  retryBudget
	keys     rotation
	verdicts bell        // rings when a probe or a forced attempt was settled or showed life
	unlisted targetState // all models that the configuration doesn't name
	direct   nodeState   // and the direct routes to them
}

// nodeState is where the strategies of one combo stand. Positions are those of one pool: another pool gets another
// state, into which they are translated by the names of the places.
type nodeState struct {
	cursor   atomic.Uint64 // round_robin: modulo the pool's length, the next first place
	lastGood atomic.Int64  // last_good: a place's index + 1; 0: none
	weights  rotation      // weighted
	waiting  atomic.Int64  // requests held by when_exhausted: wait
}

// newNodeState keeps before's state if the pool is the same, and else translates it.
func newNodeState(n, before *node) *nodeState {
	if before == nil {
		return &nodeState{}
	}
	same := slices.EqualFunc(n.pool, before.pool, func(a, b place) bool { return a.id == b.id })
	if same {
		return before.state
	}
	s := &nodeState{}
	if at := int(before.state.lastGood.Load()) - 1; at >= 0 && at < len(before.pool) {
		s.lastGood.Store(int64(n.at(before.pool[at].id) + 1))
	}
	if len(before.pool) > 0 {
		s.cursor.Store(uint64(n.follow(before, int(before.state.cursor.Load()%uint64(len(before.pool))))))
	}
	s.weights.current = make([]int, len(n.pool))
	for i, credit := range before.state.weights.credits() {
		if at := n.at(before.pool[i].id); at >= 0 {
			s.weights.current[at] = credit
		}
	}
	return s
}

// at finds a place by name, -1 if it is gone.
func (n *node) at(id string) int {
	return slices.IndexFunc(n.pool, func(p place) bool { return p.id == id })
}

// follow finds where the place that stood at from in before's pool stands now; if it is gone, the next that is left.
func (n *node) follow(before *node, from int) int {
	for i := range before.pool {
		if at := n.at(before.pool[(from+i)%len(before.pool)].id); at >= 0 {
			return at
		}
	}
	return 0
}

// latencies are what requests have waited for their answers: a stream for its first token, a plain one for the whole.
type latencies struct{ firstToken, whole average }

// of is the average that concerns a request; nil stands for a streamed one.
func (l *latencies) of(req *providers.Request) *average {
	if req == nil || req.Stream {
		return &l.firstToken
	}
	return &l.whole
}

// average is a moving average of durations (alpha 0.3); zero: nothing was measured.
type average struct{ bits atomic.Uint64 }

const alpha = 0.3

func (a *average) observe(d time.Duration) {
	for {
		old := a.bits.Load()
		v := max(d.Seconds(), 1e-9)
		if old != 0 {
			v = alpha*v + (1-alpha)*math.Float64frombits(old)
		}
		if a.bits.CompareAndSwap(old, math.Float64bits(v)) {
			return
		}
	}
}

// seconds is 0 if nothing was measured.
func (a *average) seconds() float64 { return math.Float64frombits(a.bits.Load()) }

// rotation is smooth weighted round robin: 3:1 gives A A B A. Safe for concurrent use.
type rotation struct {
	mu      sync.Mutex
	current []int
}

// next picks an index of weights, which are at least 1; look picks without moving on.
func (r *rotation) next(weights []int, look bool) int {
	if len(weights) == 1 {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.current) != len(weights) {
		r.current = make([]int, len(weights))
	}
	best, total := 0, 0
	for i, w := range weights {
		total += w
		if r.current[i]+w > r.current[best]+weights[best] {
			best = i
		}
	}
	if look {
		return best
	}
	for i, w := range weights {
		r.current[i] += w
	}
	r.current[best] -= total
	return best
}

func (r *rotation) credits() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.current)
}

// bell wakes everybody who waits for something to change. The zero value is ready; safe for concurrent use.
type bell struct {
	mu      sync.Mutex
	waiting chan struct{} // nil: nobody waits
}

// listen returns a channel that the next ring closes.
func (b *bell) listen() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = make(chan struct{})
	}
	return b.waiting
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting != nil {
		close(b.waiting)
		b.waiting = nil
	}
}
