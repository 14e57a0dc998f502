package config

import (
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

func TestEachMemberOfTheBreakerSettingsOverridesOnItsOwn(t *testing.T) {
	r := newRig(t, newMemory(), func(o *LiveOptions) {
		o.File = mustParse(t, `
defaults: {breaker: {failure_threshold: 7, reset_timeout: 1m, kinds: {timeout: {threshold: 2}}}}
providers:
- id: p
  kind: demo
  breaker: {reset_timeout: 2m, half_open_requests: 3, kinds: {timeout: {cooldown: 4s}, rate_limit: {park: 1s}}}
  models: [steady, {name: flaky, breaker: {reset_timeout: 3m, kinds: {timeout: {immediate_open: true}}}}]
  keys: [{name: k, value: sk}]
`)
	})
	for name, reset := range map[string]time.Duration{
		"provider:p": 2 * time.Minute, "key:p/k": 2 * time.Minute, "target:p/steady": 2 * time.Minute, "target:p/flaky": 3 * time.Minute,
	} {
		got := r.settings(name)
		if got.FailureThreshold != 7 || got.ResetTimeout != reset || got.HalfOpenRequests != 3 || got.Cooldown != 5*time.Second {
			t.Errorf("%s: %+v", name, got)
		}
		timeout := got.Kinds[providers.Timeout]
		if timeout.Threshold != 2 || *timeout.Cooldown != 4*time.Second || timeout.ImmediateOpen != (name == "target:p/flaky") {
			t.Errorf("%s: timeout %+v", name, timeout)
		}
		if park := got.Kinds[providers.RateLimit].Park; *park != time.Second {
			t.Errorf("%s: rate_limit parks %s", name, park)
		}
		if auth := got.Kinds[providers.Auth]; !auth.ImmediateOpen || *auth.Cooldown != 30*time.Minute {
			t.Errorf("%s: auth %+v", name, auth)
		}
	}
}

func TestDefaultParks(t *testing.T) {
	for name, test := range map[string]struct {
		breaker              string
		cooldown             time.Duration
		rateLimit, overladen time.Duration // -1: the breaker's cooldown
	}{
		"are the kinds' own":                      {`{}`, 5 * time.Second, 5 * time.Second, 10 * time.Second},
		"stay with another cooldown":              {`{cooldown: 1s}`, time.Second, 5 * time.Second, 10 * time.Second},
		"are off with a cooldown of 0":            {`{cooldown: 0s}`, 0, -1, -1},
		"but not those that were set":             {`{cooldown: 0s, kinds: {rate_limit: {park: 3s}}}`, 0, 3 * time.Second, -1},
		"are off in a window, as is the cooldown": {`{measure: window}`, 0, -1, -1},
		"and a window's cooldown is what is set":  {`{measure: window, cooldown: 2s}`, 2 * time.Second, -1, -1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, newMemory(), func(o *LiveOptions) {
				o.File = mustParse(t, "providers: [{id: p, kind: demo, breaker: "+test.breaker+"}]")
			})
			s := r.settings("provider:p")
			if s.Cooldown != test.cooldown {
				t.Errorf("cooldown %s, want %s", s.Cooldown, test.cooldown)
			}
			for kind, want := range map[providers.Kind]time.Duration{providers.RateLimit: test.rateLimit, providers.Overloaded: test.overladen} {
				got := time.Duration(-1)
				if park := s.Kinds[kind].Park; park != nil {
					got = *park
				}
				if got != want {
					t.Errorf("%s parks %s, want %s", kind, got, want)
				}
			}
		})
	}
}

func TestRulesOfKindsComeFromDefaultsAndProvider(t *testing.T) {
	r := newRig(t, newMemory(), func(o *LiveOptions) {
		o.File = mustParse(t, `
defaults: {breaker: {kinds: {timeout: {counts: false}, malformed: {scope: provider}}}}
providers:
- {id: p, kind: demo, breaker: {kinds: {timeout: {counts: true}, server_error: {scope: target, failover: none}}}}
`)
	})
	rules := r.Built().Routing.Providers["p"].Rules
	if !rules[providers.Timeout].Counts || rules[providers.Malformed].Charged != providers.ChargeProvider ||
		rules[providers.ServerError].Charged != providers.ChargeTarget || rules[providers.ServerError].Failover != providers.NextNone {
		t.Errorf("got %+v", rules)
	}
}

func TestTimeoutsAreLaidOverEachOther(t *testing.T) {
	r := newRig(t, newMemory(), func(o *LiveOptions) {
		o.File = mustParse(t, `
defaults: {timeouts: {connect: 3s, idle: 0s, total: 1m}, when_exhausted: {do: reject}, keepalive: 0s}
providers:
- {id: p, kind: demo, timeouts: {first_token: 9s}, models: [{name: steady, timeouts: {response: 0s, connect: 1s}}]}
combos:
- {name: c, targets: [{provider: p, model: steady}], timeouts: {first_token: 4s}}
- {name: d, targets: [{provider: p, model: steady}], timeouts: {total: 0s}, when_exhausted: {max_wait: 1s}, keepalive: 1s}
`)
	})
	cfg := r.Built().Routing
	p := cfg.Providers["p"]
	if want := (providers.Limits{Connect: 3 * time.Second, FirstToken: 9 * time.Second, Idle: -1, Response: 10 * time.Minute}); p.Limits != want {
		t.Errorf("provider: %+v, want %+v", p.Limits, want)
	}
	if want := (providers.Limits{Connect: time.Second, Response: -1}); p.Models["steady"].Limits != want {
		t.Errorf("model: %+v, want %+v", p.Models["steady"].Limits, want)
	}
	c, d := cfg.Combos["c"], cfg.Combos["d"]
	if c.Limits != (providers.Limits{FirstToken: 4 * time.Second}) || c.Total != time.Minute || c.Keepalive != 0 {
		t.Errorf("combo: %+v", c)
	}
	if d.Total != 0 || d.Exhausted.Do != "reject" || d.Exhausted.MaxWait != time.Second || d.Keepalive != time.Second || d.Retry.Base != 100*time.Millisecond {
		t.Errorf("combo: %+v", d)
	}
	if cfg.Direct.Total != time.Minute || cfg.Direct.Exhausted.Do != "reject" {
		t.Errorf("direct routes: %+v", cfg.Direct)
	}
}

func TestEveryBreakerHasItsName(t *testing.T) {
	r := newRig(t, newMemory(), nil)
	r.provider(`{"id":"p",` + local + `,"models":["a","b/c"],"keys":[{"name":"k","env":"SOME_KEY"},{"name":"unset","env":"UNSET_KEY"},{"name":"v","value":"sk-1"}]}`)
	r.provider(`{"id":"any",` + local + `}`)
	r.combo(`{"name":"c","targets":[{"provider":"any","model":"x"},{"provider":"p","model":"a"}]}`)
	want := []string{"provider:p", "key:p/k", "key:p/unset", "key:p/v", "target:p/a", "target:p/b/c", "provider:any", "target:any/x"}
	got := r.Built().Breakers
	if len(got) != len(want) {
		t.Errorf("got %d names", len(got))
	}
	for _, name := range want {
		r.settings(name)
	}
	print1, print2 := got["key:p/k"].Fingerprint, got["key:p/v"].Fingerprint
	if print1 == "" || print1 == print2 || got["provider:p"].Fingerprint == got["provider:any"].Fingerprint {
		t.Errorf("fingerprints %q and %q", print1, print2)
	}
	if keys := r.Built().Routing.Providers["p"].Keys; len(keys) != 2 || keys[0].Secret != "sk-from-env" || keys[1].Secret != "sk-1" {
		t.Errorf("keys: %d", len(keys))
	}
	if _, err := r.PutProvider(t.Context(), "p", []byte(`{`+local+`,"models":["a"],"keys":[{"name":"v","value":"sk-2"}]}`), ""); err != nil {
		t.Fatal(err)
	}
	if after := r.Built().Breakers; after["key:p/v"].Fingerprint == print2 || len(after) != 5 {
		t.Errorf("after the change: %d names", len(after))
	}
}
