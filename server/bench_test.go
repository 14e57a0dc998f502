package server

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/providers"
)

// nullWriter takes an answer and keeps nothing.
type nullWriter struct{ header http.Header }

func (w *nullWriter) Header() http.Header              { return w.header }
func (w *nullWriter) Write(b []byte) (int, error)      { return len(b), nil }
func (w *nullWriter) WriteHeader(int)                  {}
func (w *nullWriter) FlushError() error                { return nil }
func (w *nullWriter) SetWriteDeadline(time.Time) error { return nil }
func (w *nullWriter) SetReadDeadline(time.Time) error  { return nil }

const benchAnswer = `{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`

// static answers at once, without a network.
type static struct {
	data   []byte
	stream bool
	events int
}

type staticEvents struct {
	s    *static
	left int
}

func (s *static) Send(context.Context, *providers.Attempt) (*providers.Answer, error) {
	return &providers.Answer{Status: 200, ContentType: "application/json", Stream: s.stream, Events: &staticEvents{s, s.events}}, nil
}

func (e *staticEvents) Next() (providers.Chunk, error) {
	if e.left == 0 {
		return providers.Chunk{}, io.EOF
	}
	e.left--
	return providers.Chunk{Data: e.s.data, Meaningful: true, Done: e.left == 0}, nil
}

func (e *staticEvents) Commit() bool { return true }
func (e *staticEvents) Close() error { return nil }

// roundTrip answers like static, for a reverse proxy.
type roundTrip struct{ body []byte }

func (t roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	return &http.Response{
		StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(t.body)), ContentLength: int64(len(t.body)), Request: r,
	}, nil
}

func benchHandler(b *testing.B, h http.Handler, body string) {
	b.Helper()
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", http.NoBody)
	header := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"bench"}, "Accept": {"*/*"}}
	b.ReportAllocs()
	for b.Loop() {
		r := *r
		r.Header = header.Clone()
		r.Body = io.NopCloser(strings.NewReader(body))
		r.ContentLength = int64(len(body))
		h.ServeHTTP(&nullWriter{header: make(http.Header, 8)}, &r)
	}
}

// benchGateway is a gateway of one target, as a benchmark needs it: without logging.
func benchGateway(b *testing.B, t target) http.Handler {
	b.Helper()
	g := newGateway(b, false, stored(nullStore{}, config.RequestLog{}), func(o *Options) { o.Logger = slog.New(slog.DiscardHandler) })
	g.route(t)
	return g.handler
}

func BenchmarkPlain(b *testing.B) {
	s := &static{data: []byte(benchAnswer), events: 1}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "upstream"})
	proxy.Transport = roundTrip{[]byte(benchAnswer)}
	for name, body := range map[string]string{
		"1KB":   `{"model":"c","messages":[{"role":"user","content":"` + strings.Repeat("x", 1<<10) + `"}]}`,
		"100KB": `{"model":"c","messages":[{"role":"user","content":"` + strings.Repeat("x", 100<<10) + `"}]}`,
	} {
		b.Run("gateway/"+name, func(b *testing.B) { benchHandler(b, benchGateway(b, s.Send), body) })
		b.Run("ReverseProxy/"+name, func(b *testing.B) { benchHandler(b, proxy, body) })
	}
}

func BenchmarkStream(b *testing.B) {
	events := []byte(strings.Repeat("data: {\"choices\":[{\"delta\":{\"content\":\"hello\"}}]}\n\n", 8))
	s := &static{data: events, stream: true, events: 100}
	b.Run("gateway/100x8 events", func(b *testing.B) { benchHandler(b, benchGateway(b, s.Send), streamBody) })
}

// nullStore takes requests and keeps none.
type nullStore struct{}

func (nullStore) AppendRequests(context.Context, []StoredRequest) error { return nil }
func (nullStore) Requests(context.Context, RequestQuery) ([]StoredRequest, error) {
	return nil, nil
}

func (nullStore) Request(context.Context, string) (found StoredRequest, ok bool, err error) {
	return found, false, nil
}

func (nullStore) TrimRequests(context.Context, time.Time, int, int64) (bool, error) {
	return false, nil
}

// BenchmarkFinish is what counting and logging a request cost the goroutine that served it.
func BenchmarkFinish(b *testing.B) {
	g := newGateway(b, false, stored(nullStore{}, config.RequestLog{}), func(o *Options) { o.Logger = slog.New(slog.DiscardHandler) })
	x := &exchange{start: time.Now()}
	x.id = newRequestID(x.start)
	report := combo.Report{
		RequestID: x.id, Endpoint: "chat", Combo: "c", Model: "c", Target: "a/m", Outcome: combo.OutcomeOK, Status: 200, Listed: true,
		Start: x.start, Total: 900 * time.Millisecond, Upstream: 899 * time.Millisecond, FirstToken: 300 * time.Millisecond,
		Attempts: []combo.Attempt{{Provider: "a", Model: "m", Key: "k", Outcome: combo.OK, Status: 200, Start: x.start, Duration: time.Second, Listed: true}},
		Usage:    &providers.Usage{InputTokens: 100, OutputTokens: 200},
	}
	b.ReportAllocs()
	for b.Loop() {
		g.server.finish(x, &report)
	}
}

// BenchmarkRow is what showing or storing a request costs off its path.
func BenchmarkRow(b *testing.B) {
	f := ended(1)
	f.report.Attempts = []combo.Attempt{{Provider: "a", Model: "m", Key: "k", Outcome: combo.OK, Status: 200, Duration: time.Second, Listed: true}}
	b.ReportAllocs()
	for b.Loop() {
		f.json()
	}
}
