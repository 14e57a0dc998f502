package combo

import (
	"context"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// lastFailure is what decides the final answer: the last upstream failure and its row.
type lastFailure struct {
	failure *providers.Failure // nil: there was none

	leg   *leg
	rule  *providers.Rule
	at    time.Time
	whole *whole // nil: there is no answer to pass on
}

// whole is a well-formed answer that was no success: a refusal or an empty answer (spec: failures.md 2).
type whole struct {
	answer providers.Answer // without Events
	data   []byte
}

// failed settles the attempt that failed, each permit once, and decides by the kind's row (spec: failures.md 1).
func (w *walk) failed(ctx context.Context, f *providers.Failure) step {
	c := w.on
	w.now = w.router.now()
	w.upstream += w.now.Sub(w.sentAt)
	if w.stopped(ctx, f) {
		w.permits.NoVerdict(w.now)
		row := w.row(Failed)
		row.Kind, row.Status = w.ending.kind(), f.Status
		w.closeEvents()
		w.land()
		return stop
	}
	rule := c.leg.host.rule(f.Kind)
	w.last = lastFailure{failure: f, leg: c.leg, rule: &rule, at: w.now}
	w.last.whole = w.wholeOf(f)
	w.closeEvents()
	charged := charge{scope: rule.ChargedTo(c.leg.host.Scope, len(c.leg.host.Keys)), leg: c.leg, key: w.lane.key.Name}
	if charged.scope == circuitbreaker.ScopeTarget && !c.leg.listed {
		charged.scope = circuitbreaker.ScopeNone
	}
	row := w.row(Failed)
	row.Kind, row.Status = f.Kind, f.Status
	w.noteKind(f.Kind)
	next := w.decide(c, f, &rule, charged.scope)
	w.settle(f, charged.scope)
	w.pace.failed(charged, f.Hint, w.now, w.retries+1, &w.node.Retry, w.router.rand)
	w.touchDown()
	if next != sibling {
		w.releaseSlot()
	}
	return next
}

// settle gives the verdict on a failure to the permits.
func (w *walk) settle(f *providers.Failure, charged circuitbreaker.Scope) {
	switch {
	case f.Kind == providers.ContentPolicy && w.last.whole != nil && w.closed && !w.unlocks(f.Kind):
		w.permits.Success(w.now) // the refusal is passed on as it came
		row := &w.attempts[len(w.attempts)-1]
		row.Outcome, row.Kind = OK, ""
	case charged == circuitbreaker.ScopeNone:
		w.permits.NoVerdict(w.now)
	default:
		if park := w.permits.Fail(w.now, charged, f.Kind, f.Hint); park != 0 {
			w.parks = append(w.parks, park)
		}
	}
}

// decide says what comes after a failure before the commit.
func (w *walk) decide(c *candidate, f *providers.Failure, rule *providers.Rule, charged circuitbreaker.Scope) step {
	switch rule.Failover {
	case providers.NextSiblingKey:
		elsewhere := charged == circuitbreaker.ScopeTarget || charged == circuitbreaker.ScopeProvider
		if !elsewhere && c.hasUnused() {
			return sibling
		}
	case providers.NextLargerWindow:
		w.small.learn(c.leg, f)
		c.over = true
	case providers.NextOnlyOn:
		c.over = true
		if !w.node.FailoverOnContentPolicy {
			w.closePool(f.Kind)
		}
	case providers.NextNone:
		held := f.Kind == providers.Truncated // content came, but the hold window kept it back
		if !f.Next && !held {
			w.closePool(f.Kind)
		}
	case providers.NextAlways, providers.NextBeforeCommit:
		c.over = c.over || f.Kind == providers.Unsupported // the same target would say the same
	}
	return goOn
}

// hasUnused tells whether a key is left that was not asked in this try.
func (c *candidate) hasUnused() bool {
	for i := range c.leg.lanes {
		if !c.used.has(i) {
			return true
		}
	}
	return false
}

// stopped tells whether the walk ends here because the client left or the time ran out, which charges nobody.
func (w *walk) stopped(ctx context.Context, f *providers.Failure) bool {
	if f.Kind == providers.Canceled && ctx.Err() == nil {
		w.ending = byClient // the gateway is shutting down
		return true
	}
	cut := f.Status == 0 || f.Kind == providers.Timeout || f.Kind == providers.Canceled
	return (cut || isClosed(w.gone)) && w.leaves(ctx)
}

func (e ending) kind() providers.Kind {
	if e == byDeadline {
		return providers.Timeout
	}
	return providers.Canceled
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// wholeOf is the answer that a failure under 2xx carries, in the form that the client asked for; nil: none.
func (w *walk) wholeOf(f *providers.Failure) *whole {
	if f.Status < 200 || f.Status > 299 || f.Body == nil || w.req.Stream != f.Stream {
		return nil
	}
	return &whole{
		answer: providers.Answer{Status: f.Status, ContentType: f.ContentType, UpstreamID: f.UpstreamID, Stream: f.Stream},
		data:   f.Body,
	}
}

// passOn makes an answer of the last failure, if it carries one: it goes out as it came.
func (w *walk) passOn() bool {
	if w.last.whole == nil || w.ending != byFailure {
		return false
	}
	w.winner, w.won = w.last.leg, w.last.whole.answer
	w.hold.kept, w.hold.chunk, w.hold.ended = w.last.whole.data, providers.Chunk{}, true
	if w.hold.usage == nil {
		w.hold.usage = w.last.failure.Usage
	}
	return true
}

// rule is the row of a kind; one that the provider's table lacks is as in the specification.
func (h *host) rule(k providers.Kind) providers.Rule {
	if rule, ok := h.rules[k]; ok {
		return rule
	}
	if rule, ok := providers.RuleOf(k); ok {
		return rule
	}
	rule, _ := providers.RuleOf(providers.Local)
	return rule
}

// commit makes the answer final: no other target is tried from here on.
func (w *walk) commit() {
	w.alive()
	if w.hold.events > 1 || w.hold.window != nil {
		w.now = w.router.now()
	}
	if w.hold.reads == nil {
		w.bodyDone = w.up.Events.Commit()
	} else {
		w.hold.owes = true
	}
	w.winner, w.won = w.on.leg, *w.up
	w.upstream += w.now.Sub(w.sentAt)
	w.served(w.winner)
	w.repaid(w.on)
	w.row(OK).Status = w.up.Status
	if w.hold.ended {
		w.succeed()
	}
}

// stretch makes the attempt that answered last until now.
func (w *walk) stretch() *Attempt {
	row := &w.attempts[len(w.attempts)-1]
	lasted := w.now.Sub(w.sentAt)
	w.upstream += lasted - row.Duration
	row.Duration = lasted
	return row
}

// succeed settles an answer that came to its protocol's end.
func (w *walk) succeed() {
	w.permits.Success(w.now)
	w.on.leg.state.latency.of(w.req).observe(w.first)
	w.land()
}

// disclaim frees a target that this request was to measure and did not reach.
func (w *walk) disclaim() {
	if w.claim != nil && (w.on == nil || w.on.leg.state != w.claim) {
		w.claim.measuring.Store(false)
		w.claim = nil
	}
}

// abandon gives back whatever is still taken.
func (w *walk) abandon() {
	if w.on != nil {
		w.permits.NoVerdict(w.now)
	}
	w.closeEvents()
	w.land()
	w.disclaim()
	if w.cancel != nil {
		w.cancel()
	}
}
