package combo

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// TestEveryWalkEnds draws configurations, breakers and upstreams: no walk asks a key more often than it may, none goes on
// without end, and none leaves anything taken.
func TestEveryWalkEnds(t *testing.T) {
	for seed := range uint64(400) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := dice{rand.New(rand.NewPCG(seed, 7))}
				r := newRig(t, "a/m b/m d/m e/m", d.configure)
				d.place(r)
				d.spoil(r)
				for range 3 {
					begin := time.Now()
					if d.chance(2) {
						r.ask("c")
					} else {
						r.stream("c")
					}
					if took := time.Since(begin); took > 10*time.Minute {
						t.Errorf("took %v", took)
					}
					d.count(t, r)
				}
				r.wait(time.Hour)
			})
		})
	}
}

// dice draws one test.
type dice struct{ *rand.Rand }

// chance is true once in n times.
func (d dice) chance(n int) bool { return d.IntN(n) == 0 }

func (d dice) configure(cfg *Config) {
	c := cfg.Combos["c"]
	c.Retry.SameTarget = d.IntN(3)
	c.Retry.PauseOnFailover = d.chance(6)
	if d.chance(4) {
		c.Retry.MaxRetries = new(d.IntN(4))
	}
	if d.chance(3) {
		c.Total = time.Duration(1+d.IntN(20)) * time.Second
	}
	if d.chance(4) {
		c.Hold.Events = d.IntN(3)
	}
	c.FailoverOnContentPolicy = d.chance(4)
	c.Exhausted = []Exhausted{{}, {Do: Reject}, {Do: Wait, MaxWait: 5 * time.Second}, {ProbeWait: time.Second}}[d.IntN(4)]
	c.Strategy = StrategyNames()[d.IntN(len(StrategyNames()))]
	for _, id := range []string{"a", "b", "d", "e"} {
		p := cfg.Providers[id]
		p.Limits.FirstToken, p.Limits.Response, p.Limits.Idle = 5*time.Second, 5*time.Second, 5*time.Second
		if d.chance(2) {
			p.Keys = keys("k", "l", "n")[:1+d.IntN(3)]
		}
		if d.chance(2) {
			p.MaxConcurrency, p.QueueTimeout = 1, time.Duration(d.IntN(5))*time.Second
		}
	}
}

// place gives the combo targets: of the pool, fallbacks, nested ones, the same several times.
func (d dice) place(r *rig) {
	names := []string{"a/m", "b/m", "d/m", "e/m"}
	r.nests("in", "round_robin", names[d.IntN(4)], names[d.IntN(4)])
	r.cfg.Combos["in"].Targets = append(r.cfg.Combos["in"].Targets, r.target(names[d.IntN(4)]).on(d.kind(), d.kind()))
	targets := []Target{r.target(names[d.IntN(4)])}
	for range 1 + d.IntN(5) {
		target := r.target(names[d.IntN(4)])
		if d.chance(4) {
			target = Target{Combo: "in"}
		}
		if d.chance(2) {
			target = target.on(d.kind(), d.kind())
		}
		targets = append(targets, target)
	}
	r.targets(targets...)
}

func (d dice) kind() providers.Kind {
	return []providers.Kind{
		providers.RateLimit, providers.Auth, providers.ContentPolicy, providers.ServerError, providers.Timeout,
		providers.ClientError, providers.ContextLength, providers.ModelFault,
	}[d.IntN(8)]
}

// spoil gives the upstreams acts, and has some breakers refuse and some providers full.
func (d dice) spoil(r *rig) {
	for _, id := range []string{"a", "b", "d", "e"} {
		var acts []act
		for range 1 + d.IntN(6) {
			f := failure(d.kind())
			if d.chance(3) {
				f.Hint = time.Duration(d.IntN(40)) * time.Second
			}
			next := act{after: time.Duration(d.IntN(3)) * time.Second, fail: f}
			switch d.IntN(6) {
			case 0:
				next = act{body: "x"}
			case 1:
				next = refuses()
			case 2:
				next = hangs()
			}
			acts = append(acts, next)
		}
		r.plays(id+"/m", acts...)
		names := []string{"provider:" + id, "target:" + id + "/m"}
		for _, k := range r.cfg.Providers[id].Keys {
			names = append(names, "key:"+id+"/"+k.Name)
		}
		name := names[d.IntN(len(names))]
		switch d.IntN(5) {
		case 0:
			r.trip(name)
		case 1:
			r.park(name, time.Duration(d.IntN(2)*d.IntN(9))*time.Second)
		}
		if r.cfg.Providers[id].MaxConcurrency > 0 && d.chance(2) {
			r.busy(id, time.Duration(d.IntN(6))*time.Second)
		}
	}
}

// count looks at how often each key was asked in the last walk.
func (d dice) count(t *testing.T, r *rig) {
	t.Helper()
	asked := map[string]int{}
	for _, c := range r.calls {
		asked[c.target+"@"+c.key]++
	}
	r.asked()
	for name, n := range asked {
		if n > r.cfg.Combos["c"].Retry.SameTarget+2 {
			t.Errorf("%s was asked %d times", name, n)
		}
	}
}
