package circuitbreaker

import (
	"testing"
	"time"
)

// The figures of breaker.md section 8. Run with -cpu 1,2.

func benchSettings() Settings {
	s := DefaultSettings()
	s.Cooldown = 0
	return s
}

func BenchmarkQuietSuccess(b *testing.B) {
	for _, measure := range []Measure{Decay, Consecutive} {
		b.Run(string(measure), func(b *testing.B) {
			s := benchSettings()
			s.Measure = measure
			benchSuccess(b, New("target:a/m", s, Options{}), time.Time{})
		})
	}
}

func BenchmarkCountingSuccess(b *testing.B) {
	now := time.Now()
	b.Run("decay", func(b *testing.B) {
		s := benchSettings()
		s.FailureThreshold = 1_000_000
		br := New("target:a/m", s, Options{})
		var p Permit
		for range 500_000 {
			br.Acquire(&p, Ask{Now: now})
			p.Failure(now, "server_error", 0)
		}
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			var p Permit
			for pb.Next() {
				// A failure now and then keeps the measure from zero.
				br.Acquire(&p, Ask{Now: now})
				p.Success(now)
				if br.m.tally.failed < 1000 {
					break
				}
			}
		})
	})
	b.Run("window", func(b *testing.B) {
		s := benchSettings()
		s.Measure = Window
		benchSuccess(b, New("target:a/m", s, Options{}), now)
	})
}

func benchSuccess(b *testing.B, br *Breaker, now time.Time) {
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var p Permit
		for pb.Next() {
			if br.Acquire(&p, Ask{Now: now}) != nil {
				b.Error("refused")
			}
			p.Success(now)
		}
	})
}

func BenchmarkRefusal(b *testing.B) {
	s := benchSettings()
	s.FailureThreshold = 1
	br := New("target:a/m", s, Options{})
	now := time.Now()
	var p Permit
	br.Acquire(&p, Ask{Now: now})
	p.Failure(now, "server_error", 0)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var p Permit
		for pb.Next() {
			if br.Acquire(&p, Ask{Now: now}) == nil {
				b.Error("admitted")
			}
		}
	})
}

func BenchmarkGet(b *testing.B) {
	r := NewRegistry(Options{})
	r.Get("target:openai/gpt-4o-mini")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r.Get("target:openai/gpt-4o-mini")
		}
	})
}

func BenchmarkPath(b *testing.B) {
	r := NewRegistry(Options{})
	p := r.Path("provider:a", "key:a/k", "target:a/m")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var ps Permits
		for pb.Next() {
			if p.Acquire(&ps, Ask{}) != nil {
				b.Error("refused")
			}
			ps.Success(time.Time{})
		}
	})
}
