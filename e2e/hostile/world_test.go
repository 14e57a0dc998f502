package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/config/configtest"
	"github.com/ohmroute/ohmroute/db"
	"github.com/ohmroute/ohmroute/providers/providertest"
	"github.com/ohmroute/ohmroute/server"
	"github.com/ohmroute/ohmroute/server/tracing"
)

// The secrets of all tests. None has a form by which it could be known for a key.
const (
	adminToken  = "Zuckerwatte-Admin-7391-Nachtfalter"
	providerKey = "Quittenmus/Provider/5521+Regenwurm"
	fixedHeader = "Pfefferminz-Header-8812-Stachelbeere"
	metricsWord = "Haselnuss-Metrics-4410-Schneeflocke"
)

// world is a running gateway with everything that it writes to: a database, a log and a collector of traces.
type world struct {
	t         *testing.T
	url       string
	database  string
	clientKey string
	session   string // as a Cookie header
	log       *lines
	traces    *spans
	client    *http.Client
	upstreams map[string]*providertest.Upstream // by kind
	connect   func() (net.Conn, error)
	shut      func()
}

// lines is what was logged.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// spans are what the collector of traces got, as JSON.
type spans struct {
	lines
}

func (s *spans) ExportSpans(_ context.Context, all []sdk.ReadOnlySpan) error {
	for _, span := range all {
		attributes, err := json.Marshal(span.Attributes())
		if err != nil {
			return err
		}
		for _, text := range []string{span.Name(), span.Status().Description, string(attributes), "\n"} {
			if _, err := io.WriteString(s, text+" "); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *spans) Shutdown(context.Context) error { return nil }

// storage is where a gateway keeps what it knows.
type storage struct {
	documents config.Store
	breakers  circuitbreaker.Store
	requests  server.RequestStore
	close     func() error
}

// newWorld starts a gateway on a listener. Its client connects with the function given.
func newWorld(t *testing.T, l net.Listener, connect func() (net.Conn, error), open func(*world, *slog.Logger) storage) *world {
	t.Helper()
	w := &world{t: t, log: &lines{}, traces: &spans{}, upstreams: map[string]*providertest.Upstream{}, connect: connect}
	logger := slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	store := open(w, logger)
	sealer, err := config.NewSealer(bytes.Repeat([]byte{7}, 32))
	must(t, err)
	file, problems := config.ParseFile([]byte("server:\n  metrics_token: "+metricsWord+"\n"), nil)
	if file == nil {
		t.Fatal(problems)
	}
	breakers := circuitbreaker.NewRegistry(circuitbreaker.Options{Store: store.breakers, Logger: logger})
	must(t, breakers.Restore(t.Context()))
	var router *combo.Router
	live, err := config.OpenLive(t.Context(), config.LiveOptions{
		Store: store.documents, Sealer: sealer, File: file, Logger: logger,
		Apply: func(b *config.Built) {
			breakers.Configure(context.WithoutCancel(t.Context()), b.Breakers)
			if router == nil {
				router = combo.NewRouter(b.Routing, breakers, combo.Options{})
				return
			}
			router.Swap(b.Routing)
		},
	})
	must(t, err)
	breakers.Start()
	tracer, err := tracing.New(t.Context(), w.traces, "test")
	must(t, err)
	srv, err := server.New(server.Options{
		Router: router, Breakers: breakers, Config: live, AdminToken: adminToken, Version: "test", Logger: logger,
		Settings: file.Server, Requests: store.requests, Traces: tracer,
	})
	must(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	transport := &http.Transport{DisableCompression: true, DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) { return w.connect() }}
	w.client = &http.Client{Transport: transport}
	w.url = "http://localhost:4700"
	go func() { done <- srv.Run(ctx, server.Listeners{Client: l}) }()
	w.shut = sync.OnceFunc(func() {
		stop()
		transport.CloseIdleConnections()
		for _, err := range []error{<-done, breakers.Close(context.WithoutCancel(t.Context()))} {
			if err != nil {
				t.Error(err)
			}
		}
		live.Close()
		if err := store.close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(w.shut)
	return w
}

// inMemory keeps nothing.
func inMemory(*world, *slog.Logger) storage {
	return storage{documents: &configtest.Documents{}, close: func() error { return nil }}
}

// onDisk keeps all in a database.
func onDisk(w *world, logger *slog.Logger) storage {
	w.database = filepath.Join(w.t.TempDir(), "ohmroute.db")
	store, err := db.Open(w.t.Context(), db.Options{Path: w.database, Logger: logger})
	must(w.t, err)
	return storage{store, store.Breakers(), store, store.Close}
}

// onNetwork starts a gateway on loopback.
func onNetwork(t *testing.T) *world {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	address := l.Addr().String()
	var calls atomic.Uint32
	return newWorld(t, l, func() (net.Conn, error) {
		n := calls.Add(1)
		from := net.IPv4(127, byte(n>>8)+1, byte(n), 1) // each from another network: wrong tokens are slowed by it
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}
		return d.DialContext(context.WithoutCancel(t.Context()), "tcp", address)
	}, onDisk)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// kinds are the hosts of a world, and what their base URL ends in.
var kinds = []string{"openai", "anthropic", "gemini", "azure"}

// providers makes a provider of each kind, named like it, with an upstream of its own and the model m.
func (w *world) providers() {
	w.t.Helper()
	for _, kind := range kinds {
		up := providertest.NewUpstream(w.t)
		w.upstreams[kind] = up
		w.admin(http.MethodPost, "/api/v1/providers", `{"id":"`+kind+`","kind":"`+kind+`","base_url":"`+strings.TrimSuffix(up.URL(), "/v1")+`","models":["m"],
			"keys":[{"name":"k","value":"`+providerKey+`"}],"headers":{"X-Fixed":"`+fixedHeader+`"}}`)
	}
}

// reply is an answer that was read as far as it came.
type reply struct {
	status int
	header http.Header
	body   string
	err    error
}

func (w *world) call(method, path, body string, headers ...string) reply {
	w.t.Helper()
	ctx, stop := context.WithTimeout(w.t.Context(), time.Minute)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, method, w.url+path, strings.NewReader(body))
	must(w.t, err)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := w.client.Do(r)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	for name, values := range resp.Trailer {
		resp.Header["Trailer-"+name] = values
	}
	return reply{resp.StatusCode, resp.Header, string(text), err}
}

// admin calls the admin side for what has to work.
func (w *world) admin(method, path, body string) reply {
	w.t.Helper()
	r := w.call(method, path, body, "Authorization", "Bearer "+adminToken)
	if r.status >= 300 || r.err != nil {
		w.t.Fatalf("%s %s: %d %s %v", method, path, r.status, r.body, r.err)
	}
	return r
}

// endpoint is what a client asks, in one dialect.
type endpoint struct {
	path, head string // head is the request without its model and stream
}

var endpoints = []endpoint{
	{"/v1/chat/completions", `"messages":[{"role":"user","content":"hi"}]`},
	{"/v1/responses", `"input":"hi"`},
	{"/v1/messages", `"max_tokens":9,"messages":[{"role":"user","content":"hi"}]`},
}

func (e endpoint) body(model string, streamed bool) string {
	body := `{"model":"` + model + `",` + e.head
	if streamed {
		body += `,"stream":true`
	}
	return body + "}"
}

// ask asks a provider's model with the client's key.
func (w *world) ask(e endpoint, kind string, streamed bool) reply {
	w.t.Helper()
	return w.call(http.MethodPost, e.path, e.body(kind+"/m", streamed), "Authorization", "Bearer "+w.clientKey)
}
