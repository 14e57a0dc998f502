package providers

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"
)

// upstream is what all providers over HTTP have in common. The demo is one too: its transport is a function.
type upstream struct {
	dialect, preset string
	kind            *hostKind
	native          map[Endpoint]bool // what is sent as it comes; nil: everything
	strict          bool
	noReasoning     bool   // it refuses reasoning in the history
	version         string // of the API, for azure; empty: the kind's
	base            *url.URL
	headers         http.Header     // fixed
	forward         map[string]bool // client headers to pass on, beside the common ones
	injectUsage     bool
	transport       http.RoundTripper
	now             func() time.Time
	drains          background
}

// send makes one attempt.
func (u *upstream) send(ctx context.Context, a *Attempt) (*Answer, error) {
	x := &exchange{upstream: u, attempt: a, wire: u.wire(a.Endpoint)}
	if ctx.Err() != nil {
		return nil, x.failure(Signal{Err: ctx.Err(), Cause: context.Cause(ctx)})
	}
	if f := x.write(); f != nil {
		return nil, f
	}
	resp, err := u.transport.RoundTrip(x.request(ctx)) //nolint:bodyclose // the exchange closes it, when the events are closed
	if err != nil {
		f := x.broken(err)
		x.close()
		return nil, f
	}
	x.resp = resp
	answer, f := x.answer()
	if f != nil {
		x.close()
		return nil, x.forClient(f)
	}
	if _, live := answer.Events.(*stream); !live {
		x.close()
	}
	return x.translated(answer), nil
}

// request starts the attempt's clock and builds its own request.
func (x *exchange) request(ctx context.Context) *http.Request {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx)) // it may outlive the caller's, see drain
	x.ended = func() error { return context.Cause(own) }
	x.unlink = context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	x.small = x.body.copied()
	x.watch.begin(cancel, x.attempt.Limits, x.attempt.Stream)

	target := *x.base
	to := x.kind.address(x.upstream, x.wire, x.attempt)
	if to.escaped != "" || target.RawPath != "" {
		target.RawPath = cmp.Or(target.RawPath, target.Path) + cmp.Or(to.escaped, to.path)
	}
	target.Path += to.path
	target.RawQuery = x.query(to)
	req := &http.Request{
		Method: http.MethodPost, URL: &target, Host: target.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: x.header(x.attempt), Body: x.sending(&x.body), GetBody: x.resend, ContentLength: x.body.size(),
	}
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { x.watch.connected() }}
	return req.WithContext(httptrace.WithClientTrace(own, trace))
}

// background are goroutines that may be started at any time, also while somebody waits for them.
type background struct {
	mu      sync.Mutex
	running int
	idle    chan struct{} // closed when none runs any more; nil unless somebody waits
}

// run starts f in a goroutine.
func (b *background) run(f func()) {
	b.mu.Lock()
	b.running++
	b.mu.Unlock()
	go func() {
		defer b.ended()
		f()
	}()
}

func (b *background) ended() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running--; b.running == 0 && b.idle != nil {
		close(b.idle)
		b.idle = nil
	}
}

// wait returns when none runs.
func (b *background) wait() {
	b.mu.Lock()
	if b.running == 0 {
		b.mu.Unlock()
		return
	}
	if b.idle == nil {
		b.idle = make(chan struct{})
	}
	idle := b.idle
	b.mu.Unlock()
	<-idle
}
