package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/e2e/pipes"
	"github.com/ohmroute/ohmroute/providers"
)

// running is a gateway whose Run serves a pipe.
type running struct {
	*gateway
	*pipes.Listener
	client *http.Client
	stop   context.CancelFunc
	done   chan error
}

// run starts Run; the test must end it with end before its bubble ends.
func (g *gateway) run() *running {
	l := pipes.New()
	ctx, stop := context.WithCancel(context.Background())
	transport := &http.Transport{DialContext: l.Dial}
	r := &running{gateway: g, Listener: l, client: &http.Client{Transport: transport}, stop: stop, done: make(chan error, 1)}
	go func() { r.done <- g.server.Run(ctx, Listeners{Client: l}) }()
	g.t.Cleanup(func() {
		stop()
		transport.CloseIdleConnections()
	})
	return r
}

// end stops the gateway and waits for it.
func (r *running) end() {
	r.t.Helper()
	r.stop()
	r.client.CloseIdleConnections()
	if err := <-r.done; err != nil {
		r.t.Errorf("Run: %v", err)
	}
}

// post sends a client's chat over the pipe.
func (r *running) post(ctx context.Context, body string) (*http.Response, error) {
	return r.postTo(ctx, "/v1/chat/completions", body)
}

func (r *running) postTo(ctx context.Context, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost:4700"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return r.client.Do(req)
}

func (r *running) get(path string) *http.Response {
	r.t.Helper()
	resp, err := r.client.Get("http://localhost:4700" + path)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp
}

// target is a provider that a test scripts.
type target func(ctx context.Context, a *providers.Attempt) (*providers.Answer, error)

func (f target) Send(ctx context.Context, a *providers.Attempt) (*providers.Answer, error) {
	return f(ctx, a)
}

// events plays chunks one after the other, each after its delay, until the context ends.
type events struct {
	ended  <-chan struct{} // the attempt's context
	chunks []chunk
	closed func()
	once   sync.Once
	commit bool
}

type chunk struct {
	after time.Duration
	data  string
	err   error
	hang  bool // until the context ends
}

func (e *events) Next() (providers.Chunk, error) {
	if len(e.chunks) == 0 {
		return providers.Chunk{}, io.EOF
	}
	c := e.chunks[0]
	e.chunks = e.chunks[1:]
	var timer <-chan time.Time
	if !c.hang {
		timer = time.After(c.after)
	}
	select {
	case <-timer:
	case <-e.ended:
		return providers.Chunk{}, &providers.Failure{Kind: providers.Canceled, Err: context.Canceled}
	}
	if c.err != nil {
		return providers.Chunk{}, c.err
	}
	return providers.Chunk{Data: []byte(c.data), Meaningful: true, Done: len(e.chunks) == 0}, nil
}

func (e *events) Commit() bool {
	e.commit = true
	return true
}

func (e *events) Close() error {
	e.once.Do(func() {
		if e.closed != nil {
			e.closed()
		}
	})
	return nil
}

// streaming answers with chunks.
func streaming(chunks ...chunk) target {
	return func(ctx context.Context, _ *providers.Attempt) (*providers.Answer, error) {
		return &providers.Answer{
			Status: 200, ContentType: "text/event-stream; charset=utf-8", UpstreamID: "up-1", Stream: true,
			Events: &events{ended: ctx.Done(), chunks: append([]chunk(nil), chunks...)},
		}, nil
	}
}

// plain answers with one whole body.
func plain(body string) target {
	return func(ctx context.Context, _ *providers.Attempt) (*providers.Answer, error) {
		return &providers.Answer{
			Status: 200, ContentType: "application/json", UpstreamID: "up-1",
			Events: &events{ended: ctx.Done(), chunks: []chunk{{data: body}}},
		}, nil
	}
}

// failing fails with f after a while.
func failing(after time.Duration, f *providers.Failure) target {
	return func(ctx context.Context, _ *providers.Attempt) (*providers.Answer, error) {
		select {
		case <-time.After(after):
			return nil, f
		case <-ctx.Done():
			return nil, &providers.Failure{Kind: providers.Canceled, Err: context.Cause(ctx)}
		}
	}
}

// route puts one combo "c" of the targets in place: provider a, b, c and so on, each with the model m.
func (g *gateway) route(targets ...target) { g.routeWith(nil, targets...) }

// routeWith is route with providers that are changed, if change isn't nil.
func (g *gateway) routeWith(change func(*combo.Provider), targets ...target) {
	cfg := &combo.Config{Providers: map[string]*combo.Provider{}, Combos: map[string]*combo.Combo{}, Direct: combo.DefaultCombo()}
	c := combo.DefaultCombo()
	c.Name = "c"
	names := map[string]circuitbreaker.Configured{}
	for i, t := range targets {
		id := string(rune('a' + i))
		cfg.Providers[id] = &combo.Provider{
			ID: id, Kind: "openai", Client: t, Enabled: true, Limits: combo.DefaultLimits(),
			Models: map[string]combo.Model{"m": {Name: "m"}}, ModelOrder: []string{"m"},
		}
		if change != nil {
			change(cfg.Providers[id])
		}
		c.Targets = append(c.Targets, combo.Target{Provider: id, Model: "m", Weight: 1})
		for _, name := range []string{circuitbreaker.ProviderName(id), circuitbreaker.TargetName(id, "m")} {
			names[name] = circuitbreaker.Configured{Settings: circuitbreaker.DefaultSettings()}
		}
	}
	cfg.Combos["c"] = &c
	g.breakers.Configure(context.Background(), names)
	g.router.Swap(cfg)
}

const (
	streamBody = `{"model":"c","stream":true,"messages":[{"role":"user","content":"hi"}]}`
	plainBody  = `{"model":"c","messages":[{"role":"user","content":"hi"}]}`
)

// readAll reads a body to its end and tells whether it ended in order.
func readAll(tb testing.TB, resp *http.Response) (string, bool) {
	tb.Helper()
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		tb.Errorf("reading the body: %v", err)
	}
	return string(b), err == nil
}
