package combo

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

func TestSuspect(t *testing.T) {
	begin := time.Unix(1000, 0)
	at := func(seconds float64) time.Time { return begin.Add(time.Duration(seconds * float64(time.Second))) }
	measured := func(n int, d time.Duration) *firstTokens {
		var f firstTokens
		for range n {
			f.join(begin.Add(-time.Hour))
			f.arrive(begin.Add(-time.Hour), begin.Add(-time.Hour+d))
		}
		return &f
	}
	wait := func(f *firstTokens, from ...float64) {
		for _, s := range from {
			f.join(at(s))
		}
	}
	t.Run("three that wait are not enough", func(t *testing.T) {
		f := measured(20, 100*time.Millisecond)
		wait(f, 0, 0, 0)
		if f.suspect(at(100)) {
			t.Error("suspect")
		}
	})
	t.Run("four that waited longer than a second are, if first tokens come fast", func(t *testing.T) {
		f := measured(20, 100*time.Millisecond)
		wait(f, 0, 0.1, 0.2, 0.3)
		if f.suspect(at(1.3)) || !f.suspect(at(1.31)) {
			t.Error("the limit is not 1 s for the fourth")
		}
	})
	t.Run("four times the p95 if that is longer", func(t *testing.T) {
		f := measured(20, 2*time.Second)
		wait(f, 0, 0, 0, 0)
		if f.suspect(at(8)) || !f.suspect(at(8.1)) {
			t.Error("the limit is not 8 s")
		}
	})
	t.Run("the p95 leaves out the slowest", func(t *testing.T) {
		f := measured(96, time.Second)
		for range 4 {
			f.arrive(begin, at(60))
		}
		wait(f, 0, 0, 0, 0)
		if !f.suspect(at(4.1)) {
			t.Error("the limit is not 4 s")
		}
	})
	t.Run("30 s with fewer than 20 measured", func(t *testing.T) {
		f := measured(19, 100*time.Millisecond)
		wait(f, 0, 0, 0, 0)
		if f.suspect(at(30)) || !f.suspect(at(30.1)) {
			t.Error("the limit is not 30 s")
		}
	})
	t.Run("back in its place at its first token", func(t *testing.T) {
		f := measured(20, 100*time.Millisecond)
		wait(f, 0, 0, 0, 0, 0)
		f.arrive(at(0), at(50))
		if f.suspect(at(100)) {
			t.Error("still suspect")
		}
	})
	t.Run("who left does not wait", func(t *testing.T) {
		f := measured(20, 100*time.Millisecond)
		wait(f, 0, 1, 2, 3)
		f.leave(at(1))
		f.leave(at(1))
		if f.suspect(at(100)) {
			t.Error("suspect")
		}
	})
}

func TestASuspectIsOrderedLastByEveryStrategyAndNeverRefused(t *testing.T) {
	for _, strategy := range StrategyNames() {
		t.Run(strategy, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m", with(func(c *Combo) { c.Strategy = strategy }))
				s := r.router.table.Load().legs["a/m"].state
				r.plays("a/m", hangs())
				var wg sync.WaitGroup
				for range 4 {
					wg.Go(func() { r.stream("a/m") })
				}
				r.wait(31 * time.Second)
				r.asked()
				for range 5 {
					if res := r.stream("c"); res.answer.Target != "b/m" {
						t.Errorf("asked %q", r.asked())
					}
				}
				if !s.tokens.suspect(time.Now()) {
					t.Error("not suspect")
				}
				r.plays("b/m", fails(providers.Unsupported))
				r.plays("a/m", act{body: "x"})
				if res := r.stream("c"); !strings.Contains(res.text, "x") {
					t.Errorf("a suspect was refused: %+v", res.err)
				}
				if s.tokens.suspect(time.Now()) {
					t.Error("still suspect after its first token")
				}
				r.counts(map[string]int{}) // no verdict
				wg.Wait()
			})
		})
	}
}

func TestPlainRequestsMakeNoSuspect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m")
		r.plays("a/m", act{after: time.Minute})
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { r.ask("c") })
		}
		r.wait(40 * time.Second)
		if r.router.table.Load().legs["a/m"].state.tokens.suspect(time.Now()) {
			t.Error("suspect")
		}
		wg.Wait()
	})
}
