package combo

import (
	"testing"
	"testing/synctest"

	"github.com/ohmroute/ohmroute/providers"
)

// nests makes the combo of that name, of these targets, to stand in others.
func (r *rig) nests(name, strategy string, targets ...string) Target {
	c := DefaultCombo()
	c.Name, c.Strategy = name, strategy
	for _, target := range targets {
		c.Targets = append(c.Targets, r.target(target))
	}
	r.cfg.Combos[name] = &c
	return Target{Combo: name}
}

// on makes a target a fallback target.
func (t Target) on(kinds ...providers.Kind) Target {
	t.OnlyOn = kinds
	return t
}

// targets gives the combo "c" other targets.
func (r *rig) targets(targets ...Target) {
	r.cfg.Combos["c"].Targets = targets
	r.router.Swap(r.cfg)
}

// refuses is an answer under 200 that is a refusal.
func refuses() act {
	return act{fail: &providers.Failure{Kind: providers.ContentPolicy, Status: 200, Code: "content_filter", Body: []byte("no")}}
}

func TestAFallbackTargetThatStandsInThePoolTooIsAskedAfterARefusal(t *testing.T) {
	cases := map[string]struct {
		targets func(r *rig) []Target
		asked   string
	}{
		"in the pool itself": {func(r *rig) []Target {
			return []Target{r.target("a/m"), r.target("b/m"), r.target("b/m").on(providers.ContentPolicy)}
		}, "a/m b/m"},
		"in a combo of the pool": {func(r *rig) []Target {
			return []Target{r.target("a/m"), r.nests("in", "", "d/m", "b/m"), r.target("b/m").on(providers.ContentPolicy)}
		}, "a/m b/m"},
		"in a combo that was put there": {func(r *rig) []Target {
			return []Target{r.target("a/m"), r.nests("in", "", "a/m", "b/m").on(providers.ContentPolicy)}
		}, "a/m b/m"},
		"in its order": {func(r *rig) []Target {
			return []Target{
				r.target("a/m"), r.target("b/m"), r.target("x/m").on(providers.ContentPolicy), r.target("b/m").on(providers.ContentPolicy),
			}
		}, "a/m x/m b/m"},
		"unless it was asked before": {func(r *rig) []Target {
			return []Target{r.target("x/m"), r.target("a/m"), r.target("x/m").on(providers.ContentPolicy)}
		}, "x/m a/m"},
	}
	for name, test := range cases {
		for form, no := range map[string]act{"an answer": refuses(), "an error": fails(providers.ContentPolicy)} {
			t.Run(name+", "+form, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, "a/m")
					r.targets(test.targets(r)...)
					r.plays("a/m", no)
					r.plays("x/m", fails(providers.ServerError))
					r.ask("c")
					if got := r.asked(); got != test.asked {
						t.Errorf("asked %q, want %q", got, test.asked)
					}
				})
			})
		}
	}
}

func TestAfterWhatEndsTheWalkOnlyWhoWasPutThereForItIsAsked(t *testing.T) {
	cases := map[string]struct {
		targets func(r *rig) []Target
		b       providers.Kind
		asked   string
		status  int
	}{
		"not who was put there for an earlier failure": {func(r *rig) []Target {
			return []Target{r.target("a/m"), r.target("b/m"), r.target("x/m").on(providers.RateLimit)}
		}, providers.ContentPolicy, "a/m b/m", 400},
		"nor after a client's own fault": {func(r *rig) []Target {
			return []Target{r.target("a/m"), r.target("b/m"), r.target("x/m").on(providers.RateLimit)}
		}, providers.ClientError, "a/m b/m", 422},
		"but who was put there for it, and for what fails of those": {func(r *rig) []Target {
			return []Target{
				r.target("a/m"), r.target("b/m"), r.target("z/m").on(providers.RateLimit),
				r.target("y/m").on(providers.ClientError, providers.ContentPolicy),
			}
		}, providers.ContentPolicy, "a/m b/m y/m z/m", 0},
		"in a combo that an earlier failure unlocked": {func(r *rig) []Target {
			in := r.nests("in", "", "b/m", "z/m")
			r.cfg.Combos["in"].Targets[1].OnlyOn = []providers.Kind{providers.ContentPolicy}
			return []Target{r.target("a/m"), in.on(providers.RateLimit)}
		}, providers.ContentPolicy, "a/m b/m z/m", 0},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m")
				r.targets(test.targets(r)...)
				r.plays("a/m", fails(providers.RateLimit))
				r.plays("b/m", fails(test.b))
				r.plays("y/m", fails(providers.RateLimit))
				res := r.ask("c")
				if got := r.asked(); got != test.asked || status(res) != test.status {
					t.Errorf("asked %q, status %d, want %q and %d", got, status(res), test.asked, test.status)
				}
			})
		})
	}
}

func TestFallbackTargetsThatAreMerelyParkedGetOneMoreChance(t *testing.T) {
	for _, kind := range []providers.Kind{providers.ServerError, providers.ContentPolicy} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m d/m", onlyOn(1, kind), onlyOn(2, providers.Overloaded))
				r.park("provider:b", 0)
				r.park("provider:d", 0)
				r.plays("a/m", fails(kind))
				r.plays("b/m", fails(providers.Overloaded))
				res := r.ask("c")
				wantAttempts(t, res.report().Attempts,
					"a/m failed:"+string(kind), "b/m failed:overloaded forced", "d/m ok forced")
			})
		})
	}
}
