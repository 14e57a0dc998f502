package circuitbreaker

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

var (
	ErrUnknown     = errors.New("circuitbreaker: unknown breaker")
	ErrNotIsolated = errors.New("circuitbreaker: not isolated")
)

type Options struct {
	Store                                   Store
	Now                                     func() time.Time
	Rand                                    func() float64
	Logger                                  *slog.Logger
	FlushInterval, SweepInterval, IdleAfter time.Duration
	MaxBreakers                             int
	Default                                 Settings
	TrackPermits                            bool
}

type Registry struct{}

func NewRegistry(o Options) *Registry                 { return &Registry{} }
func (r *Registry) Restore(ctx context.Context) error { return nil }
func (r *Registry) Start()                            {}
func (r *Registry) Flush(ctx context.Context) error   { return nil }
func (r *Registry) Close(ctx context.Context) error   { return nil }

type Configured struct {
	Settings    Settings
	Fingerprint string
}

func (r *Registry) Configure(ctx context.Context, names map[string]Configured) {}
func (r *Registry) Get(name string) *Breaker                                   { return &Breaker{} }

type Path struct{}

func (r *Registry) Path(provider, key, target string) *Path { return &Path{} }

type Ask struct {
	Now         time.Time
	Lease       time.Duration
	IgnoreParks []uint64
}
type Permits struct{ _ noCopy }

func (p *Path) Acquire(ps *Permits, a Ask) *OpenError                      { return nil }
func (p *Path) AcquireForced(ps *Permits, a Ask, reason string) *OpenError { return nil }
func (p *Path) Peek(a Ask) *OpenError                                      { return nil }
func (p *Path) State(now time.Time) State                                  { return Closed }
func (ps *Permits) Success(now time.Time)                                  {}
func (ps *Permits) Fail(now time.Time, charged Scope, kind Kind, hint time.Duration) (park uint64) {
	return 0
}
func (ps *Permits) NoVerdict(now time.Time) {}
func (ps *Permits) Progress(now time.Time)  {}
func (ps *Permits) Probe() bool             { return false }
func (ps *Permits) Forced() bool            { return false }

type Breaker struct{}

func New(name string, s Settings, o Options) *Breaker                          { return &Breaker{} }
func (b *Breaker) Name() string                                                { return "" }
func (b *Breaker) Acquire(p *Permit, a Ask) *OpenError                         { return nil }
func (b *Breaker) AcquireForced(p *Permit, a Ask, reason string) *OpenError    { return nil }
func (b *Breaker) Peek(a Ask) *OpenError                                       { return nil }
func (b *Breaker) Do(ctx context.Context, f func(context.Context) error) error { return nil }
func (b *Breaker) Status(now time.Time) Status                                 { return Status{} }
func (b *Breaker) Late() uint64                                                { return 0 }

type Permit struct{ _ noCopy }

func (p *Permit) Success(now time.Time)                                              {}
func (p *Permit) Failure(now time.Time, kind Kind, hint time.Duration) (park uint64) { return 0 }
func (p *Permit) NoVerdict(now time.Time)                                            {}
func (p *Permit) Progress(now time.Time)                                             {}
func (p *Permit) Probe() bool                                                        { return false }
func (p *Permit) Forced() bool                                                       { return false }

func (r *Registry) List(now time.Time) []Status                              { return nil }
func (r *Registry) Status(name string, now time.Time) (Status, bool)         { return Status{}, false }
func (r *Registry) Transitions(name string) []Transition                     { return nil }
func (r *Registry) Reset(name string) (Status, error)                        { return Status{}, nil }
func (r *Registry) ResetAll(includeIsolated bool) (reset, isolated []string) { return nil, nil }
func (r *Registry) Isolate(name, by, reason string) (Status, error)          { return Status{}, nil }
func (r *Registry) Release(name string) (Status, error)                      { return Status{}, nil }
func (r *Registry) Sweep(now time.Time) int                                  { return 0 }
func (r *Registry) Unsettled() map[string]int                                { return nil }

type Persistence struct {
	Degraded      bool
	OldestUnsaved time.Duration
}

func (r *Registry) Durable(ctx context.Context) Persistence { return Persistence{} }
func (r *Registry) Persistence() Persistence                { return Persistence{} }
