package combo

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

func TestAModelIsResolvedAsComboThenAliasThenDirectRoute(t *testing.T) {
	cases := map[string]struct {
		model string
		want  string // the target asked; empty: refused
		as    string // the combo
	}{
		"a combo's name":                         {"c", "a/m", "c"},
		"a combo wins over a model of that name": {"b/m", "a/m", "b/m"},
		"a combo wins over an alias":             {"d", "b/m", "d"},
		"an alias":                               {"quick", "a/m", "c"},
		"an alias wins over a model":             {"a/n", "b/m", "d"},
		"a direct route":                         {"a/m", "a/m", "a/m"},
		"a model that no target names, of a provider with an empty list": {"a/other/x", "a/other/x", "a/other/x"},
		"a model that is not in a provider's list":                       {"listed/other", "", ""},
		"a model in a provider's list":                                   {"listed/m", "listed/m", "listed/m"},
		"an unknown provider":                                            {"nobody/m", "", ""},
		"no provider at all":                                             {"m", "", ""},
		"no model behind the provider":                                   {"a/", "", ""},
		"a control character":                                            {"a/x\x00y", "", ""},
		"an outer blank":                                                 {"a/ x", "", ""},
		"a way out of a path":                                            {"a/../x", "", ""},
		"a way to nowhere":                                               {"a/x/.", "", ""},
		"a name that is too long":                                        {"a/" + strings.Repeat("x", 129), "", ""},
		"invalid UTF-8":                                                  {"a/\xff", "", ""},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m")
				b := r.target("b/m")
				r.target("listed/m")
				r.cfg.Providers["listed"].Models = map[string]Model{"m": {Name: "m"}}
				r.cfg.Combos["b/m"] = &Combo{Name: "b/m", Targets: r.cfg.Combos["c"].Targets}
				r.cfg.Combos["d"] = &Combo{Name: "d", Targets: []Target{b}}
				r.cfg.Aliases = map[string]string{"quick": "c", "d": "c", "a/n": "d"}
				r.router.Swap(r.cfg)
				before := len(r.breakers.List(time.Now()))
				res := r.ask(test.model)
				if got := r.asked(); got != test.want {
					t.Errorf("asked %q, want %q", got, test.want)
				}
				if test.want != "" {
					if res.answer == nil || res.answer.Combo != test.as {
						t.Errorf("answer %+v, want one of combo %q", res.answer, test.as)
					}
					return
				}
				if res.err == nil || res.err.Status != 404 || res.err.Code != "model_not_found" || res.err.Param != "model" {
					t.Errorf("error %+v, want 404 model_not_found", res.err)
				}
				if len(r.breakers.List(time.Now())) != before {
					t.Error("a breaker was made for a name that nobody knows")
				}
			})
		})
	}
}

func TestARequestWithoutModelUsesTheDefaultIfThereIsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		if res := r.ask(""); res.err == nil || res.err.Status != 400 || res.err.Code != "missing_required_parameter" {
			t.Errorf("without a default: %+v, want 400 missing_required_parameter", res.err)
		}
		r.cfg.DefaultModel = "c"
		r.router.Swap(r.cfg)
		if res := r.ask(""); res.text != "hello" || res.answer.Combo != "c" {
			t.Errorf("with a default: %+v", res)
		}
	})
}

func TestAModelThatNobodyNamesHasNoBreakerOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", provider("a", func(p *Provider) { p.Keys = keys("k", "l") }))
		r.plays("a/other", fails(providers.ModelNotFound), fails(providers.ServerError))
		if res := r.ask("a/other"); res.err == nil || res.err.Code != "model_not_found" {
			t.Errorf("got %+v", res)
		}
		r.counts(map[string]int{}) // what would be charged to the target is no verdict
		r.ask("a/other")
		r.counts(map[string]int{"provider:a": 1})
		for _, s := range r.breakers.List(time.Now()) {
			if strings.HasPrefix(s.Name, "target:a/other") {
				t.Errorf("breaker %s exists", s.Name)
			}
		}
		if res := r.ask("a/other"); res.report().Listed {
			t.Error("the report says that the configuration names the model")
		}
	})
}

func TestBreakersAreSharedByAllCombosThatUseATarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m")
		r.cfg.Combos["d"] = &Combo{Name: "d", Targets: r.cfg.Combos["c"].Targets}
		r.router.Swap(r.cfg)
		r.plays("a/m", fails(providers.Connection), act{})
		r.ask("c")
		r.asked()
		r.ask("d")
		if got := r.asked(); got != "b/m" {
			t.Errorf("the other combo asked %q, want b/m only: a is parked", got)
		}
	})
}

func TestANestedComboOrdersItsOwnTargetsAtItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", func(c *Config) {
			c.Combos["c"].Targets = append(c.Combos["c"].Targets, Target{Combo: "inner"})
		})
		inner := DefaultCombo()
		inner.Name, inner.Strategy, inner.Retry.MaxRetries = "inner", "round_robin", new(0)
		inner.Targets = []Target{r.target("b/m"), r.target("d/m")}
		r.cfg.Combos["inner"] = &inner
		r.cfg.Combos["c"].Targets = append(r.cfg.Combos["c"].Targets, r.target("e/m"))
		r.router.Swap(r.cfg)
		for _, target := range []string{"a/m", "b/m", "d/m"} {
			r.plays(target, fails(providers.Unsupported))
		}
		r.ask("c")
		if got := r.asked(); got != "a/m b/m d/m e/m" {
			t.Errorf("first request: %q", got)
		}
		r.ask("c")
		if got := r.asked(); got != "a/m d/m b/m e/m" {
			t.Errorf("second request: %q; the inner combo goes round, and the outer's retries count", got)
		}
	})
}

func TestACycleOfCombosEndsSomewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", func(c *Config) {
			c.Combos["d"] = &Combo{Name: "d", Strategy: "auto", Targets: []Target{{Combo: "c"}}}
			c.Combos["c"].Targets = append([]Target{{Combo: "d"}}, c.Combos["c"].Targets...)
		})
		if res := r.ask("d"); res.text != "hello" {
			t.Errorf("got %+v", res)
		}
	})
}

func TestADrainedTargetIsNeverReached(t *testing.T) {
	for name, drain := range map[string]func(c *Config){
		"by its weight":   with(func(c *Combo) { c.Targets[0].Drained = true }),
		"by its provider": provider("a", func(p *Provider) { p.Enabled = false }),
	} {
		t.Run(name, func(t *testing.T) {
			for _, strategy := range StrategyNames() {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, "a/m b/m", drain, with(func(c *Combo) { c.Strategy = strategy }))
					r.plays("b/m", fails(providers.ServerError))
					for range 10 { // fail-open included
						res := r.ask("c")
						if res.err == nil || res.err.Attempts[0].SkipReason != SkipDrained {
							t.Fatalf("%s: %s", strategy, sayAttempts(res.err.Attempts))
						}
					}
					if got := r.asked(); strings.Contains(got, "a/m") {
						t.Errorf("%s asked %q", strategy, got)
					}
				})
			}
		})
	}
}

func TestADirectRouteToADisabledProviderIsUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", provider("a", func(p *Provider) { p.Enabled = false }))
		if res := r.ask("a/m"); res.err == nil || res.err.Status != 503 || res.err.Code != "all_targets_unavailable" {
			t.Errorf("got %+v", res)
		}
	})
}

func TestAFallbackTargetIsReachedOnlyAfterAFailureOfItsKinds(t *testing.T) {
	cases := map[string]struct {
		fails providers.Kind
		want  string
	}{
		"one of them":       {providers.RateLimit, "a/m x/m"},
		"both, in order":    {providers.Overloaded, "a/m x/m y/m"},
		"the second's":      {providers.ServerError, "a/m y/m"},
		"none":              {providers.Timeout, "a/m"},
		"a client's fault":  {providers.ClientError, "a/m"},
		"a content policy":  {providers.ContentPolicy, "a/m z/m"},
		"no failure at all": {"", "a/m"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m x/m y/m z/m", with(func(c *Combo) {
					c.Targets[1].OnlyOn = []providers.Kind{providers.RateLimit, providers.Overloaded}
					c.Targets[2].OnlyOn = []providers.Kind{providers.Overloaded, providers.ServerError}
					c.Targets[3].OnlyOn = []providers.Kind{providers.ContentPolicy}
				}))
				if test.fails != "" {
					r.plays("a/m", fails(test.fails))
				}
				r.plays("x/m", act{body: "x"}, act{})
				if name == "both, in order" {
					r.plays("x/m", fails(providers.Connection))
				}
				r.ask("c")
				if got := r.asked(); got != test.want {
					t.Errorf("asked %q, want %q", got, test.want)
				}
			})
		})
	}
}

func TestARefusalByContentPolicyIsAnsweredByWhoWasPutThereForIt(t *testing.T) {
	cases := map[string]struct {
		change func(c *Combo)
		asked  string
		status int
	}{
		"and by nothing else":             {func(c *Combo) { c.Targets[2].OnlyOn = []providers.Kind{providers.RateLimit} }, "a/m", 400},
		"by its fallback target":          {func(c *Combo) { c.Targets[2].OnlyOn = []providers.Kind{providers.ContentPolicy} }, "a/m z/m", 0},
		"or by all, if the combo says so": {func(c *Combo) { c.FailoverOnContentPolicy = true }, "a/m b/m", 0},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m z/m", with(test.change))
				r.plays("a/m", fails(providers.ContentPolicy))
				res := r.ask("c")
				if got := r.asked(); got != test.asked {
					t.Errorf("asked %q, want %q", got, test.asked)
				}
				if status := status(res); status != test.status {
					t.Errorf("status %d, want %d", status, test.status)
				}
			})
		})
	}
}

// status is that of the final error, 0 for an answer.
func status(res result) int {
	if res.err == nil {
		return 0
	}
	return res.err.Status
}

func TestARequestUnderWayKeepsTheConfigurationItBeganWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m")
		r.plays("a/m", act{after: time.Second, fail: failure(providers.ServerError)})
		time.AfterFunc(time.Second/2, func() {
			next := *r.cfg
			c := *r.cfg.Combos["c"]
			c.Targets = c.Targets[:1]
			next.Combos = map[string]*Combo{"c": &c}
			r.router.Swap(&next)
		})
		if res := r.ask("c"); res.text != "hello" || r.asked() != "a/m b/m" {
			t.Errorf("got %+v", res)
		}
		if res := r.ask("c"); res.err == nil {
			t.Error("the next request still knows b")
		}
	})
}

func TestModelsListsCombosAndNamedModels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", provider("a", func(p *Provider) { p.CreatedAt = time.Unix(7, 0) }))
		r.target("off/m")
		r.cfg.Providers["off"].Enabled = false
		r.cfg.Providers["off"].Models = map[string]Model{"m": {}}
		r.cfg.Aliases["quick"] = "c"
		r.router.Swap(r.cfg)
		var ids []string
		for _, m := range r.router.Models() {
			ids = append(ids, m.ID+" of "+m.OwnedBy)
		}
		if got := strings.Join(ids, ", "); got != "a/m of a, c of ohmroute" {
			t.Errorf("models: %s", got)
		}
	})
}
