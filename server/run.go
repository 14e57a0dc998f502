package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// Listeners are where a server listens. Run closes them.
type Listeners struct {
	Client net.Listener // serves everything if there is no Admin
	Admin  net.Listener // nil: none of its own
}

const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 128 << 10
	flushPatience     = 5 * time.Second // for the breakers' state when draining begins
	closePatience     = 5 * time.Second // for connections once nothing is under way any more
)

// ErrAnonymous refuses to start: strangers could reach /v1 and nothing would ask them for a key.
var ErrAnonymous = errors.New("server: a listener that is not loopback needs client keys, or allow_anonymous")

// Run serves until ctx ends, then drains: /readyz turns to 503, the breakers' state goes to disk, requests under
// way get drain_timeout before they are cancelled. It returns when every goroutine of the server is done; the error
// is nil after an orderly end.
func (s *Server) Run(ctx context.Context, l Listeners) error {
	defer s.closeQuietly(context.WithoutCancel(ctx))
	if err := s.checkExposure(l); err != nil {
		return errors.Join(err, l.close())
	}
	base, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(providers.ErrShutdown)
	servers := map[*http.Server]net.Listener{}
	if l.Admin == nil {
		servers[s.httpServer(base, bothSides)] = l.Client
	} else {
		servers[s.httpServer(base, clientSide)] = l.Client
		servers[s.httpServer(base, adminSide)] = l.Admin
	}
	failed := make(chan error, len(servers))
	var serving sync.WaitGroup
	for srv, listener := range servers {
		serving.Go(func() { failed <- srv.Serve(listener) })
	}
	s.traffic.ready()
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	s.drain(context.WithoutCancel(ctx), cut)
	for srv := range servers {
		shut(context.WithoutCancel(ctx), srv)
	}
	serving.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

func (l Listeners) close() error {
	err := l.Client.Close()
	if l.Admin != nil {
		err = errors.Join(err, l.Admin.Close())
	}
	return err
}

func (s *Server) closeQuietly(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, closePatience)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		s.log.Warn("not everything ended in order", "error", err)
	}
}

// checkExposure holds the rule for listeners that others can reach (spec: api.md, auth).
func (s *Server) checkExposure(l Listeners) error {
	if s.opts.Settings.AllowAnonymous || s.opts.Config.KeysEverExisted() {
		return nil
	}
	ap, err := netip.ParseAddrPort(l.Client.Addr().String())
	if err == nil && !ap.Addr().Unmap().IsLoopback() {
		return fmt.Errorf("%w (listening on %s)", ErrAnonymous, ap)
	}
	return nil
}

// httpServer has no WriteTimeout and no ReadTimeout: both would end healthy streams. The exchange sets deadlines
// that roll on instead.
func (s *Server) httpServer(base context.Context, serves side) *http.Server {
	return &http.Server{
		Handler:           s.handler(serves),
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
}

// drain lets no new client request in, waits for those under way, and cancels what is left after drain_timeout.
// The listeners stay open meanwhile, so that /readyz goes on answering.
func (s *Server) drain(ctx context.Context, cut context.CancelCauseFunc) {
	idle := s.traffic.drain()
	s.log.Info("draining", "drain_timeout", s.opts.Settings.DrainTimeout)
	ctx, cancel := context.WithTimeout(ctx, flushPatience)
	defer cancel()
	if err := s.opts.Breakers.Flush(ctx); err != nil {
		s.log.Warn("breaker state is not on disk yet", "error", err)
	}
	patience := time.NewTimer(s.opts.Settings.DrainTimeout)
	defer patience.Stop()
	select {
	case <-idle:
	case <-patience.C:
		s.log.Warn("requests were still under way after drain_timeout and are cancelled")
	}
	cut(providers.ErrShutdown)
	select {
	case <-idle:
	case <-time.After(closePatience):
		s.log.Error("requests did not end when they were cancelled")
	}
}

// shut ends a server whose requests are done: first the idle connections, then whatever is left.
func shut(ctx context.Context, srv *http.Server) {
	ctx, cancel := context.WithTimeout(ctx, closePatience)
	defer cancel()
	if srv.Shutdown(ctx) != nil {
		_ = srv.Close() // only the listener's error, and that is closed already
	}
}
