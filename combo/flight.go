package combo

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// flight is one attempt: everything that is taken before it is sent and given back when it is settled.
type flight struct {
	permits circuitbreaker.Permits
	attempt providers.Attempt // of the first attempt; later ones get their own
	on      *candidate        // nil: no attempt is under way
	lane    *lane
	sentAt  time.Time
	early   bool          // no first token yet
	head    time.Duration // from sending to the head of a stream; 0: none came
	first   time.Duration // from sending to the first token; 0: none came
	slot    *slots        // a slot of it is taken, for this attempt or the next; nil: none
	probing bool          // somebody may wait for this attempt's verdict
	forced  bool
	up      *providers.Answer // nil: nothing has come, or it is closed
	hold    holding
	cut     context.CancelCauseFunc // ends the attempt alone; nil: nothing does

	winner   *leg // whose answer the client gets
	won      providers.Answer
	bodyDone bool // as Events.Commit says
}

// send makes one attempt. again says that it is one with a sibling key.
func (w *walk) send(ctx context.Context, c *candidate, l *lane, again bool) step {
	w.take(c, l, again)
	a := &w.attempt
	if w.sent > 1 {
		a = new(providers.Attempt)
	}
	*a = providers.Attempt{
		Request: w.req, Model: c.leg.model.Name, Key: l.key, Limits: w.limits(c),
		MaxOutput: c.leg.model.MaxOutputTokens, HoldRefusals: w.movesRefusals(c),
	}
	own := ctx
	if w.req.Stream && w.node.Hold != (Hold{}) {
		own, w.cut = context.WithCancelCause(ctx)
	}
	up, err := c.leg.host.Client.Send(own, a)
	w.up = up
	if err == nil && up.Stream {
		w.head = w.router.now().Sub(w.sentAt)
	}
	if err == nil {
		err = w.untilCommit()
	}
	if err == nil {
		w.commit()
		return answered
	}
	return w.failed(ctx, failureOf(err))
}

// take notes an attempt as under way. The permits and the slot have been taken.
func (w *walk) take(c *candidate, l *lane, again bool) {
	state := c.leg.host.state
	w.now = w.router.now()
	if !w.asked(c.leg) {
		state.retries.request(w.now)
	}
	if w.sent > 0 && !again {
		w.retries++
	}
	w.sent++
	if !again {
		c.tries++
	}
	c.used.add(l.index)
	if i := w.skipRow(c.leg); i >= 0 {
		w.attempts = slices.Delete(w.attempts, i, i+1)
	}
	w.on, w.lane, w.sentAt, w.early = c, l, w.now, true
	w.head, w.first = 0, 0
	w.hold = holding{kept: w.hold.kept[:0]}
	w.forced = w.permits.Forced()
	w.probing = w.forced || w.permits.Probe()
	c.leg.state.inFlight.Add(1)
	if w.req.Stream {
		c.leg.state.tokens.join(w.sentAt)
	}
}

// limits are the attempt's own, each within the share of the walk's time that c may use up. The idle limit is not: it goes
// on after the commit; see limitSilence for before.
func (w *walk) limits(c *candidate) providers.Limits {
	limits, share := limitsOf(w.node.Combo, c.leg), w.share(c)
	return providers.Limits{
		Connect:    within(limits.Connect, share),
		FirstToken: within(limits.FirstToken, share),
		Idle:       max(limits.Idle, 0),
		Response:   within(limits.Response, share),
	}
}

// within bounds a limit by a share of the walk's time; 0 of either is none.
func within(limit, share time.Duration) time.Duration {
	switch {
	case share <= 0:
		return max(limit, 0)
	case limit <= 0:
		return share
	}
	return min(limit, share)
}

// share is the part of the walk's time that an attempt on c may use up without a commit: half of what is left, if somebody
// else could be asked then; 0 is no bound.
func (w *walk) share(c *candidate) time.Duration {
	if w.until.IsZero() || !w.another(c) && !w.unlocks(providers.Timeout) {
		return 0
	}
	return max(w.until.Sub(w.now)/2, 1)
}

// movesRefusals tells whether another target may answer what c refuses.
func (w *walk) movesRefusals(c *candidate) bool {
	return w.req.Stream && (w.node.FailoverOnContentPolicy && w.another(c) || w.unlocks(providers.ContentPolicy))
}

// failureOf is the failure of an attempt. An error that a provider did not classify is a bug of ours.
func failureOf(err error) *providers.Failure {
	if f, ok := errors.AsType[*providers.Failure](err); ok {
		return f
	}
	return &providers.Failure{Kind: providers.Local, Err: err}
}

// alive notes the first token: the probe's slot is free for the next, and nobody waits in suspense any more.
func (w *walk) alive() {
	if !w.early {
		return
	}
	w.early = false
	w.now = w.router.now()
	w.first = max(w.now.Sub(w.sentAt), 1)
	if w.req.Stream {
		w.on.leg.state.tokens.arrive(w.sentAt, w.now)
	}
	if w.probing {
		w.permits.Progress(w.now)
		w.on.leg.host.state.verdicts.ring()
	}
}

// land gives back what take took, after the permits were settled. It is safe to call when nothing is under way.
func (w *walk) land() {
	w.touchDown()
	w.releaseSlot()
}

// touchDown is land but for the slot, which the attempt with a sibling key goes on with.
func (w *walk) touchDown() {
	c := w.on
	if c == nil {
		return
	}
	w.on = nil
	state := c.leg.host.state
	if w.early && w.req.Stream {
		c.leg.state.tokens.leave(w.sentAt)
	}
	c.leg.state.inFlight.Add(-1)
	w.repaid(c)
	if w.claim == c.leg.state {
		w.claim = nil
		c.leg.state.measuring.Store(false)
	}
	if w.probing {
		state.verdicts.ring()
	}
}

// repaid ends the retry that was taken for an attempt.
func (w *walk) repaid(c *candidate) {
	if c.paid {
		c.paid = false
		c.leg.host.state.retries.give()
	}
}

// row lists the attempt as it stands.
func (w *walk) row(outcome Outcome) *Attempt {
	l := w.on.leg
	w.attempts = append(w.attempts, Attempt{
		Provider: l.host.ID, Model: l.model.Name, Key: w.lane.key.Name, Outcome: outcome,
		Start: w.sentAt, Duration: max(w.now.Sub(w.sentAt), 0), FirstToken: w.first,
		Forced: w.forced, Probe: w.probing && !w.forced, Listed: l.listed,
	})
	return &w.attempts[len(w.attempts)-1]
}
