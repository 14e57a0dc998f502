package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ohmroute/ohmroute/e2e/pipes"
)

func TestAnOwnListenerForTheAdminSide(t *testing.T) {
	g := newGateway(t, true)
	ask := func(h http.Handler, path string) int {
		r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		r.Host = "localhost"
		r.RemoteAddr = "127.0.0.1:1"
		r.Header.Set("Authorization", "Bearer "+testAdminToken)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	client, admin := g.server.handler(clientSide), g.server.handler(adminSide)
	tests := map[string]struct{ client, admin int }{
		"/v1/models":        {200, 404},
		"/models":           {200, 404},
		"/api/v1/providers": {404, 200},
		"/metrics":          {404, 200},
		"/healthz":          {200, 200},
	}
	for path, want := range tests {
		if got := ask(client, path); got != want.client {
			t.Errorf("%s on the client listener: %d, want %d", path, got, want.client)
		}
		if got := ask(admin, path); got != want.admin {
			t.Errorf("%s on the admin listener: %d, want %d", path, got, want.admin)
		}
	}
}

// exposed is a listener that others can reach.
type exposed struct{ net.Listener }

func (exposed) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4zero, Port: 4700} }

func TestAnExposedListenerNeedsKeys(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	t.Run("without any it refuses to start", func(t *testing.T) {
		g := newGateway(t, true)
		if err := g.server.Run(stopped, Listeners{Client: exposed{pipes.New()}}); !errors.Is(err, ErrAnonymous) {
			t.Errorf("Run: %v", err)
		}
	})
	t.Run("with one it starts", func(t *testing.T) {
		g := newGateway(t, true)
		g.must(http.MethodPost, "/api/v1/keys", `{"name":"k"}`)
		if err := g.server.Run(stopped, Listeners{Client: exposed{pipes.New()}}); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Run("or when the operator allows it", func(t *testing.T) {
		g := newGateway(t, true, func(o *Options) { o.Settings.AllowAnonymous = true })
		if err := g.server.Run(stopped, Listeners{Client: exposed{pipes.New()}}); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	if _, err := New(Options{AdminToken: "short"}); err == nil {
		t.Error("a server without parts was made")
	}
	g := newGateway(t, false)
	o := g.server.opts
	o.Settings.AllowedOrigins = []string{"not an origin"}
	if _, err := New(o); err == nil {
		t.Error("a bad origin was taken")
	}
}
