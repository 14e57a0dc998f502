package combo

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// Options of a Router; the zero value is usable.
type Options struct {
	Now  func() time.Time // nil: time.Now
	Rand func() float64   // in [0, 1), safe for concurrent use; nil: math/rand/v2
}

// Router walks requests over the targets of a configuration. It is safe for concurrent use.
type Router struct {
	breakers *circuitbreaker.Registry
	now      func() time.Time
	rand     func() float64

	swapping sync.Mutex
	table    atomic.Pointer[table]
}

// NewRouter serves cfg. The breakers must be configured with the same targets by whoever builds cfg.
func NewRouter(cfg *Config, breakers *circuitbreaker.Registry, o Options) *Router {
	r := &Router{breakers: breakers, now: o.Now, rand: o.Rand}
	if r.now == nil {
		r.now = time.Now
	}
	if r.rand == nil {
		r.rand = rand.Float64
	}
	r.Swap(cfg)
	return r
}

// Swap puts a new configuration in place: it acts on the next request, one under way keeps what it began with.
// What was learned of a target stays with its name.
func (r *Router) Swap(cfg *Config) {
	r.swapping.Lock()
	defer r.swapping.Unlock()
	r.table.Store(newTable(cfg, r.table.Load(), r.breakers))
}

// Resolved is what a request's model stands for.
type Resolved struct {
	Combo     string // the combo's name, or "provider/model" of a direct route
	Direct    bool
	Keepalive time.Duration // 0: none
}

// Resolve finds what a model's name stands for: combo, alias, "provider/model", in this order; the empty name
// is the configured default. The error is always an *Error, 404 or 400.
func (r *Router) Resolve(model string) (Resolved, error) {
	n, err := r.resolve(model)
	if err != nil {
		return Resolved{}, err
	}
	return Resolved{Combo: n.Name, Direct: n.direct, Keepalive: n.Keepalive}, nil
}

func (r *Router) resolve(model string) (*node, *Error) {
	t := r.table.Load()
	if model == "" {
		model = t.config.DefaultModel
	}
	if model == "" {
		return nil, refuse(statusBadRequest, "missing_required_parameter", "the request names no model, and there is no default")
	}
	if n := t.find(model, r.breakers); n != nil {
		return n, nil
	}
	return nil, refuse(statusNotFound, "model_not_found", "there is no combo and no model of that name")
}

// refuse is the answer to a request that no walk was begun for.
func refuse(status int, code, message string) *Error {
	return &Error{
		Status: status, AnthropicStatus: status, Type: providers.ErrorType(status), Code: code, Message: message, Param: "model",
	}
}

// Route walks the targets of what req.Model names until one answers. It blocks until the answer's first
// meaningful event or the final failure; the error is always an *Error. ctx ends with the client and must outlive
// the Answer, which has to be closed.
func (r *Router) Route(ctx context.Context, req *providers.Request) (*Answer, error) {
	n, refusal := r.resolve(req.Model)
	if refusal != nil {
		refusal.report = Report{
			RequestID: req.RequestID, Endpoint: string(req.Endpoint), Model: req.Model, Outcome: OutcomeRejected,
			Code: refusal.Code, Status: refusal.Status, Stream: req.Stream, Start: req.Start,
		}
		return nil, refusal
	}
	a := &Answer{}
	w := &a.walk
	w.begin(r, n, req)
	w.gone = ctx.Done()
	if !w.until.IsZero() {
		limit := &providers.LimitError{Limit: "total", After: n.Total}
		ctx, w.cancel = context.WithTimeoutCause(ctx, w.until.Sub(r.now()), limit)
	}
	over := false
	defer func() {
		if !over { // a panic on its way up: nothing may stay taken
			w.abandon()
		}
	}()
	s := w.run(ctx)
	w.disclaim()
	over = true
	if s == answered || w.passOn() {
		a.dress()
		return a, nil
	}
	w.abandon()
	return nil, w.fail()
}

// ModelEntry is one name that a client may use as model.
type ModelEntry struct {
	ID, OwnedBy string
	Created     time.Time
}

// Models lists every combo and every "provider/model" that the configuration names, sorted by ID. The list is shared:
// it must not be changed.
func (r *Router) Models() []ModelEntry { return r.table.Load().models }
