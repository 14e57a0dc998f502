package circuitbreaker_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// failures trips a lone breaker and fails its probes until it has failed to recover this many times; it answers with the wait
// of the last trip. The model's machine goes the same way without jitter.
func failures(t *rapid.T, s circuitbreaker.Settings, recoveries int, hint time.Duration, random func() float64) (wait time.Duration, m *machine) {
	now := time.Duration(0)
	m = newMachine(modelA, s)
	b := circuitbreaker.New(modelA, s, circuitbreaker.Options{Now: func() time.Time { return epoch.Add(now) }, Rand: random})
	for range recoveries + 1 {
		for st := circuitbreaker.Closed; st != circuitbreaker.Open; st = b.Status(epoch.Add(now)).State {
			var p circuitbreaker.Permit
			if r := b.Acquire(&p, circuitbreaker.Ask{Now: epoch.Add(now)}); r != nil {
				t.Fatalf("refused at %v: %v", now, r)
			}
			p.Failure(epoch.Add(now), "server_error", hint)
			ticket, _ := m.ask(now, 0, nil)
			ticket.settle(now, verdict{word: "failure", kind: "server_error", hint: hint})
		}
		wait = b.Status(epoch.Add(now)).RetryAt.Sub(epoch.Add(now))
		now += wait
	}
	return wait, m
}

func waitSettings(t *rapid.T) circuitbreaker.Settings {
	s := smallSettings()
	s.FailureThreshold = 1
	s.ResetTimeout = time.Duration(rapid.IntRange(1, 100_000).Draw(t, "base")) * time.Millisecond
	s.MaxBackoffMultiplier = rapid.IntRange(1, 100).Draw(t, "multiplier")
	s.BackoffAfter = rapid.IntRange(0, 3).Draw(t, "backoff after")
	return s
}

func TestJitterOnlyLengthensAWaitAndByItsShareAtMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := waitSettings(t)
		s.Jitter = circuitbreaker.Fraction(rapid.IntRange(0, million).Draw(t, "jitter"))
		random := float64(rapid.IntRange(0, million-1).Draw(t, "random")) / million
		hint := time.Duration(rapid.IntRange(0, 400).Draw(t, "hint")) * time.Second
		wait, m := failures(t, s, rapid.IntRange(0, 12).Draw(t, "recoveries"), hint, func() float64 { return random })

		floor, plain := m.wait(hint), m.wait(0)
		if most := floor + time.Duration(float64(floor)*s.Jitter.Float64()) + 1; wait < floor || wait > most {
			t.Fatalf("wait %v, want %v to %v", wait, floor, most)
		}
		if drawn := time.Duration(float64(plain) * s.Jitter.Float64() * random); hint == 0 && (wait-plain-drawn).Abs() > time.Microsecond {
			t.Fatalf("wait %v, want %v and %v of jitter", wait, plain, drawn)
		}
	})
}

func TestAfter200FailedProbesTheWaitIsStillTheMaximum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := waitSettings(t)
		wait, _ := failures(t, s, 200, 0, nil)
		if longest := s.ResetTimeout * time.Duration(s.MaxBackoffMultiplier); wait != longest {
			t.Fatalf("wait %v, want %v", wait, longest)
		}
	})
}

func TestAClockSetBackDoesNotLockATargetOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := waitSettings(t)
		w := &world{t: t, src: draws{t}, names: []string{modelA}, machines: map[string]*machine{modelA: newMachine(modelA, s)}}
		w.now = 1000 * time.Hour
		w.begin()
		var p circuitbreaker.Permit
		_ = w.registry.Get(modelA).Acquire(&p, circuitbreaker.Ask{})
		p.Failure(w.clock(), "server_error", 0)
		if err := w.registry.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.now -= time.Duration(rapid.IntRange(1, 900).Draw(t, "set back")) * time.Hour
		w.boot()
		st, _ := w.registry.Status(modelA, w.clock())
		if left, longest := st.RetryAt.Sub(w.clock()), w.machines[modelA].longest(); st.State != circuitbreaker.Open || left > longest {
			t.Fatalf("%s for %v more, want OPEN for at most %v", st.State, left, longest)
		}
	})
}
