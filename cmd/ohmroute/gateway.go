package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/db"
	"github.com/ohmroute/ohmroute/server"
	"github.com/ohmroute/ohmroute/server/tracing"
)

// closeTimeout bounds how long the end waits for the disk.
const closeTimeout = 10 * time.Second

// gateway is everything that runs.
type gateway struct {
	world     world
	logger    *slog.Logger
	file      *config.File
	settings  config.Server // the file's, with the flags laid over them
	listeners server.Listeners
	secrets   config.Secrets
	store     *db.DB
	installed bool // there was a database before
	breakers  *circuitbreaker.Registry
	restoring sync.WaitGroup // of the breakers, from the store
	live      *config.Live
	router    *combo.Router
	server    *server.Server
}

// open makes everything in the order in which it depends on each other; the breakers are restored before anything
// can be asked. An error leaves nothing open.
func open(ctx context.Context, o settings, file *config.File, w world, logger *slog.Logger) (*gateway, error) {
	g := &gateway{world: w, logger: logger, file: file, settings: file.Server}
	for _, step := range []func(context.Context, settings) error{
		g.listen, g.openStore, g.openSecrets, g.openBreakers, g.openConfiguration, g.refuseStrangers, g.openServer,
	} {
		if err := step(ctx, o); err != nil {
			return nil, errors.Join(err, g.close(ctx))
		}
	}
	return g, nil
}

// listen comes first: a port that is taken is found before anything is touched.
func (g *gateway) listen(ctx context.Context, o settings) error {
	s := &g.settings
	s.Listen = o.address(s.Listen)
	s.AllowAnonymous = s.AllowAnonymous || o.allowAnonymous
	var err error
	if g.listeners.Client, err = listenOn(ctx, &s.Listen); err != nil || s.AdminListen == "" {
		return err
	}
	g.listeners.Admin, err = listenOn(ctx, &s.AdminListen)
	return err
}

// listenOn replaces port 0 in the address by the one that was found.
func listenOn(ctx context.Context, address *string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", *address)
	if err != nil {
		return nil, fmt.Errorf("can't listen on %s: %w", *address, err)
	}
	if host, port, err := net.SplitHostPort(*address); err == nil && port == "0" {
		_, port, _ = net.SplitHostPort(l.Addr().String())
		*address = net.JoinHostPort(host, port)
	}
	return l, nil
}

func (g *gateway) openStore(ctx context.Context, o settings) error {
	dsn := g.file.Database
	if o.given("database") {
		dsn = o.database
	}
	path, err := config.DatabasePath(dsn, o.dataDir)
	if err != nil {
		return err
	}
	_ = os.MkdirAll(o.dataDir, 0o700) // if that fails, so does what wants to write there, and says so
	before, err := os.Stat(path)
	g.installed = err == nil && before.Size() > 0
	options := db.Options{Path: path, Logger: g.logger}
	g.store, err = db.Open(ctx, options)
	if unwritable, ok := errors.AsType[*db.UnwritableError](err); ok {
		g.logger.Error("the database can't be written: serving from memory, and changes of the configuration are refused",
			"error", unwritable)
		g.store, err = db.OpenLater(options), nil
	}
	return err
}

func (g *gateway) openSecrets(_ context.Context, o settings) error {
	var err error
	g.secrets, err = config.LoadSecrets(o.dataDir, g.world.env)
	return err
}

func (g *gateway) openBreakers(ctx context.Context, _ settings) error {
	r := g.file.Defaults.Registry
	g.breakers = circuitbreaker.NewRegistry(circuitbreaker.Options{
		Store: g.store.Breakers(), Logger: g.logger, FlushInterval: r.FlushInterval, SweepInterval: r.SweepInterval,
		IdleAfter: r.IdleAfter, MaxBreakers: r.MaxBreakers,
	})
	// Beside the reading of the configuration, which is applied to what was restored.
	g.restoring.Go(func() { _ = g.breakers.Restore(ctx) }) // logged by the registry, which serves from memory then
	return nil
}

func (g *gateway) openConfiguration(ctx context.Context, o settings) error {
	var err error
	g.live, err = config.OpenLive(ctx, config.LiveOptions{
		Store: g.store, Sealer: g.secrets.Sealer, File: g.file, Demo: !o.noDemo, Env: g.world.env, Logger: g.logger,
		Installed: g.installed, StoreBroken: func() bool { return g.breakers.Persistence().Degraded },
		Apply: func(b *config.Built) {
			g.restoring.Wait()
			g.breakers.Configure(ctx, b.Breakers)
			if g.router == nil {
				g.router = combo.NewRouter(b.Routing, g.breakers, combo.Options{})
				return
			}
			g.router.Swap(b.Routing)
		},
	})
	if err != nil {
		return err
	}
	g.breakers.Start()
	return nil
}

// refuseStrangers is the server's rule too; here it comes before anything is said to listen.
func (g *gateway) refuseStrangers(context.Context, settings) error {
	address := g.listeners.Client.Addr().String()
	if g.settings.AllowAnonymous || g.live.KeysEverExisted() || config.IsLoopback(address) {
		return nil
	}
	return fmt.Errorf("%w (listening on %s): make a client key while listening on loopback, put keys into the "+
		"configuration file, or pass --allow-anonymous", server.ErrAnonymous, address)
}

func (g *gateway) openServer(ctx context.Context, _ settings) error {
	var degraded []string
	if g.secrets.InMemory {
		degraded = append(degraded, "secrets")
	}
	traces, err := tracing.FromEnvironment(ctx, g.world.env, versionName())
	if err != nil {
		g.logger.Warn("there will be no traces", "error", err)
	}
	g.server, err = server.New(server.Options{
		Router: g.router, Breakers: g.breakers, Config: g.live, AdminToken: g.secrets.AdminToken, Version: versionName(),
		Settings: g.settings, Degraded: degraded, Requests: g.store, Traces: traces, Logger: g.logger,
	})
	return err
}

// heapFloor is what the garbage collector counts as live beside what is, in bytes. Nobody touches it, so it takes no
// memory. What lives here is a few MiB, while a busy gateway makes a hundred MiB of garbage a second: without a floor
// the collector would run thirty times a second, for a tenth of all CPU (docs/adr/0010).
const heapFloor = 16 << 20

// run serves until ctx ends and then puts everything in order. That what the breakers learned is lost
// is an error.
func (g *gateway) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	floor := make([]byte, heapFloor)
	defer runtime.KeepAlive(floor)
	var loading sync.WaitGroup
	loading.Go(func() { g.live.KeepLoading(ctx) })
	g.welcome()
	err := g.server.Run(ctx, g.listeners)
	cancel()
	loading.Wait()
	switch failed := g.close(ctx); {
	case failed == nil:
	case g.losesState():
		err = errors.Join(err, fmt.Errorf("not everything is on disk: %w", failed))
	default:
		g.logger.Warn("not everything ended in order", "error", failed)
	}
	return err
}

// losesState tells whether what a breaker learned is in memory alone. A store that never was there owes nothing while
// nothing has happened.
func (g *gateway) losesState() bool {
	learned := func(b circuitbreaker.Status) bool { return b.Version > 0 }
	return g.breakers.Persistence().OldestUnsaved > 0 && slices.ContainsFunc(g.breakers.List(time.Now()), learned)
}

// close ends what was opened, the disk last.
func (g *gateway) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	var errs []error
	for _, l := range []net.Listener{g.listeners.Client, g.listeners.Admin} {
		if l != nil && g.server == nil { // else its server's to close
			errs = append(errs, l.Close())
		}
	}
	if g.live != nil {
		g.live.Close()
	}
	g.restoring.Wait()
	if g.breakers != nil {
		errs = append(errs, g.breakers.Close(ctx))
	}
	if g.store != nil {
		errs = append(errs, g.store.Close())
	}
	return errors.Join(errs...)
}
