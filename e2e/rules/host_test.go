package rules

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/ohmroute/ohmroute/e2e/pipes"
	"github.com/ohmroute/ohmroute/providers"
	"github.com/ohmroute/ohmroute/providers/providertest"
)

// host is the upstream of one provider.
type host struct {
	*providertest.Upstream
	base string // what the provider's base_url is

	pipes   *pipes.Listener // nil: it listens on TCP
	server  *http.Server
	serving sync.WaitGroup
	taken   atomic.Int64  // bytes that the gateway has read from it
	gone    chan struct{} // closed at the end of the test

	mu    sync.Mutex
	fault dialing
}

// dialing is what becomes of a new connection. Connections that are there stay.
type dialing uint8

const (
	connects   dialing = iota
	refuses            // as a port that nobody listens on
	unresolved         // there is no such name
	silent             // nothing ever comes back
	faulty             // the gateway itself fails
)

// newHost starts an upstream over pipes, named after the provider's id.
func newHost(t *testing.T, id string) *host {
	t.Helper()
	h := &host{
		Upstream: providertest.NewHandler(t), base: "http://" + id + ".test/v1", pipes: pipes.New(), gone: make(chan struct{}),
	}
	h.serve()
	t.Cleanup(func() {
		close(h.gone)
		h.Close()
		_ = h.server.Close()
		h.serving.Wait()
	})
	return h
}

func (h *host) serve() {
	h.server = &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	server, listener := h.server, h.pipes
	h.serving.Go(func() { _ = server.Serve(listener) })
}

// shut closes all connections, and lets nobody connect.
func (h *host) shut() {
	h.connection(refuses)
	_ = h.server.Close()
}

// restart lets a host that was shut serve again.
func (h *host) restart() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fault, h.pipes = connects, pipes.New()
	h.serve()
}

// connection sets what becomes of new connections.
func (h *host) connection(d dialing) {
	h.mu.Lock()
	h.fault = d
	h.mu.Unlock()
}

func (h *host) dial(ctx context.Context, network, address string) (net.Conn, error) {
	h.mu.Lock()
	fault, listener := h.fault, h.pipes
	h.mu.Unlock()
	switch fault {
	case refuses:
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case unresolved:
		name, _, _ := strings.Cut(address, ":")
		return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}}
	case silent:
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-h.gone:
			return nil, net.ErrClosed
		}
	case faulty:
		return nil, &providers.LocalError{Doing: "dialing", Err: errors.New("out of file descriptors")}
	case connects:
	}
	conn, err := listener.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &counted{conn, &h.taken}, nil
}

// counted counts what is read of a connection.
type counted struct {
	net.Conn
	taken *atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.taken.Add(int64(n))
	return n, err
}
