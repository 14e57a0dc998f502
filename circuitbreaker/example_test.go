package circuitbreaker_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// A function is run through a breaker. What it returns settles the permit.
func ExampleBreaker_Do() {
	settings := circuitbreaker.DefaultSettings()
	settings.FailureThreshold, settings.Cooldown = 2, 0
	b := circuitbreaker.New("payments", settings, circuitbreaker.Options{})

	call := func(context.Context) error { return errors.New("connection refused") }
	for range 3 {
		err := b.Do(context.Background(), call)
		var refused *circuitbreaker.OpenError
		fmt.Println(errors.As(err, &refused), b.Status(time.Time{}).State)
	}
	// Output:
	// false CLOSED
	// false OPEN
	// true OPEN
}

// A kind of failure can open a breaker at once, and for longer.
func ExampleKindSettings() {
	settings := circuitbreaker.DefaultSettings()
	settings.Jitter = 0
	settings.Kinds = map[circuitbreaker.Kind]circuitbreaker.KindSettings{
		"quota_exhausted": {ImmediateOpen: true, Cooldown: new(time.Hour)},
	}
	b := circuitbreaker.New("key:openai/main", settings, circuitbreaker.Options{})

	now := time.Now()
	var p circuitbreaker.Permit
	if refused := b.Acquire(&p, circuitbreaker.Ask{Now: now}); refused == nil {
		p.Failure(now, "quota_exhausted", 0)
	}
	refused := b.Peek(circuitbreaker.Ask{Now: now})
	fmt.Println(refused.Reason, refused.RetryAfter(now))
	// Output: open 1h0m0s
}

// One request passes the breakers of its provider, its key and its target. A
// failure is charged to one of them.
func ExamplePath() {
	r := circuitbreaker.NewRegistry(circuitbreaker.Options{})
	path := r.Path(
		circuitbreaker.ProviderName("openai"),
		circuitbreaker.KeyName("openai", "main"),
		circuitbreaker.TargetName("openai", "gpt-4o"),
	)

	now := time.Now()
	var ps circuitbreaker.Permits
	if refused := path.Acquire(&ps, circuitbreaker.Ask{Now: now}); refused == nil {
		ps.Fail(now, circuitbreaker.ScopeKey, "rate_limit", 20*time.Second)
	}
	refused := path.Acquire(&ps, circuitbreaker.Ask{Now: now})
	fmt.Println(refused.Name, refused.Reason, refused.RetryAfter(now), refused.Hinted)
	// Output: key:openai/main cooldown 20s true
}

// An operator holds a breaker, and lets one probe decide afterwards.
func ExampleRegistry_Isolate() {
	r := circuitbreaker.NewRegistry(circuitbreaker.Options{Logger: slog.New(slog.DiscardHandler)})
	sub := r.Subscribe(16)
	defer sub.Close()
	r.Get("provider:openai")

	_, _ = r.Isolate("provider:openai", "ana", "the bill")
	_, _ = r.Release("provider:openai")
	_ = r.Flush(context.Background()) // started, a registry publishes by itself

	for range 2 {
		ev, _, _ := sub.Next(context.Background())
		fmt.Println(ev.Transition.From, ev.Transition.To, ev.Transition.Reason)
	}
	// Output:
	// CLOSED ISOLATED isolated
	// ISOLATED HALF_OPEN released
}
