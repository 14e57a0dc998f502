package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ohmroute/ohmroute/config"
)

// settings are what `serve` was told by flags and the environment.
type settings struct {
	config, listen, dataDir, database string
	noDemo, allowAnonymous            bool
	logLevel, logFormat               word

	given func(flag string) bool // by a flag or in the environment: it beats the file
}

const (
	defaultListen  = "127.0.0.1:4700"
	defaultDataDir = "./ohmroute-data"
)

func serveCommand(w world) *cobra.Command {
	o := settings{
		logLevel:  word{"info", []string{"debug", "info", "warn", "error"}},
		logFormat: word{"text", []string{"text", "json"}},
	}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the gateway",
		Long: `serve runs the gateway. An empty data directory starts with the provider demo and the combo demo, so
that the first request works without any key.

SIGTERM and SIGINT drain: breaker state goes to disk at once, requests under way get drain_timeout; a second
signal ends at once. SIGHUP reads the configuration file again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.given = cmd.Flags().Changed
			return serve(cmd.Context(), o, w)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.config, "config", "", "configuration `file` (YAML)")
	f.StringVar(&o.listen, "listen", defaultListen, "`address` to listen on")
	f.StringVar(&o.dataDir, "data-dir", defaultDataDir, "`directory` of the database and the secrets")
	f.StringVar(&o.database, "database", "", "database, as in sqlite:`PATH` (default ohmroute.db in the data directory)")
	f.BoolVar(&o.noDemo, "no-demo", false, "don't begin a new installation with the demo provider and combo")
	f.BoolVar(&o.allowAnonymous, "allow-anonymous", false, "serve without client keys on a listener that is not loopback")
	f.Var(&o.logLevel, "log-level", "least `level` of what is logged: debug, info, warn or error")
	f.Var(&o.logFormat, "log-format", "`format` of the log: text or json")
	return cmd
}

func serve(ctx context.Context, o settings, w world) error {
	logger := o.logger(w)
	file, err := o.readFile(w, logger)
	if err != nil {
		return err
	}
	if file == nil {
		file = &config.File{}
	}
	g, err := open(ctx, o, file, w, logger)
	if err != nil {
		return err
	}
	ctx, stop := g.untilSignal(ctx, o, w)
	defer stop()
	return g.run(ctx)
}

// address is where to listen, given what the file says.
func (o *settings) address(file string) string {
	if file == "" || o.given("listen") {
		return o.listen
	}
	return file
}

func (o *settings) logger(w world) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.logLevel.value)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if o.logFormat.value == "json" {
		return slog.New(slog.NewJSONHandler(w.err, options))
	}
	return slog.New(slog.NewTextHandler(w.err, options))
}

// readFile reads the configuration file, nil if there is none. Its problems are printed, all of them.
func (o *settings) readFile(w world, logger *slog.Logger) (*config.File, error) {
	if o.config == "" {
		return nil, nil
	}
	text, err := os.ReadFile(o.config)
	if err != nil {
		return nil, fmt.Errorf("the configuration file can't be read: %w", err)
	}
	file, problems := config.ParseFile(text, w.env)
	if file == nil {
		return nil, report(w.err, o.config, problems, false)
	}
	for _, p := range problems {
		logger.Warn("configuration file", "path", p.Path, "problem", p.Message)
	}
	return file, nil
}

// untilSignal ends the context at the first signal to end, and the process at the second. Meanwhile SIGHUP reads the
// file again.
func (g *gateway) untilSignal(ctx context.Context, o settings, w world) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	var listening sync.WaitGroup
	listening.Go(func() {
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				switch {
				case s == syscall.SIGHUP:
					g.reload(ctx, o, w)
				case ctx.Err() != nil:
					fmt.Fprintln(w.err, "ohmroute: second signal: ending at once")
					os.Exit(1)
				default:
					cancel()
				}
			}
		}
	})
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
		listening.Wait()
	}
}

// reload reads the configuration file again and puts it into force, all or nothing.
func (g *gateway) reload(ctx context.Context, o settings, w world) {
	if o.config == "" {
		g.logger.Info("there is no configuration file to read again")
		return
	}
	file, err := o.readFile(w, g.logger)
	if err == nil {
		err = g.live.Reload(ctx, file)
	}
	if err != nil {
		g.logger.Error("the configuration file was not put into force; nothing changed", "file", o.config, "error", err)
		return
	}
	g.logger.Info("the configuration file is in force", "file", o.config)
	if !file.SameProcess(g.file) {
		g.logger.Warn("settings of server, database or defaults.registry changed; they take effect at the next start")
	}
}
