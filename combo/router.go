package combo

import (
	"context"
	"log/slog"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// Options of a Router; the zero value is usable.
type Options struct {
	Now    func() time.Time // nil: time.Now
	Rand   func() float64   // in [0, 1), safe for concurrent use; nil: math/rand/v2
	Logger *slog.Logger     // nil: slog.Default
}

// Router walks requests over the targets of a configuration. It is safe for concurrent use.
type Router struct{}

// NewRouter serves cfg. The breakers must be configured with the same targets by whoever builds cfg.
func NewRouter(cfg *Config, breakers *circuitbreaker.Registry, o Options) *Router { return &Router{} }

// Swap puts a new configuration in place: it acts on the next request, one under way keeps what it began with.
// What was learned of a target stays with its name.
func (r *Router) Swap(cfg *Config) {}

// Resolved is what a request's model stands for.
type Resolved struct {
	Combo     string // the combo's name, or "provider/model" of a direct route
	Direct    bool
	Keepalive time.Duration // 0: none
}

// Resolve finds what a model's name stands for: combo, alias, "provider/model", in this order; the empty name
// is the configured default. The error is always an *Error, 404 or 400.
func (r *Router) Resolve(model string) (Resolved, error) {
	return Resolved{}, &Error{Status: 404, Code: "model_not_found"}
}

// Route walks the targets of what req.Model names until one answers. It blocks until the answer's first
// meaningful event or the final failure; the error is always an *Error. ctx ends with the client.
func (r *Router) Route(ctx context.Context, req *providers.Request) (*Answer, error) {
	return nil, &Error{Status: 404, Code: "model_not_found"}
}

// ModelEntry is one name that a client may use as model.
type ModelEntry struct {
	ID, OwnedBy string
	Created     time.Time
}

// Models lists every combo and every "provider/model" that the configuration names, sorted by ID.
func (r *Router) Models() []ModelEntry { return nil }
