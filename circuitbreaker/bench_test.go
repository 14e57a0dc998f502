package circuitbreaker

import (
	"sync"
	"testing"
	"time"
)

// The figures of breaker.md section 8, each with 0 allocations. Run with
//
//	go test -run '^$' -bench . -cpu 1,2 ./circuitbreaker
//
// BenchmarkYardstick says what the machine is worth at that moment.

func BenchmarkYardstick(b *testing.B) {
	b.Run("mutex", func(b *testing.B) {
		var mu sync.Mutex
		for b.Loop() {
			mu.Lock()
			mu.Unlock() //nolint:staticcheck // SA2001: the empty section is what is measured
		}
	})
	b.Run("clock", func(b *testing.B) {
		for b.Loop() {
			_ = time.Now()
		}
	})
}

func benchSettings(m Measure) Settings {
	s := DefaultSettings()
	s.Measure, s.Cooldown = m, 0
	return s
}

// At most 30 ns, no slower on two cores.
func BenchmarkHealthySuccess(b *testing.B) {
	for _, measure := range []Measure{Decay, Consecutive} {
		b.Run(string(measure), func(b *testing.B) {
			admitAndSucceed(b, New("target:a/m", benchSettings(measure), Options{}), time.Time{})
		})
	}
}

// At most 80 ns.
func BenchmarkCountingSuccess(b *testing.B) {
	now := time.Now()
	// So many failures that the benchmark does not count them down.
	decaying := func(state State) *Breaker {
		breaker := New("target:a/m", benchSettings(Decay), Options{})
		breaker.rules.Load().opens, breaker.rules.Load().degrades = 1<<50, 1<<49
		breaker.m.state, breaker.m.tally.failed, breaker.m.tally.lastFailure = state, 1<<40, breaker.reg.clock.moment(now)
		breaker.m.tally.kinds.add("server_error", 1<<40)
		breaker.mirror(0)
		return breaker
	}
	b.Run("decay", func(b *testing.B) { admitAndSucceed(b, decaying(Closed), now) })
	b.Run("degraded", func(b *testing.B) { admitAndSucceed(b, decaying(Degraded), now) })
	b.Run("window", func(b *testing.B) {
		admitAndSucceed(b, New("target:a/m", benchSettings(Window), Options{}), now)
	})
	b.Run("window-failed", func(b *testing.B) {
		breaker := New("target:a/m", benchSettings(Window), Options{})
		var p Permit
		_ = breaker.Acquire(&p, Ask{Now: now})
		p.Failure(now, "server_error", 0)
		admitAndSucceed(b, breaker, now)
	})
}

func admitAndSucceed(b *testing.B, breaker *Breaker, now time.Time) {
	b.Helper()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var p Permit
		for pb.Next() {
			if breaker.Acquire(&p, Ask{Now: now}) != nil {
				b.Error("refused")
			}
			p.Success(now)
		}
	})
}

// At most 10 ns.
func BenchmarkRefusal(b *testing.B) {
	breaker, now := New("target:a/m", benchSettings(Decay), Options{}), time.Now()
	t := breaker.turn(breaker.reg.clock.moment(now), 0)
	breaker.m.open(&t, ReasonThreshold, "", "", 0)
	breaker.mirror(0)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var p Permit
		for pb.Next() {
			if breaker.Acquire(&p, Ask{Now: now}) == nil {
				b.Error("admitted")
			}
		}
	})
}

// At most 15 ns.
func BenchmarkGet(b *testing.B) {
	r := NewRegistry(Options{})
	for _, model := range []string{"gpt-4o", "gpt-4o-mini", "o3", "o4-mini", "gpt-4.1", "text-embedding-3-small"} {
		r.Get(TargetName("openai", model))
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r.Get("target:openai/gpt-4o-mini")
		}
	})
}

// The three permits of one request: at most 120 ns.
func BenchmarkPath(b *testing.B) {
	path := NewRegistry(Options{}).Path("provider:a", "key:a/k", "target:a/m")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var ps Permits
		for pb.Next() {
			if path.Acquire(&ps, Ask{}) != nil {
				b.Error("refused")
			}
			ps.Success(time.Time{})
		}
	})
}
