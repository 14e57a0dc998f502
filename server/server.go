package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"github.com/ohmroute/ohmroute/sse"
)

// Server answers HTTP. Make one with New and end it with Run or Close. It is safe for concurrent use.
type Server struct {
	opts         Options
	log          *slog.Logger
	adminToken   token
	metricsToken token
	origins      *origins
	wrong        throttle
	sessions     sessions
	bodies       bodies
	adminBodies  bodies
	traffic      traffic
	quotas       quotas
	metrics      *metrics
	feed         *feed
	recorder     *recorder
	traces       *traces // nil: none

	watchers sync.WaitGroup // goroutines that Close ends with stop and waits for
	stop     context.CancelFunc
}

// New checks the options and starts what works beside the requests. The caller must Close or Run the server.
func New(o Options) (*Server, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	origins, err := newOrigins([]string{o.Settings.Listen, o.Settings.AdminListen}, o.Settings.AllowedHosts, o.Settings.AllowedOrigins)
	if err != nil {
		return nil, err
	}
	s := &Server{
		opts: o, log: o.Logger,
		adminToken: hashed(o.AdminToken), metricsToken: hashed(o.Settings.MetricsToken),
		origins: origins,
		bodies:  bodies{max: o.Settings.MaxBody}, adminBodies: bodies{max: maxAdminBody},
		feed: &feed{broker: sse.NewBroker(replayedEvents), log: o.Logger},
	}
	s.metrics = newMetrics(o.Breakers, o.Version)
	s.recorder = newRecorder(o.Requests, o.Settings.RequestLog, s.feed, s.metrics.unlogged, s.log)
	s.traces = newTraces(o, s.recorder.journal, s.metrics.untraced)
	s.watch()
	return s, nil
}

// watch starts the goroutines that turn what happens elsewhere into events and counts.
func (s *Server) watch() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	transitions := s.opts.Breakers.Subscribe(transitionBuffer)
	s.watchers.Go(func() { s.followBreakers(ctx, transitions) })
	s.watchers.Go(func() { s.followConfig(ctx) })
	s.watchers.Go(func() { s.recorder.run(ctx) })
	if s.recorder.writer != nil {
		s.watchers.Go(func() { s.recorder.writer.run(ctx) })
	}
	if s.traces != nil {
		s.watchers.Go(func() { s.traces.run(ctx) })
	}
}

// Handler serves both sides and what machines watch, as a single listener does.
func (s *Server) Handler() http.Handler { return s.handler(bothSides) }

// Close ends the event streams and the server's own goroutines and waits for them, stores what the request log owes, and
// delivers the traces that are left, until ctx ends.
func (s *Server) Close(ctx context.Context) error {
	s.stop()
	s.sessions.close()
	s.watchers.Wait()
	s.metrics.breakers.close()
	var storing sync.WaitGroup
	var lost error
	storing.Go(func() { lost = s.recorder.close(ctx) })
	if s.traces != nil {
		storing.Go(func() { s.traces.close(ctx) })
	}
	err := s.feed.broker.Close(ctx)
	storing.Wait()
	return errors.Join(err, lost)
}
