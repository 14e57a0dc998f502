package circuitbreaker_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Spec: breaker.md 1.

func TestABreakerIsDegradedAtSixtyPercentAndOpenAtTheThreshold(t *testing.T) {
	r := newRig(t)
	for i, want := range []circuitbreaker.State{
		circuitbreaker.Closed, circuitbreaker.Closed, circuitbreaker.Degraded, circuitbreaker.Degraded, circuitbreaker.Open,
	} {
		r.fail(1, "server_error")
		if got := r.state(); got != want {
			t.Fatalf("after %d failures %s, want %s", i+1, got, want)
		}
	}
	if refused := r.refused(circuitbreaker.ReasonOpen); refused.RetryAfter(r.now) != 30*time.Second {
		t.Errorf("retry after %v, want 30s", refused.RetryAfter(r.now))
	}
}

func TestDegradedIsLeftAtThirtyPercentAndNotBefore(t *testing.T) {
	r := newRig(t)
	r.fail(3, "server_error")
	r.succeed(1)
	r.want(circuitbreaker.Degraded)
	r.succeed(1)
	r.want(circuitbreaker.Closed)
}

func TestOpenLastsUntilTheWaitHasPassedAndSomebodyAsks(t *testing.T) {
	r := newRig(t)
	r.trip()
	r.pass(30*time.Second - 1)
	r.refused(circuitbreaker.ReasonOpen)
	r.pass(1)
	r.want(circuitbreaker.Open)
	p := r.acquire()
	r.want(circuitbreaker.HalfOpen)
	p.Success(r.now)
	r.want(circuitbreaker.Closed)
	if got, want := r.reasons(), []string{"degraded", "threshold", "probe", "probe-succeeded"}; !slices.Equal(got, want) {
		t.Errorf("reasons %v, want %v", got, want)
	}
}

func TestAHalfOpenBreakerWithoutAProbeLetsTheNextCallerProbe(t *testing.T) {
	r := newRig(t)
	r.probing()
	r.acquire().NoVerdict(r.now)
	r.want(circuitbreaker.HalfOpen)
	if p := r.acquire(); !p.Probe() {
		t.Error("the next caller does not probe")
	}
}

func TestIsolatedRefusesEveryPathObserversIncluded(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) { s.Enforce = false })
	if _, err := r.reg.Isolate(r.name, "ana", "billing"); err != nil {
		t.Fatal(err)
	}
	if refused := r.refused(circuitbreaker.ReasonHeld); !refused.RetryAt.IsZero() || refused.RetryAfter(r.now) != 0 {
		t.Errorf("refusal %v has a time", refused)
	}
	var p circuitbreaker.Permit
	if r.breaker.AcquireForced(&p, r.ask(), "test") == nil {
		t.Error("a forced request was admitted")
	}
	r.want(circuitbreaker.Isolated)
}

func TestEachEntryIntoDegradedIsOneWarningAndOneEvent(t *testing.T) {
	r := newRig(t)
	var log bytes.Buffer
	reg := circuitbreaker.NewRegistry(circuitbreaker.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Default: rigSettings()})
	sub := reg.Subscribe(10)
	defer sub.Close()
	r.reg, r.breaker = reg, reg.Get(r.name)
	for range 2 {
		r.fail(3, "server_error")
		r.succeed(3)
	}
	r.flush()
	if got := strings.Count(log.String(), "level=WARN"); got != 2 {
		t.Errorf("%d warnings, want 2:\n%s", got, log.String())
	}
	degraded := 0
	for range 4 {
		ev, _, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if ev.Transition.To == circuitbreaker.Degraded {
			degraded++
		}
	}
	if degraded != 2 {
		t.Errorf("%d events, want 2", degraded)
	}
}
