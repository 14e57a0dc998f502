package combo

import (
	"slices"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// Explanation says what the walk would do now; it is the JSON of the explain endpoint (spec: api.md).
type Explanation struct {
	Combo         string      `json:"combo"`
	Strategy      string      `json:"strategy"`
	Candidates    []Candidate `json:"candidates"`
	WhenExhausted string      `json:"when_exhausted"`
}

// Candidate is one target in the order in which it would be asked.
type Candidate struct {
	Provider     string               `json:"provider"`
	Model        string               `json:"model"`
	Position     int                  `json:"position"` // from 1
	Admitted     bool                 `json:"admitted"`
	SkipReason   *SkipReason          `json:"skip_reason"`
	Breaker      *string              `json:"breaker"` // the one that refuses
	State        circuitbreaker.State `json:"state"`   // the worst of provider, key and target
	RetryAfterMS *int64               `json:"retry_after_ms"`
	Suspect      bool                 `json:"suspect"`
}

// Explain says what the walk for the combo, alias or "provider/model" would do now. It changes no state. A nil req
// stands for a request that every target can serve. The error is an *Error.
func (r *Router) Explain(name string, req *providers.Request) (Explanation, error) {
	n, refusal := r.resolve(name)
	if refusal != nil {
		return Explanation{}, refusal
	}
	now := r.now()
	var k ranking
	r.rank(&k, n, req, now, true)
	e := Explanation{
		Combo: n.Name, Strategy: n.strategy.name, WhenExhausted: n.Exhausted.Do, Candidates: []Candidate{},
	}
	if n.failsOpen() {
		e.WhenExhausted = FailOpen
	}
	for i := range k.candidates {
		e.add(k.candidates[i].leg, "", req, now)
	}
	e.rest(n, now, 1)
	return e, nil
}

// rest adds what no strategy orders: fallback targets and drained ones.
func (e *Explanation) rest(n *node, now time.Time, depth int) {
	for i := range n.fallbacks {
		for _, l := range n.fallbacks[i].legs {
			e.add(l, SkipOnlyOn, nil, now)
		}
	}
	for _, l := range n.drained {
		e.add(l, SkipDrained, nil, now)
	}
	for _, places := range [...][]place{n.pool, n.fallbacks} {
		for i := range places {
			if sub := places[i].sub; sub != nil && depth < maxDepth {
				e.rest(sub, now, depth+1)
			}
		}
	}
}

// add looks at one target, unless it is there already; an empty reason is found out.
func (e *Explanation) add(l *leg, reason SkipReason, req *providers.Request, now time.Time) {
	if slices.ContainsFunc(e.Candidates, func(c Candidate) bool { return c.Provider == l.host.ID && c.Model == l.model.Name }) {
		return
	}
	refusal, state := l.look(now)
	if reason == "" {
		reason = l.unfit(req)
	}
	if reason == "" && refusal != nil {
		reason = SkipReason(refusal.Reason)
	}
	if reason == "" && l.host.state.slots.full() {
		reason = SkipConcurrency
	}
	c := Candidate{
		Provider: l.host.ID, Model: l.model.Name, Position: len(e.Candidates) + 1, Admitted: reason == "",
		State: state, Suspect: l.state.tokens.suspect(now),
	}
	if reason != "" {
		c.SkipReason = &reason
	}
	if refusal != nil {
		c.Breaker = &refusal.Name
		if !refusal.RetryAt.IsZero() {
			c.RetryAfterMS = new(refusal.RetryAfter(now).Milliseconds())
		}
	}
	e.Candidates = append(e.Candidates, c)
}

// look peeks at the breakers of the lane that admits, or else of the one that recovers first.
func (l *leg) look(now time.Time) (*circuitbreaker.OpenError, circuitbreaker.State) {
	var refusal *circuitbreaker.OpenError
	state := circuitbreaker.Closed
	for i := range l.lanes {
		path := l.lanes[i].path
		e := path.Peek(circuitbreaker.Ask{Now: now})
		if e == nil {
			return nil, path.State(now)
		}
		if refusal == nil || soonerThan(e, refusal) {
			refusal, state = e, path.State(now)
		}
	}
	return refusal, state
}
