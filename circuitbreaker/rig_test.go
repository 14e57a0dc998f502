package circuitbreaker_test

import (
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/circuitbreaker/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is one breaker in a registry of its own, with a clock that the test
// moves. Its defaults park nothing and draw no jitter.
type rig struct {
	*testing.T
	now     time.Time
	store   *storetest.Memory
	reg     *circuitbreaker.Registry
	breaker *circuitbreaker.Breaker
	name    string
}

// with is a change of the rig's settings.
type with = func(*circuitbreaker.Settings)

func rigSettings(changes ...with) circuitbreaker.Settings {
	s := circuitbreaker.DefaultSettings()
	s.Cooldown, s.Jitter = 0, 0
	for _, change := range changes {
		change(&s)
	}
	return s
}

func newRig(t *testing.T, changes ...with) *rig {
	t.Helper()
	r := &rig{T: t, now: time.UnixMilli(1_800_000_000_000).UTC(), store: storetest.NewMemory(), name: "target:p/m"}
	r.boot(rigSettings(changes...))
	return r
}

// boot begins a process on what the store holds.
func (r *rig) boot(s circuitbreaker.Settings) {
	r.Helper()
	r.reg = circuitbreaker.NewRegistry(circuitbreaker.Options{
		Store: r.store, Now: func() time.Time { return r.now }, Logger: slog.New(slog.DiscardHandler),
		TrackPermits: true,
	})
	r.configure(s)
	if err := r.reg.Restore(r.Context()); err != nil {
		r.Fatal(err)
	}
	r.breaker = r.reg.Get(r.name)
}

// restart ends the process after everything owed was written, and begins another.
func (r *rig) restart(changes ...with) {
	r.Helper()
	r.flush()
	r.boot(rigSettings(changes...))
}

func (r *rig) configure(s circuitbreaker.Settings) {
	r.reg.Configure(r.Context(), map[string]circuitbreaker.Configured{r.name: {Settings: s}})
}

func (r *rig) flush() {
	r.Helper()
	if err := r.reg.Flush(r.Context()); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) pass(d time.Duration) { r.now = r.now.Add(d) }

func (r *rig) ask() circuitbreaker.Ask { return circuitbreaker.Ask{Now: r.now} }

// acquire wants to be admitted.
func (r *rig) acquire() *circuitbreaker.Permit {
	r.Helper()
	p := new(circuitbreaker.Permit)
	if refused := r.breaker.Acquire(p, r.ask()); refused != nil {
		r.Fatalf("refused: %v", refused)
	}
	return p
}

// force wants to be admitted by force.
func (r *rig) force() *circuitbreaker.Permit {
	r.Helper()
	p := new(circuitbreaker.Permit)
	if refused := r.breaker.AcquireForced(p, r.ask(), "test"); refused != nil {
		r.Fatalf("refused: %v", refused)
	}
	return p
}

// refused wants to be refused.
func (r *rig) refused(reason circuitbreaker.Reason) *circuitbreaker.OpenError {
	r.Helper()
	var p circuitbreaker.Permit
	refused := r.breaker.Acquire(&p, r.ask())
	if refused == nil {
		r.Fatal("admitted")
	}
	if refused.Reason != reason {
		r.Fatalf("refused with reason %s, want %s", refused.Reason, reason)
	}
	return refused
}

func (r *rig) succeed(n int) {
	r.Helper()
	for range n {
		r.acquire().Success(r.now)
	}
}

// fail sends n requests that fail.
func (r *rig) fail(n int, kind circuitbreaker.Kind) {
	r.Helper()
	for range n {
		r.acquire().Failure(r.now, kind, 0)
	}
}

// trip opens the breaker by its count.
func (r *rig) trip() {
	r.Helper()
	for r.state() != circuitbreaker.Open {
		r.force().Failure(r.now, "server_error", 0)
	}
}

// probing opens the breaker and lets the wait pass; the next caller probes.
func (r *rig) probing() {
	r.Helper()
	r.trip()
	r.now = r.status().RetryAt
}

func (r *rig) status() circuitbreaker.Status { return r.breaker.Status(r.now) }

func (r *rig) state() circuitbreaker.State { return r.status().State }

// want fails unless the breaker is in a state.
func (r *rig) want(s circuitbreaker.State) {
	r.Helper()
	if got := r.state(); got != s {
		r.Fatalf("state %s, want %s", got, s)
	}
}

// wantCount fails unless so many failures are shown.
func (r *rig) wantCount(n int) {
	r.Helper()
	if got := r.status().FailureCount; got != n {
		r.Fatalf("%d failures, want %d", got, n)
	}
}

// wait is how long OPEN lasts from now.
func (r *rig) wait() time.Duration {
	r.Helper()
	r.want(circuitbreaker.Open)
	return r.status().RetryAt.Sub(r.now)
}

// reasons are those of all transitions.
func (r *rig) reasons() []string {
	var all []string
	for _, t := range r.reg.Transitions(r.name) {
		all = append(all, t.Reason)
	}
	return all
}

// settled fails if a permit was not settled.
func (r *rig) settled() {
	r.Helper()
	if left := r.reg.Unsettled(); len(left) != 0 {
		r.Fatalf("permits were not settled: %v", left)
	}
}
