package circuitbreaker

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Options of a registry. The zero value is usable: nothing is stored.
type Options struct {
	// Store keeps state over restarts; nil keeps none.
	Store Store
	// Now is the clock; nil is time.Now. A clock without monotonic reading is
	// used as it is.
	Now func() time.Time
	// Rand draws from [0,1) for the jitter; nil is math/rand/v2.
	Rand func() float64
	// Logger gets transitions and trouble with the store; nil is slog.Default.
	Logger *slog.Logger
	// FlushInterval is the longest that counts which moved without a
	// transition stay unwritten: 1 s.
	FlushInterval time.Duration
	// SweepInterval is how often cold breakers are looked for: 30 min.
	SweepInterval time.Duration
	// IdleAfter is how long a breaker must not have been asked to be cold: 30 min.
	IdleAfter time.Duration
	// MaxBreakers bounds the breakers held, unless too many may not be evicted: 10,000.
	MaxBreakers int
	// Default are the settings of names that are not configured; with Measure
	// "" they are DefaultSettings.
	Default Settings
	// TrackPermits counts the permits that are not settled yet, for tests that
	// look for leaks with Unsettled. It turns the lock-free path off.
	TrackPermits bool
}

// Registry holds the breakers of a process by name. It is for any number of
// goroutines. Spec: breaker.md 6.
type Registry struct {
	clock    *clock
	rand     func() float64
	log      *slog.Logger
	options  Options
	fallback *rules
	tracking bool
	seq      sequence
	table    atomic.Pointer[table]
	outbox   outbox
	writer   writer
	subs     subscriptions

	// mu guards the making and the removal of breakers and tables. It is taken
	// before a breaker's mu, and never by a request whose breakers exist.
	mu         sync.Mutex
	live       int                 // breakers in the table
	unreadable map[string]struct{} // names whose stored row could not be read, and is in the store still
	configured bool                // Configure was called
	overfull   bool                // said that nothing could be evicted
}

// NewRegistry makes an empty registry. Call Configure and Restore, then Start,
// before the first request; Close it at the end. One that is not started
// writes and publishes when Flush is called.
func NewRegistry(o Options) *Registry {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	if o.Default.Measure == "" {
		o.Default = DefaultSettings()
	}
	o.Logger = cmp.Or(o.Logger, slog.Default())
	o.FlushInterval = cmp.Or(o.FlushInterval, time.Second)
	o.SweepInterval = cmp.Or(o.SweepInterval, 30*time.Minute)
	o.IdleAfter = cmp.Or(o.IdleAfter, 30*time.Minute)
	o.MaxBreakers = cmp.Or(o.MaxBreakers, 10_000)
	r := &Registry{
		clock: newClock(o.Now), rand: o.Rand, log: o.Logger, options: o,
		fallback: compile(o.Default), tracking: o.TrackPermits,
	}
	r.table.Store(&table{})
	r.outbox.init()
	r.writer.init()
	return r
}

// Errors of operator actions.
var (
	ErrUnknown     = errors.New("circuitbreaker: unknown breaker")
	ErrNotIsolated = errors.New("circuitbreaker: not isolated")
)

// Start begins writing, publishing and sweeping. Close ends it.
func (r *Registry) Start() { r.writer.start(r.write, r.sweepAll) }

// Close writes everything owed, ends what Start began, waits for it, and ends
// the subscriptions. It gives up when ctx ends.
func (r *Registry) Close(ctx context.Context) error {
	err := r.Flush(ctx)
	err = errors.Join(err, r.writer.close(ctx))
	r.subs.close()
	return err
}

// Get returns the breaker of a name, the same to everybody, and makes it at
// the first use. Of a known name it takes no lock. Names come from the
// configuration, never from a client.
func (r *Registry) Get(name string) *Breaker {
	if s := r.table.Load().slots[name]; s != nil {
		if b := s.breaker.Load(); b != nil {
			return b
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.obtain(name)
}

// obtain is Get with mu held.
func (r *Registry) obtain(name string) *Breaker {
	s := r.table.Load().slots[name]
	if s == nil {
		s = &slot{name: name, rules: r.fallback}
		r.table.Store(r.table.Load().with(s))
	}
	if b := s.breaker.Load(); b != nil {
		return b
	}
	now := r.clock.moment(time.Time{})
	r.makeRoom(scopeOf(name), now)
	b := newBreaker(r, s, now)
	s.breaker.Store(b)
	r.live++
	return b
}

// successor is the breaker that has the name of b, which is gone; nil if the
// name left the configuration.
func (r *Registry) successor(b *Breaker) *Breaker {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b.presence == departed && r.table.Load().slots[b.name] == nil {
		return nil
	}
	return r.obtain(b.name)
}

// Unsettled counts the permits that were given out and not settled, per
// breaker. It needs Options.TrackPermits.
func (r *Registry) Unsettled() map[string]int {
	counts := map[string]int{}
	for name, s := range r.table.Load().slots {
		if b := s.breaker.Load(); b != nil {
			b.mu.Lock()
			if b.outstanding != 0 {
				counts[name] = b.outstanding
			}
			b.mu.Unlock()
		}
	}
	return counts
}
