package providers

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync"
	"time"
)

// stage plays the scripts of a demo as if it were the network: it is a transport. It starts no goroutine.
type stage struct {
	scripts map[string]script
	now     func() time.Time

	mu     sync.Mutex
	played map[string]int // requests, by model that has a script; "" counts all others
}

// RoundTrip implements [http.RoundTripper].
func (s *stage) RoundTrip(req *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{}) // nothing has to be connected
	}
	body, err := io.ReadAll(req.Body)
	_ = req.Body.Close()
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(req.URL.Path, upstreamPaths[Chat]) {
		return respond(http.StatusNotFound, failureBody("the demo speaks chat completions only", "invalid_request_error", "")), nil
	}
	asked, err := ParseRequest(Chat, body)
	if err != nil {
		return respond(http.StatusBadRequest, failureBody(err.Error(), "invalid_request_error", "")), nil
	}
	t, n := s.next(asked.Model)
	part := part{turn: t, number: n, model: asked.Model, created: s.now().Unix(), usage: asked.IncludeUsage, input: asked.EstimatedTokens()}
	return part.play(req.Context(), asked.Stream)
}

// next is the turn of the next request for a model.
func (s *stage) next(model string) (turn, int) {
	sc, ok := s.scripts[model]
	name := model
	if !ok {
		name, sc = "", otherTurns
	}
	s.mu.Lock()
	n := s.played[name]
	s.played[name]++
	s.mu.Unlock()
	return sc.turn(name, n), n
}

var otherTurns, _ = parseScript(otherScript)

// part is one turn being played.
type part struct {
	turn
	number  int
	model   string
	created int64
	usage   bool
	input   int // tokens
}

// play waits as long as the turn says and answers.
func (p *part) play(ctx context.Context, streamed bool) (*http.Response, error) {
	if p.act == "hang" {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	if streamed && p.act != "fail" && p.act != "lie" {
		resp := respond(http.StatusOK, nil)
		resp.Header["Content-Type"] = eventStream
		resp.Body = &playing{ctx: ctx, part: p, events: p.events()}
		return resp, nil
	}
	if err := sleep(ctx, p.first); err != nil {
		return nil, err
	}
	switch p.act {
	case "fail":
		return p.fail()
	case "lie":
		f := failures[ServerError]
		return respond(http.StatusOK, failureBody(f.message, f.typ, f.code)), nil
	case "die":
		resp := respond(http.StatusOK, p.whole()[:len(p.whole())/2])
		resp.Body = io.NopCloser(io.MultiReader(resp.Body, broken{}))
		return resp, nil
	case "stall":
		resp := respond(http.StatusOK, nil)
		resp.Body = &playing{ctx: ctx, part: p}
		return resp, nil
	}
	return respond(http.StatusOK, p.whole()), nil
}

func (p *part) fail() (*http.Response, error) {
	f := failures[p.kind]
	if f.err != nil {
		return nil, f.err
	}
	body := failureBody(f.message, f.typ, f.code)
	if f.answer != "" {
		body = []byte(f.answer)
	}
	resp := respond(f.status, body)
	if p.wait > 0 {
		resp.Header["Retry-After"] = []string{strconv.FormatFloat(p.wait.Seconds(), 'f', -1, 64)}
	}
	return resp, nil
}

func respond(status int, body []byte) *http.Response {
	return &http.Response{
		StatusCode: status, Proto: "HTTP/2.0", ProtoMajor: 2, // nothing has to be drained
		Header: http.Header{"Content-Type": jsonType}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: -1,
	}
}

// playing is the body of a streamed answer: each event is read when it is due.
type playing struct {
	ctx    context.Context //nolint:containedctx // it is the request's, as that of any response body
	part   *part
	events [][]byte
	given  int
	rest   []byte // of the event that is being read
}

// Read implements [io.Reader].
func (b *playing) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		if err := b.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *playing) next() error {
	if b.given == len(b.events) {
		switch b.part.act {
		case "die":
			return io.ErrUnexpectedEOF
		case "stall":
			<-b.ctx.Done()
			return context.Cause(b.ctx)
		}
		return io.EOF
	}
	wait := b.part.delay
	switch b.given {
	case 0:
		wait = 0 // the headers and the role come at once
	case 1:
		wait = b.part.first
	}
	if err := sleep(b.ctx, wait); err != nil {
		return err
	}
	b.rest = b.events[b.given]
	b.given++
	return nil
}

// Close implements [io.Closer].
func (b *playing) Close() error { return nil }

// broken is a body that breaks off.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// sleep waits, or returns why the context ended.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
