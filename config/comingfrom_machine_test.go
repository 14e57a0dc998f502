package config_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/config/configtest"
	"github.com/ohmroute/ohmroute/providers"
)

// The files of docs/coming-from.md, in its order.
const (
	omniRoute = iota
	rolter
	trafficPolicy
)

func TestTheFileForOmniRouteBehavesLikeIt(t *testing.T) {
	m := machineOf(t, omniRoute, "provider:openai")
	m.fail(2, providers.ServerError, 0)
	m.wants(circuitbreaker.Closed, 0)
	m.fail(1, providers.Connection, 0)
	m.wants(circuitbreaker.Degraded, 0)
	m.fail(2, providers.Permission, 0)
	for _, wait := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 150 * time.Second, 150 * time.Second} {
		m.wants(circuitbreaker.Open, wait)
		m.now = m.now.Add(wait)
		m.fail(1, providers.ServerError, 0)
	}
	m.now = m.now.Add(150 * time.Second)
	m.succeed(1)
	m.wants(circuitbreaker.Closed, 0)
	for _, kind := range []providers.Kind{providers.RateLimit, providers.QuotaExhausted, providers.Auth} {
		m.fail(1, kind, time.Minute)
		m.wants(circuitbreaker.Open, 30*time.Second)
		m.now = m.now.Add(30 * time.Second)
		m.succeed(1)
	}
}

func TestEverythingInTheFileForOmniRouteIsChargedToTheProvider(t *testing.T) {
	built := builtOf(t, omniRoute)
	for id, p := range built.Routing.Providers {
		for kind, rule := range p.Rules {
			charged := rule.ChargedTo(p.Scope, len(p.Keys))
			if charged != circuitbreaker.ScopeNone && charged != circuitbreaker.ScopeProvider {
				t.Errorf("%s of %s is charged to the %s", kind, id, charged)
			}
		}
	}
}

func TestTheFileForRolterBehavesLikeIt(t *testing.T) {
	m := machineOf(t, rolter, "target:openai/gpt-4o-mini")
	for _, test := range []struct{ hint, parked time.Duration }{
		{0, 5 * time.Second}, {2 * time.Second, 5 * time.Second}, {20 * time.Second, 20 * time.Second}, {time.Hour, 5 * time.Minute},
	} {
		m.fail(1, providers.Overloaded, test.hint)
		m.wants(m.state(), test.parked)
		m.now = m.now.Add(test.parked)
	}
	m.succeed(1) // the count begins anew
	for range 5 {
		m.wants(m.state(), 0)
		m.fail(1, providers.RateLimit, 0)
		m.now = m.now.Add(5 * time.Second)
	}
	m.wants(circuitbreaker.Open, 25*time.Second)
	m.now = m.now.Add(25 * time.Second)
	m.fail(1, providers.Connection, 0)
	m.wants(circuitbreaker.Open, 30*time.Second)
	m.now = m.now.Add(30 * time.Second)
	m.succeed(1)
	m.wants(circuitbreaker.Closed, 0)

	key := machineOf(t, rolter, "key:openai/first")
	key.fail(1, providers.Auth, 0)
	key.wants(circuitbreaker.Closed, 5*time.Second)
}

func TestTheFileForATrafficPolicyBehavesLikeIt(t *testing.T) {
	m := machineOf(t, trafficPolicy, "provider:service")
	m.fail(3, providers.ServerError, 0)
	m.fail(1, providers.ServerError, 9*time.Second)
	m.now = m.now.Add(time.Millisecond) // all that is left of the hint
	m.succeed(14)
	m.wants(circuitbreaker.Closed, 0)
	m.fail(1, providers.ServerError, 0) // the window holds 19
	m.wants(circuitbreaker.Closed, 0)
	m.succeed(1) // a quarter of 20
	for range 2 {
		m.wants(circuitbreaker.Open, time.Minute)
		m.now = m.now.Add(time.Minute)
		m.fail(1, providers.Timeout, 5*time.Minute)
	}
	m.now = m.now.Add(time.Minute)
	m.succeed(1)
	m.wants(circuitbreaker.Closed, 0)
	m.fail(19, providers.ServerError, 0) // counting has started over
	m.wants(circuitbreaker.Closed, 0)
}

func TestAnErrorThresholdOfZeroLetsTwoRequestsThroughPerPeriod(t *testing.T) {
	s := settingsOf(t, trafficPolicy, "provider:service")
	s.ErrorThreshold = 0
	m := newMachine(t, s)
	m.succeed(1)
	for range 3 {
		m.wants(circuitbreaker.Open, time.Minute)
		m.now = m.now.Add(time.Minute)
		m.succeed(1)
		m.wants(circuitbreaker.Closed, 0)
		m.succeed(1)
	}
}

// machine drives one breaker by its own clock.
type machine struct {
	t       *testing.T
	now     time.Time
	breaker *circuitbreaker.Breaker
}

func machineOf(t *testing.T, file int, name string) *machine {
	t.Helper()
	return newMachine(t, settingsOf(t, file, name))
}

func newMachine(t *testing.T, s circuitbreaker.Settings) *machine {
	t.Helper()
	m := &machine{t: t, now: time.Unix(1_000_000, 0)}
	m.breaker = circuitbreaker.New("target:a/m", s, circuitbreaker.Options{
		Now: func() time.Time { return m.now }, Logger: slog.New(slog.DiscardHandler),
	})
	return m
}

func (m *machine) settle(times int, verdict func(p *circuitbreaker.Permit)) {
	m.t.Helper()
	for range times {
		var p circuitbreaker.Permit
		if refused := m.breaker.Acquire(&p, circuitbreaker.Ask{Now: m.now}); refused != nil {
			m.t.Fatal(refused)
		}
		verdict(&p)
	}
}

func (m *machine) succeed(times int) {
	m.t.Helper()
	m.settle(times, func(p *circuitbreaker.Permit) { p.Success(m.now) })
}

func (m *machine) fail(times int, kind providers.Kind, hint time.Duration) {
	m.t.Helper()
	m.settle(times, func(p *circuitbreaker.Permit) { p.Failure(m.now, kind, hint) })
}

func (m *machine) state() circuitbreaker.State { return m.breaker.Status(m.now).State }

// wants compares the state, and how long the breaker refuses: 0 is not at all.
func (m *machine) wants(state circuitbreaker.State, refuses time.Duration) {
	m.t.Helper()
	left := time.Duration(0)
	if refused := m.breaker.Peek(circuitbreaker.Ask{Now: m.now}); refused != nil {
		left = refused.RetryAfter(m.now)
	}
	if m.state() != state || left != refuses {
		m.t.Errorf("%s and refuses for %v, want %s for %v", m.state(), left, state, refuses)
	}
}

func settingsOf(t *testing.T, file int, name string) circuitbreaker.Settings {
	t.Helper()
	configured, there := builtOf(t, file).Breakers[name]
	if !there {
		t.Fatalf("file %d has no breaker %s", file+1, name)
	}
	return configured.Settings
}

// builtOf is what runs when a file of the page is used.
func builtOf(t *testing.T, file int) *config.Built {
	t.Helper()
	set := func(string) (string, bool) { return "set", true }
	f, _ := config.ParseFile([]byte(yamlBlocks(t, comingFrom)[file]), set)
	sealer, err := config.NewSealer(make([]byte, 32))
	if f == nil || err != nil {
		t.Fatalf("file %d can't be used: %v", file+1, err)
	}
	live, err := config.OpenLive(t.Context(), config.LiveOptions{
		Store: &configtest.Documents{}, Sealer: sealer, File: f, Env: set, Apply: func(*config.Built) {}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(live.Close)
	return live.Built()
}
