package combo

import (
	"errors"
	"io"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// Answer is a request that was answered: the held bytes first, then the rest as it comes. One goroutine at a time
// uses it, and must call Close.
type Answer struct {
	Combo        string // what x-ohmroute-combo says
	Target       string // "provider/model"
	Attempts     []Attempt
	Status       int
	ContentType  string
	UpstreamID   string
	Dropped      []string // members of the request that the target's dialect has no counterpart of, as paths
	DroppedCount int      // how many there were; the first are named
	Stream       bool     // Next gives the events of a stream; false: the whole answer at once
	BodyDone     bool     // nothing reads the request's body any more; false: that holds from Close on

	walk   walk
	err    error // what Next goes on answering; nil: more may come
	closed bool
	broken *Error // what came after the commit instead of the end
}

// dress fills in what the client is told, once the walk has committed.
func (a *Answer) dress() {
	w := &a.walk
	a.Combo, a.Target, a.Attempts = w.node.Name, w.winner.name, w.attempts
	a.Status, a.ContentType, a.UpstreamID, a.Stream = w.won.Status, w.won.ContentType, w.won.UpstreamID, w.won.Stream
	a.Dropped, a.DroppedCount, a.BodyDone = w.won.Dropped, w.won.DroppedCount, w.bodyDone
}

// Next gives the next bytes for the client, valid until the next call. io.EOF: the protocol's own end, settled as
// success. An *Error of kind truncated: the stream failed; of kind timeout: the walk's time ran out; of kind
// canceled: the client left.
func (a *Answer) Next() ([]byte, error) {
	h := &a.walk.hold
	if kept := h.kept; len(kept) > 0 {
		h.kept = nil
		return kept, nil
	}
	if data := h.chunk.Data; len(data) > 0 {
		h.chunk.Data = nil
		return data, nil
	}
	for a.err == nil {
		if h.ended {
			a.err = io.EOF
			break
		}
		if err := a.walk.read(); err != nil {
			a.finish(err)
			break
		}
		if h.chunk.Done {
			a.finish(io.EOF)
			a.err = nil // what came with the end goes out first
			h.ended = true
		}
		if data := h.chunk.Data; len(data) > 0 {
			h.chunk.Data = nil
			return data, nil
		}
	}
	return nil, a.err
}

// finish settles the answer by how its events ended.
func (a *Answer) finish(err error) {
	w := &a.walk
	w.now = w.router.now()
	if errors.Is(err, io.EOF) {
		a.err = io.EOF
		w.stretch()
		w.succeed()
		return
	}
	f := failureOf(err)
	kind := providers.Truncated
	switch {
	case isClosed(w.gone), f.Kind == providers.Canceled && (w.until.IsZero() || w.now.Before(w.until)):
		kind, w.ending = providers.Canceled, byClient
	case !w.until.IsZero() && !w.now.Before(w.until):
		kind, w.ending = providers.Timeout, byDeadline
	case f.Kind == providers.Local:
		kind = providers.Local
	}
	a.brokeOff(kind, f)
	a.err = a.broken
}

// brokeOff settles an answer that did not come to its end, and lists its attempt as failed.
func (a *Answer) brokeOff(kind providers.Kind, f *providers.Failure) {
	w := &a.walk
	h, l := w.on.leg.host, w.on.leg
	rule := h.rule(kind)
	charged := rule.ChargedTo(h.Scope, len(h.Keys))
	if w.ending != byFailure || charged == circuitbreaker.ScopeTarget && !l.listed {
		charged = circuitbreaker.ScopeNone
	}
	if charged == circuitbreaker.ScopeNone {
		w.permits.NoVerdict(w.now)
	} else {
		w.permits.Fail(w.now, charged, kind, f.Hint)
	}
	row := w.stretch()
	row.Outcome, row.Kind = Failed, kind
	w.land()
	a.broken = &Error{
		Kind: kind, Status: rule.Client.Status, AnthropicStatus: rule.Client.AnthropicStatus, Type: rule.Client.Type,
		Code: rule.Client.Code, Message: told(l.name, kind, f), Combo: a.Combo, Target: a.Target,
		Attempts: w.attempts, UpstreamID: a.UpstreamID,
	}
}

// Close cancels what is under way, gives every slot back and settles what was not settled as no verdict: a client
// that left charges nobody. It is idempotent.
func (a *Answer) Close() {
	if a.closed {
		return
	}
	a.closed = true
	w := &a.walk
	if w.on != nil {
		w.now = w.router.now()
		w.ending = byClient
		a.brokeOff(providers.Canceled, &providers.Failure{Kind: providers.Canceled})
	}
	if a.err == nil {
		a.err = io.EOF
		if a.broken != nil {
			a.err = a.broken
		}
	}
	w.closeEvents()
	if w.cancel != nil {
		w.cancel()
	}
}

// Report is what the request log and the metrics need; complete after Close.
func (a *Answer) Report() Report {
	w := &a.walk
	r := w.report(OutcomeOK, a.Status)
	r.Target, r.UpstreamID = a.Target, a.UpstreamID
	if e := a.broken; e != nil {
		r.Outcome, r.Kind, r.Code = OutcomeTruncated, e.Kind, e.Code
		if e.Kind == providers.Canceled {
			r.Outcome, r.Status = OutcomeCanceled, e.Status
		}
	}
	return r
}
