package server

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/config/configtest"
)

const testAdminToken = "admin-token-of-the-tests"

// gateway is a whole gateway for one test: every part is real, but for the disk.
type gateway struct {
	t        testing.TB
	server   *Server
	handler  http.Handler
	breakers *circuitbreaker.Registry
	router   *combo.Router
	logs     *logBuffer
}

// newGateway starts a gateway without any configuration, or with the demo's.
func newGateway(tb testing.TB, demo bool, change ...func(*Options)) *gateway {
	tb.Helper()
	return newStoredGateway(tb, demo, nil, change...)
}

// newStoredGateway keeps the breakers in a store; nil keeps them in memory only.
func newStoredGateway(tb testing.TB, demo bool, store circuitbreaker.Store, change ...func(*Options)) *gateway {
	tb.Helper()
	g := &gateway{t: tb, logs: &logBuffer{}}
	log := slog.New(slog.NewJSONHandler(g.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	g.breakers = circuitbreaker.NewRegistry(circuitbreaker.Options{Store: store, Logger: log, TrackPermits: true})
	if err := g.breakers.Restore(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	g.breakers.Start()
	g.router = combo.NewRouter(&combo.Config{}, g.breakers, combo.Options{})
	sealer, err := config.NewSealer(make([]byte, 32))
	if err != nil {
		tb.Fatal(err)
	}
	live, err := config.OpenLive(tb.Context(), config.LiveOptions{
		Store: &configtest.Documents{}, Sealer: sealer, Demo: demo, Logger: log,
		Apply: func(b *config.Built) {
			g.breakers.Configure(context.Background(), b.Breakers)
			g.router.Swap(b.Routing)
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	o := Options{
		Router: g.router, Breakers: g.breakers, Config: live, AdminToken: testAdminToken, Version: "test", Logger: log,
	}
	for _, f := range change {
		f(&o)
	}
	g.server, err = New(o)
	if err != nil {
		tb.Fatal(err)
	}
	g.handler = g.server.Handler()
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := g.server.Close(ctx); err != nil {
			tb.Errorf("server: %v", err)
		}
		if open := g.breakers.Unsettled(); len(open) > 0 {
			tb.Errorf("permits were left unsettled: %v", open)
		}
		live.Close()
		if err := g.breakers.Close(ctx); err != nil {
			tb.Errorf("breakers: %v", err)
		}
	})
	return g
}

// listen serves the gateway over TCP and returns its URL.
func (g *gateway) listen() string {
	g.t.Helper()
	s := httptest.NewServer(g.handler)
	g.t.Cleanup(s.Close)
	return s.URL
}

// reply is a recorded answer.
type reply struct {
	*httptest.ResponseRecorder
	t testing.TB
}

// ask sends one request past the network. headers are names and values by turns.
func (g *gateway) ask(method, path, body string, headers ...string) reply {
	g.t.Helper()
	r := httptest.NewRequestWithContext(g.t.Context(), method, path, strings.NewReader(body))
	r.Host = "localhost:4700"
	r.RemoteAddr = "127.0.0.1:40000"
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return g.serve(r)
}

func (g *gateway) serve(r *http.Request) reply {
	w := httptest.NewRecorder()
	g.handler.ServeHTTP(w, r)
	return reply{w, g.t}
}

// admin calls the admin side.
func (g *gateway) admin(method, path, body string, headers ...string) reply {
	g.t.Helper()
	return g.ask(method, path, body, append(headers, "Authorization", "Bearer "+testAdminToken)...)
}

// must is admin for a call that has to work.
func (g *gateway) must(method, path, body string) reply {
	g.t.Helper()
	re := g.admin(method, path, body)
	if re.Code >= 300 {
		g.t.Fatalf("%s %s answered %d: %s", method, path, re.Code, re.Body)
	}
	return re
}

// json reads the body as an object.
func (re reply) json() map[string]any {
	re.t.Helper()
	var v map[string]any
	if err := json.Unmarshal(re.Body.Bytes(), &v); err != nil {
		re.t.Fatalf("no JSON object: %v in %q", err, re.Body)
	}
	return v
}

// wantError checks status, code and the envelope: JSON with all four members.
func (re reply) wantError(status int, code string) map[string]any {
	re.t.Helper()
	if re.Code != status {
		re.t.Fatalf("status %d, want %d: %s", re.Code, status, re.Body)
	}
	e := re.envelope()
	if got, _ := e["code"].(string); got != code {
		re.t.Errorf("code %q, want %q: %s", got, code, re.Body)
	}
	return e
}

// envelope checks the form that every error of ours has and returns its error object.
func (re reply) envelope() map[string]any {
	re.t.Helper()
	if ct := re.Header().Get("Content-Type"); ct != "application/json" {
		re.t.Errorf("content-type %q", ct)
	}
	if re.Header().Get("X-Request-Id") == "" {
		re.t.Error("no x-request-id")
	}
	e, ok := re.json()["error"].(map[string]any)
	if !ok {
		re.t.Fatalf("no error object in %s", re.Body)
	}
	for _, member := range []string{"message", "type", "param", "code"} {
		if _, ok := e[member]; !ok {
			re.t.Errorf("the error has no member %q: %v", member, maps.Collect(maps.All(e)))
		}
	}
	if e["message"] == "" || e["type"] == "" {
		re.t.Errorf("the error has no message or type: %v", e)
	}
	return e
}

// logBuffer collects what is logged.
type logBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var _ io.Writer = (*logBuffer)(nil)
