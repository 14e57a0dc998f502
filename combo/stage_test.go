package combo

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// act is what an upstream does with one attempt.
type act struct {
	after  time.Duration // before it answers
	fail   *providers.Failure
	chunks []beat // of a stream; nil: a plain answer
	body   string // of a plain answer
	raises bool   // panics
}

// beat is one read of a stream.
type beat struct {
	after time.Duration
	chunk providers.Chunk
	err   error
}

// call is one attempt as an upstream saw it.
type call struct {
	target string // provider/model
	key    string
	at     time.Time
	limits providers.Limits
}

// stage is where all upstreams of a test play: acts by "provider/model" or "provider/model@key", the last one again
// and again. A target without acts answers "hello".
type stage struct {
	mu    sync.Mutex
	acts  map[string][]act
	calls []call
}

// upstream is a providers.Provider that plays its acts on the stage.
type upstream struct {
	id    string
	stage *stage
}

func (u upstream) Send(ctx context.Context, a *providers.Attempt) (*providers.Answer, error) {
	next := u.stage.next(call{target: u.id + "/" + a.Model, key: a.Key.Name, at: time.Now(), limits: a.Limits})
	if next.raises {
		panic("a bug in the provider")
	}
	limit, name := a.Limits.Response, "response"
	if a.Stream {
		limit, name = a.Limits.FirstToken, "first_token"
	}
	if f := pass(ctx, next.after, limit, name); f != nil {
		return nil, f
	}
	if next.fail != nil {
		return nil, next.fail
	}
	if a.Stream && next.chunks == nil {
		next.chunks = []beat{said(next.body), done()}
	}
	return &providers.Answer{
		Status: 200, ContentType: "application/json", UpstreamID: "up-1", Stream: a.Stream,
		Events: &events{ctx: ctx, act: next, stream: a.Stream, limit: limit},
	}, nil
}

func (s *stage) next(c call) act {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
	for _, name := range []string{c.target + "@" + c.key, c.target} {
		if acts := s.acts[name]; len(acts) > 0 {
			if len(acts) > 1 {
				s.acts[name] = acts[1:]
			}
			return acts[0]
		}
	}
	return act{body: "hello"}
}

// pass lets time go by, unless a limit or the context ends it.
func pass(ctx context.Context, d, limit time.Duration, name string) *providers.Failure {
	limited := limit > 0 && limit < d
	if limited {
		d = limit
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		if limited {
			return &providers.Failure{Kind: providers.Timeout, Err: &providers.LimitError{Limit: name, After: limit}}
		}
		return nil
	case <-ctx.Done():
		return ended(ctx)
	}
}

func ended(ctx context.Context) *providers.Failure {
	if limit, ok := errors.AsType[*providers.LimitError](context.Cause(ctx)); ok {
		return &providers.Failure{Kind: providers.Timeout, Err: limit}
	}
	return &providers.Failure{Kind: providers.Canceled, Err: context.Cause(ctx)}
}

// events plays the beats of a stream, or one plain body.
type events struct {
	ctx       context.Context //nolint:containedctx // as real providers, whose events live under the attempt's context
	act       act
	stream    bool
	limit     time.Duration
	committed bool
	spoken    bool
}

func (e *events) Next() (providers.Chunk, error) {
	if !e.stream {
		if e.spoken {
			return providers.Chunk{}, io.EOF
		}
		e.spoken = true
		return providers.Chunk{Data: []byte(e.act.body), Meaningful: true, Done: true, Usage: &providers.Usage{OutputTokens: 1}}, nil
	}
	if len(e.act.chunks) == 0 {
		return providers.Chunk{}, io.EOF
	}
	b := e.act.chunks[0]
	e.act.chunks = e.act.chunks[1:]
	limit := e.limit
	if e.spoken {
		limit = 0
	}
	if f := pass(e.ctx, b.after, limit, "first_token"); f != nil {
		return providers.Chunk{}, e.truncated(f)
	}
	e.spoken = e.spoken || b.chunk.Meaningful
	if f, ok := errors.AsType[*providers.Failure](b.err); ok {
		return providers.Chunk{}, e.truncated(f)
	}
	return b.chunk, b.err
}

func (e *events) truncated(f *providers.Failure) *providers.Failure {
	if e.committed && f.Kind != providers.Canceled {
		f = &providers.Failure{Kind: providers.Truncated, Status: f.Status, Message: f.Message, Err: f.Err}
	}
	return f
}

func (e *events) Commit() bool {
	e.committed = true
	return true
}
func (e *events) Close() error { return nil }

func said(text string) beat {
	return beat{chunk: providers.Chunk{Data: []byte("data: " + text + "\n\n"), Meaningful: true}}
}

// three is a read that holds three events.
func three(text string) beat {
	b := said(text)
	b.chunk.Count = 3
	return b
}

func role() beat { return beat{chunk: providers.Chunk{Data: []byte("data: role\n\n")}} }

func done() beat {
	return beat{chunk: providers.Chunk{Data: []byte("data: [DONE]\n\n"), Done: true, FinishReason: "stop"}}
}

func dies(kind providers.Kind) beat { return beat{err: failure(kind)} }

func (b beat) later(d time.Duration) beat { b.after = d; return b }

func stream(beats ...beat) act { return act{chunks: beats} }

func fails(kind providers.Kind) act { return act{fail: failure(kind)} }

func failsWith(kind providers.Kind, hint time.Duration) act {
	f := failure(kind)
	f.Hint = hint
	return act{fail: f}
}

func hangs() act { return act{after: 24 * time.Hour} }

// failure is a failure as the classifier would make it.
func failure(kind providers.Kind) *providers.Failure {
	f := &providers.Failure{Kind: kind, Status: upstreamStatus[kind], Message: "upstream says " + string(kind)}
	if rule, _ := providers.RuleOf(kind); rule.Client.AsIs {
		f.Body, f.ContentType = []byte(`{"error":"`+string(kind)+`"}`), "application/json"
	}
	return f
}

var upstreamStatus = map[providers.Kind]int{
	providers.RateLimit: 429, providers.QuotaExhausted: 429, providers.Billing: 402, providers.Auth: 401,
	providers.Permission: 403, providers.ModelNotFound: 404, providers.ContextLength: 400, providers.ContentPolicy: 400,
	providers.Unsupported: 400, providers.ClientError: 422, providers.Overloaded: 503, providers.ServerError: 500,
	providers.Malformed: 200, providers.Truncated: 200, providers.ModelFault: 400,
}
