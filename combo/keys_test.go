package combo

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// twoKeys gives provider a the keys k and l.
func twoKeys() func(*Config) { return provider("a", func(p *Provider) { p.Keys = keys("k", "l") }) }

func TestASiblingKeyIsAskedAtOnceAndCostsNoRetry(t *testing.T) {
	for kind, code := range map[providers.Kind]string{
		providers.RateLimit: "", providers.QuotaExhausted: "", providers.Billing: "", providers.Auth: "",
	} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m", twoKeys(), with(func(c *Combo) { c.Retry.MaxRetries = new(0) }))
				r.plays("a/m@k", failsWith(kind, 10*time.Second))
				res := r.ask("c")
				if got := r.asked(); got != "a/m@k a/m@l" || res.took != 0 || res.text != "hello"+code {
					t.Errorf("asked %q in %v: %+v", got, res.took, res)
				}
				r.counts(map[string]int{"key:a/k": 1})
				wantAttempts(t, res.answer.Attempts, "a/m@k failed:"+string(kind), "a/m@l ok")
			})
		})
	}
}

func TestAfterTheLastKeyTheNextTargetIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", twoKeys())
		r.plays("a/m", fails(providers.Auth))
		if r.ask("c"); r.asked() != "a/m@k a/m@l b/m" {
			t.Error("wrong order")
		}
		r.ask("c") // all keys refuse: the provider is skipped
		if got := r.asked(); got != "b/m" {
			t.Errorf("asked %q", got)
		}
	})
}

func TestAFailureThatIsNotTheKeysGoesOnToTheNextTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", twoKeys())
		r.plays("a/m", fails(providers.ServerError))
		if r.ask("c"); r.asked() != "a/m@k b/m" {
			t.Error("the sibling key was asked")
		}
	})
}

func TestASiblingKeyIsAskedAlsoIfTheKindDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules, err := providers.DefaultRules().With(map[providers.Kind]providers.Override{providers.Auth: {Counts: new(false)}})
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(t, "a/m", twoKeys(), provider("a", func(p *Provider) { p.Rules = rules }))
		r.plays("a/m@k", fails(providers.Auth))
		if res := r.ask("c"); res.text != "hello" {
			t.Errorf("got %+v", res.err)
		}
		r.counts(map[string]int{})
	})
}

func TestKeysTakeTurnsByWeight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", provider("a", func(p *Provider) {
			p.Keys = []providers.Key{{Name: "k", Weight: 3}, {Name: "l", Weight: 1}}
		}))
		for range 8 {
			r.ask("c")
		}
		if got := strings.ReplaceAll(r.asked(), "a/m@", ""); got != "k k l k k k l k" {
			t.Errorf("keys %s", got)
		}
	})
}

func TestAKeyThatRefusesIsPassedOverInSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", twoKeys())
		r.trip("key:a/k")
		for range 2 {
			res := r.ask("c")
			wantAttempts(t, res.answer.Attempts, "a/m@l ok")
		}
	})
}

func TestWhoIsCharged(t *testing.T) {
	cases := map[string]struct {
		kind  providers.Kind
		keys  []providers.Key
		scope circuitbreaker.Scope
		want  string // the breaker that counts; empty: nobody
	}{
		"a rate limit with two keys: the key":          {providers.RateLimit, keys("k", "l"), 0, "key:a/k"},
		"a rate limit with one key: the target":        {providers.RateLimit, keys("k"), 0, "target:a/m"},
		"a rate limit without a key: the target":       {providers.RateLimit, nil, 0, "target:a/m"},
		"auth with one key: the key":                   {providers.Auth, keys("k"), 0, "key:a/k"},
		"auth without a key: the provider":             {providers.Auth, nil, 0, "provider:a"},
		"a server error: the provider":                 {providers.ServerError, keys("k"), 0, "provider:a"},
		"a server error with scope target: the target": {providers.ServerError, keys("k"), circuitbreaker.ScopeTarget, "target:a/m"},
		"a connection: the provider in any case":       {providers.Connection, nil, circuitbreaker.ScopeTarget, "provider:a"},
		"a permission: the target":                     {providers.Permission, keys("k"), 0, "target:a/m"},
		"a context length: nobody":                     {providers.ContextLength, keys("k"), 0, ""},
		"a content policy: nobody":                     {providers.ContentPolicy, keys("k"), 0, ""},
		"a client's fault: nobody":                     {providers.ClientError, keys("k"), 0, ""},
		"something unsupported: nobody":                {providers.Unsupported, keys("k"), 0, ""},
		"a model's fault: nobody":                      {providers.ModelFault, keys("k"), 0, ""},
		"a bug of ours: nobody":                        {providers.Local, keys("k"), 0, ""},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m", provider("a", func(p *Provider) { p.Keys, p.Scope = test.keys, test.scope }))
				r.plays("a/m@k", fails(test.kind))
				if test.keys == nil {
					r.plays("a/m", fails(test.kind))
				}
				r.ask("c")
				want := map[string]int{}
				if test.want != "" {
					want[test.want] = 1
				}
				r.counts(want)
			})
		})
	}
}

func TestASuccessIsOneForAllThree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := []string{"provider:a", "key:a/k", "target:a/m"}
		r := newRig(t, "a/m", provider("a", func(p *Provider) { p.Keys = keys("k") }))
		for _, name := range names {
			r.park(name, 0)
		}
		r.wait(6 * time.Second)
		r.ask("c")
		r.counts(map[string]int{})
	})
}

func TestTheKindsOfAProviderOverrideTheTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules, err := providers.DefaultRules().With(map[providers.Kind]providers.Override{
			providers.ServerError: {Counts: new(false)},
			providers.ClientError: {Failover: new(providers.NextAlways)},
		})
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(t, "a/m b/m", provider("a", func(p *Provider) { p.Rules = rules }))
		r.plays("a/m", fails(providers.ServerError), fails(providers.ClientError))
		r.ask("c")
		r.counts(map[string]int{})
		if r.ask("c"); r.asked() != "a/m b/m a/m b/m" {
			t.Error("a client error went back")
		}
	})
}

func TestEveryKeyIsAskedHoweverManyThereAre(t *testing.T) {
	for _, n := range []int{64, 65, 70, 200} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				names := make([]string, n)
				for i := range names {
					names[i] = fmt.Sprintf("k%03d", i)
				}
				r := newRig(t, "a/m", provider("a", func(p *Provider) { p.Keys = keys(names...) }))
				r.plays("a/m", fails(providers.Auth))
				r.ask("c")
				asked := map[string]int{}
				for _, c := range r.calls {
					asked[c.key]++
				}
				if len(asked) != n || len(r.calls) != n {
					t.Errorf("%d keys were asked %d times, want %d once each", len(asked), len(r.calls), n)
				}
			})
		})
	}
}
