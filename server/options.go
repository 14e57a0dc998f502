package server

import (
	"errors"
	"log/slog"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/server/tracing"
)

// Options are what a Server is made of. Router, Breakers, Config and AdminToken are required.
type Options struct {
	Router     *combo.Router
	Breakers   *circuitbreaker.Registry // restored and started by its owner, who also closes it, after Run
	Config     *config.Live
	AdminToken string // at least 16 characters
	Version    string
	Instance   string          // this process in the fleet's picture (spec: api.md, breaker-state); empty: "local"
	Settings   config.Server   // zero members take the defaults
	Requests   RequestStore    // keeps the log of finished requests; open until the server is closed; nil: memory alone does
	Traces     *tracing.Tracer // takes finished requests to a collector; the server closes it; nil: no traces
	Degraded   []string        // parts that work only in part for the life of the process, as /readyz names them
	Logger     *slog.Logger    // nil: slog.Default
}

// The defaults of the settings (spec: api.md).
const (
	defaultDrainTimeout = 30 * time.Second
	defaultMaxBody      = 32 << 20
	minAdminToken       = 16
)

func (o Options) withDefaults() Options {
	if o.Instance == "" {
		o.Instance = "local"
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Settings.DrainTimeout == 0 {
		o.Settings.DrainTimeout = defaultDrainTimeout
	}
	if o.Settings.MaxBody == 0 {
		o.Settings.MaxBody = defaultMaxBody
	}
	o.Settings.RequestLog = withLogDefaults(o.Settings.RequestLog)
	return o
}

func (o Options) validate() error {
	var errs []error
	if o.Router == nil || o.Breakers == nil || o.Config == nil {
		errs = append(errs, errors.New("server: Router, Breakers and Config are required"))
	}
	if len(o.AdminToken) < minAdminToken {
		errs = append(errs, errors.New("server: the admin token has less than 16 characters"))
	}
	l := o.Settings.RequestLog
	if o.Settings.MaxBody < 0 || l.MaxRows < 0 || l.MaxAge < 0 || l.MaxSize < 0 || o.Settings.DrainTimeout < 0 {
		errs = append(errs, errors.New("server: max_body, request_log and drain_timeout must not be negative"))
	}
	return errors.Join(errs...)
}
