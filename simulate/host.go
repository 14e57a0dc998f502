package simulate

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// host is a provider whose targets play what the script says of them.
type host struct {
	world *world
	id    string
}

// act is what a target does with one call.
type act struct {
	fault int                // none: nothing is wrong
	never bool               // nothing comes
	first time.Duration      // until the first token, or the failure
	rest  time.Duration      // from the first token to the end
	fails *providers.Failure // instead of an answer; of kind truncated: instead of an answer's end
}

// Send plays one call. Of a stream it returns with the first token.
func (h *host) Send(ctx context.Context, a *providers.Attempt) (*providers.Answer, error) {
	n, err := strconv.Atoi(a.RequestID)
	if err != nil {
		return nil, &providers.Failure{Kind: providers.Local, Err: err}
	}
	next := h.world.act(n, h.id+"/"+a.Model, a.Key.Name)
	wait, name, limit := next.first, "first_token", a.Limits.FirstToken
	if !a.Stream {
		name, limit = "response", a.Limits.Response
		if next.fails == nil {
			wait += next.rest
		}
	}
	if next.never {
		wait = forEver
	}
	if f := h.world.pass(ctx, n, wait, limit, name); f != nil {
		return nil, f
	}
	if f := next.fails; f != nil && (f.Kind != providers.Truncated || !a.Stream) {
		if f.Kind == providers.Truncated { // what is cut before it was whole is no answer
			f = failure(providers.Malformed, f.Hint)
		}
		return nil, f
	}
	answer := &providers.Answer{Status: 200, ContentType: "application/json", Stream: a.Stream}
	if !a.Stream {
		answer.Events = &whole{}
		return answer, nil
	}
	answer.ContentType = "text/event-stream"
	answer.Events = &stream{ctx: ctx, world: h.world, request: n, act: next, piece: a.Limits.Idle / 2}
	return answer, nil
}

// forEver is longer than a simulation.
const forEver = 10 * 365 * 24 * time.Hour

// pass lets time go by for a request, unless a limit (0: none) or the end of ctx comes first, and takes the turn.
func (w *world) pass(ctx context.Context, request int, d, limit time.Duration, name string) *providers.Failure {
	limited := limit > 0 && limit < d
	if limited {
		d = limit
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	w.turns.take(request)
	if ctx.Err() != nil { // also where both came at once
		if reached, ok := errors.AsType[*providers.LimitError](context.Cause(ctx)); ok {
			return &providers.Failure{Kind: providers.Timeout, Err: reached}
		}
		return &providers.Failure{Kind: providers.Canceled, Err: context.Cause(ctx)}
	}
	if limited {
		return &providers.Failure{Kind: providers.Timeout, Err: &providers.LimitError{Limit: name, After: limit}}
	}
	return nil
}

// whole are the events of a plain answer.
type whole struct{ over bool }

// Next gives the answer, once.
func (e *whole) Next() (providers.Chunk, error) {
	if e.over {
		return providers.Chunk{}, io.EOF
	}
	e.over = true
	return providers.Chunk{Data: []byte("{}"), Meaningful: true, Done: true, FinishReason: "stop"}, nil
}

// Commit is for events that differ after it.
func (e *whole) Commit() bool { return true }

// Close has nothing to end.
func (e *whole) Close() error { return nil }

// stream are the events of a stream whose first token has come.
type stream struct {
	ctx     context.Context //nolint:containedctx // events live under their attempt's context
	world   *world
	request int
	act     act
	piece   time.Duration // the longest that it may be silent; 0: for ever
	begun   bool
}

// aside is half a millisecond, which a stream's end is later than it would be, so that it never comes at the instant
// at which a hold window is over.
const aside = time.Millisecond / 2

// Next gives a token at once, and then as often as the limit between two of them wants it.
func (e *stream) Next() (providers.Chunk, error) {
	if !e.begun {
		e.begun = true
		e.act.rest += aside
		return oneToken(), nil
	}
	wait := e.act.rest
	if e.piece > 0 {
		wait = min(wait, e.piece)
	}
	if f := e.world.pass(e.ctx, e.request, wait, 0, ""); f != nil {
		return providers.Chunk{}, f
	}
	if e.act.rest -= wait; e.act.rest > 0 {
		return oneToken(), nil
	}
	if e.act.fails != nil {
		return providers.Chunk{}, e.act.fails
	}
	return providers.Chunk{Data: []byte("data: [DONE]\n\n"), Done: true, FinishReason: "stop"}, nil
}

func oneToken() providers.Chunk {
	return providers.Chunk{Data: []byte("data: {}\n\n"), Meaningful: true, Count: 1}
}

// Commit is for events that differ after it.
func (e *stream) Commit() bool { return true }

// Close has nothing to end.
func (e *stream) Close() error { return nil }
