package combo

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// What is taken for an attempt is given back whatever happens: newRig looks for permits, slots, retries, waiters and
// claims that are left, and the bubble for goroutines.
func TestRequestsAbortedAtRandomMomentsLeaveNothingBehind(t *testing.T) {
	for _, strategy := range StrategyNames() {
		t.Run(strategy, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dice := rand.New(rand.NewPCG(7, uint64(len(strategy))))
				r := newRig(t, "a/m a/n b/m d/m", twoKeys(), limited(time.Second), with(func(c *Combo) {
					c.Strategy, c.Total, c.Retry.SameTarget = strategy, 20*time.Second, 1
					c.Exhausted.ProbeWait = time.Second
					c.Targets[3].OnlyOn = []providers.Kind{providers.ServerError}
				}))
				for _, target := range []string{"a/m", "a/n", "b/m", "d/m"} {
					r.plays(target, randomActs(dice)...)
				}
				var wg sync.WaitGroup
				for range 150 {
					ctx, leave := context.WithCancel(t.Context())
					begin, stay := time.Duration(dice.IntN(60_000))*time.Millisecond, time.Duration(dice.IntN(8_000))*time.Millisecond
					req := r.request("c")
					req.Stream = dice.IntN(2) == 0
					wg.Go(func() {
						defer leave()
						<-time.After(begin)
						time.AfterFunc(stay, leave)
						req.Start = time.Now()
						r.send(ctx, req)
					})
				}
				wg.Wait()
			})
		})
	}
}

// randomActs are some of everything that an upstream may do.
func randomActs(dice *rand.Rand) []act {
	kinds := providers.Kinds()
	acts := make([]act, 200)
	for i := range acts {
		after := time.Duration(dice.IntN(3000)) * time.Millisecond
		switch dice.IntN(5) {
		case 0:
			acts[i] = act{after: after, fail: failure(kinds[dice.IntN(len(kinds))])}
		case 1:
			acts[i] = stream(role(), said("1").later(after), dies(providers.Connection))
		case 2:
			acts[i] = stream(role().later(after), said("1"), said("2").later(after), done())
		case 3:
			acts[i] = hangs()
		default:
			acts[i] = act{after: after, body: "x"}
		}
	}
	return acts
}

func TestOneOfTwoTargetsDown(t *testing.T) {
	downs := map[string]func(i int) act{
		"dead":         func(int) act { return fails(providers.Connection) },
		"failing":      func(int) act { return fails(providers.ServerError) },
		"rate-limited": func(int) act { return failsWith(providers.RateLimit, 20*time.Second) },
		"lying":        func(int) act { return fails(providers.Malformed) },
		"hanging":      func(int) act { return hangs() },
	}
	for name, down := range downs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m", with(func(c *Combo) { c.Limits.Response = 2 * time.Second }))
				r.plays("a/m", down(0))
				var wg sync.WaitGroup
				for i := range 1000 {
					wg.Go(func() {
						<-time.After(time.Duration(i) * 100 * time.Millisecond)
						if res := r.ask("c"); res.text != "hello" {
							t.Errorf("request %d got no answer: %+v", i, res.err)
						}
					})
				}
				wg.Wait()
				wasted := 0
				for _, c := range r.calls {
					if c.target == "a/m" {
						wasted++
					}
				}
				// 5 until it opens (parked in between), what was under way then, and a probe at 30, 90 and 210 s at most.
				if limit := 5 + 20 + 3; wasted > limit {
					t.Errorf("the dead target was asked %d times, want at most %d", wasted, limit)
				}
				t.Logf("%s: 1000 of 1000 answered, %d calls wasted", name, wasted)
			})
		})
	}
}

func TestOneClientsBadRequestsBenchNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		for _, kind := range []providers.Kind{
			providers.ClientError, providers.ContextLength, providers.ContentPolicy, providers.Unsupported, providers.ModelFault,
		} {
			r.plays("a/m", fails(kind))
			for range 20 {
				r.ask("c")
			}
		}
		r.plays("a/m", act{body: "x"})
		if res := r.ask("c"); res.text != "x" || res.report().Attempts[0].Forced {
			t.Errorf("got %+v", res)
		}
		r.counts(map[string]int{})
	})
}
