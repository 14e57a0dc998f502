package providertest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// Upstream is a scripted HTTP server. It is safe for concurrent use.
type Upstream struct {
	server *httptest.Server
	closed chan struct{}

	mu       sync.Mutex
	scripts  map[string][]script
	played   map[string]int // requests, by the model whose scripts they play
	requests []Request
	arrived  chan struct{} // closed and made anew at each request
	gates    map[string]chan struct{}
	gone     int
	hasty    bool
}

// Request is a request as the upstream got it.
type Request struct {
	Method, Path, Query string
	Header              http.Header
	Host                string
	Body                []byte
	Model               string // of the body, or of the path
	Stream, Usage       bool   // of the body, or of the path
	At                  time.Time
}

// New starts an upstream that answers 500 until it has a script. It must be closed.
func New() *Upstream {
	u := newUpstream()
	u.server = httptest.NewServer(u)
	return u
}

func newUpstream() *Upstream {
	return &Upstream{
		closed: make(chan struct{}), arrived: make(chan struct{}),
		scripts: map[string][]script{}, played: map[string]int{}, gates: map[string]chan struct{}{},
	}
}

// NewUpstream starts an upstream that is closed at the end of the test.
func NewUpstream(tb testing.TB) *Upstream {
	tb.Helper()
	u := New()
	tb.Cleanup(u.Close)
	return u
}

// NewHandler returns an upstream that is no server: the test serves it where it likes.
func NewHandler(tb testing.TB) *Upstream {
	tb.Helper()
	u := newUpstream()
	tb.Cleanup(u.Close)
	return u
}

// URL is the base URL of the upstream, with /v1.
func (u *Upstream) URL() string { return u.server.URL + "/v1" }

// Close ends what is under way and stops the server.
func (u *Upstream) Close() {
	u.mu.Lock()
	select {
	case <-u.closed:
		u.mu.Unlock()
		return
	default:
		close(u.closed)
	}
	u.mu.Unlock()
	if u.server != nil {
		u.server.CloseClientConnections()
		u.server.Close()
	}
}

// Script sets what requests for a model do, one script after the other; the count of the model's requests begins
// anew. It panics on a script that is none: it is the test's own fault.
func (u *Upstream) Script(model string, texts ...string) {
	scripts := make([]script, len(texts))
	for i, text := range texts {
		s, err := parse(text)
		if err != nil {
			panic("providertest: script " + err.Error())
		}
		scripts[i] = s
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.scripts[model] = scripts
	u.played[model] = 0
}

// Hasty makes the upstream answer before it has read what it was sent. It then knows no model.
func (u *Upstream) Hasty() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.hasty = true
}

// Release lets all requests go on that wait for that name, now and later.
func (u *Upstream) Release(name string) {
	gate := u.gate(name)
	u.mu.Lock()
	defer u.mu.Unlock()
	select {
	case <-gate:
	default:
		close(gate)
	}
}

func (u *Upstream) gate(name string) chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.gates[name] == nil {
		u.gates[name] = make(chan struct{})
	}
	return u.gates[name]
}

// Requests are those that have come so far, in their order.
func (u *Upstream) Requests() []Request {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.requests)
}

// Count is how many requests have come for a model.
func (u *Upstream) Count(model string) int {
	n := 0
	for _, r := range u.Requests() {
		if r.Model == model {
			n++
		}
	}
	return n
}

// Forget drops the requests that have come.
func (u *Upstream) Forget() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.requests = nil
}

// Await returns the requests as soon as there are n of them, or fails when ctx ends.
func (u *Upstream) Await(ctx context.Context, n int) ([]Request, error) {
	for {
		u.mu.Lock()
		all, arrived := slices.Clone(u.requests), u.arrived
		u.mu.Unlock()
		if len(all) >= n {
			return all, nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return all, ctx.Err()
		}
	}
}

// Gone is how many clients left before their answer was whole.
func (u *Upstream) Gone() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.gone
}

// AwaitGone returns as soon as n clients have left, or fails when ctx ends.
func (u *Upstream) AwaitGone(ctx context.Context, n int) error {
	for {
		u.mu.Lock()
		gone, arrived := u.gone, u.arrived
		u.mu.Unlock()
		if gone >= n {
			return nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ServeHTTP plays the script that is due.
func (u *Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := u.read(r)
	if err != nil {
		u.left()
		return
	}
	req := Request{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone(), Host: r.Host,
		Body: body, At: time.Now(),
	}
	var asked struct {
		Model         string `json:"model"`
		Stream        bool   `json:"stream"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	if json.NewDecoder(bytes.NewReader(body)).Decode(&asked) == nil {
		req.Model, req.Stream, req.Usage = asked.Model, asked.Stream, asked.StreamOptions.IncludeUsage
	}
	if model, streamed := modelInPath(req.Path); model != "" {
		req.Model, req.Stream = model, req.Stream || streamed
	}
	p := &player{upstream: u, w: w, r: r, request: req, voice: voiceOf(&req), most: -1}
	p.play(u.next(req))
}

func (u *Upstream) read(r *http.Request) ([]byte, error) {
	u.mu.Lock()
	hasty := u.hasty
	u.mu.Unlock()
	if hasty {
		return nil, nil
	}
	return io.ReadAll(r.Body)
}

// next notes a request and finds its script.
func (u *Upstream) next(req Request) script {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.requests = append(u.requests, req)
	u.tell()
	model := req.Model
	if _, ok := u.scripts[model]; !ok {
		model = ""
	}
	scripts := u.scripts[model]
	n := u.played[model]
	u.played[model]++
	for i, s := range scripts {
		if n -= s.times; n < 0 || i == len(scripts)-1 {
			return s
		}
	}
	return script{steps: []step{{name: "error", number: http.StatusInternalServerError, text: "- no script for this model"}}}
}

func (u *Upstream) left() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.gone++
	u.tell()
}

// tell wakes those who wait. The caller holds the lock.
func (u *Upstream) tell() {
	close(u.arrived)
	u.arrived = make(chan struct{})
}
