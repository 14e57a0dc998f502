package circuitbreaker_test

import (
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// flushInterval of the model's registries: parks up to this long don't survive a restart.
const flushInterval = 250 * time.Millisecond

// one draws a member of a table.
func one[T any](src source, table ...T) T { return table[src.pick(len(table))] }

// drawSettings draws settings whose numbers are small, so that every state is near.
func drawSettings(src source) circuitbreaker.Settings {
	const ms = time.Millisecond
	s := circuitbreaker.Settings{
		Measure:              one(src, circuitbreaker.Decay, circuitbreaker.Consecutive, circuitbreaker.Window),
		FailureThreshold:     one(src, 5, 10, 6, 4, 3, 2, 1, 0),
		DegradedAt:           one[circuitbreaker.Fraction](src, 600_000, 500_001, 900_000, 1_000_000),
		RecoversAt:           one[circuitbreaker.Fraction](src, 300_000, 0, 100_000, 500_000),
		ForgetAfter:          one(src, 2000*ms, 400*ms, 10*time.Minute),
		ResetTimeout:         one(src, 300*ms, 1000*ms, 40*time.Second),
		MaxBackoffMultiplier: one(src, 16, 1, 2, 5),
		BackoffAfter:         one(src, 0, 1, 2),
		HalfOpenRequests:     one(src, 1, 2, 3),
		HalfOpenSuccesses:    one(src, 0, 1, 2, 3),
		ProbeTimeout:         one(src, 0, 500*ms, 50*time.Second),
		Cooldown:             one(src, 0, 0, 100*ms, 700*ms),
		RetryAfterMax:        one(src, 3000*ms, 400*ms),
		Enforce:              src.pick(8) != 7,
		Window:               one(src, 1000*ms, 2000*ms),
		ErrorThreshold:       one[circuitbreaker.Fraction](src, 500_000, 250_000, 1_000_000, 0, 333_333),
		VolumeThreshold:      one(src, 3, 0, 1, 5),
		Kinds:                map[circuitbreaker.Kind]circuitbreaker.KindSettings{},
	}
	for _, kind := range worldKinds[1:] {
		if src.pick(2) == 0 {
			continue
		}
		s.Kinds[kind] = circuitbreaker.KindSettings{
			Threshold:     one(src, 0, 1, 2, 3),
			ImmediateOpen: src.pick(3) == 2,
			Cooldown:      one(src, nil, new(200*ms), new(1500*ms)),
			Park:          one(src, nil, new(0*ms), new(350*ms), new(5000*ms)),
		}
	}
	return s
}

// drawVerdict draws how a permit is settled.
func drawVerdict(src source, word string) verdict {
	v := verdict{word: word}
	if word == "failure" {
		v.kind = one(src, worldKinds...)
		v.charged = one(src, circuitbreaker.ScopeTarget, circuitbreaker.ScopeProvider, circuitbreaker.ScopeTarget,
			circuitbreaker.ScopeKey, circuitbreaker.ScopeNone)
		v.hint = one(src, 0, 0, 0, 150*time.Millisecond, 900*time.Millisecond, 5*time.Second, 10*time.Minute, -time.Second)
	}
	return v
}

// drawTime draws how far the clock goes: by a little, or to just before, at, or just after an instant at which time itself
// changes an answer.
func (w *world) drawTime() time.Duration {
	const ms = time.Millisecond
	near := one(w.src, -1, 0*ms, ms, 20*ms, 100*ms, 450*ms, -1, 31*time.Second, 11*time.Minute)
	if near >= 0 {
		return near
	}
	instants := w.instants()
	if len(instants) == 0 {
		return 50 * ms
	}
	to := one(w.src, instants...) + one(w.src, 0*ms, ms, -ms)
	return max(to-w.now, 0)
}

// instants are the times ahead at which an answer of some machine changes by time alone.
func (w *world) instants() []time.Duration {
	var all []time.Duration
	ahead := func(at time.Duration) {
		if at > w.now {
			all = append(all, at)
		}
	}
	for _, name := range w.names {
		m := w.machines[name]
		ahead(m.deadline)
		for _, p := range m.parked {
			ahead(p.end)
		}
		if m.failures > 0 && (m.state == circuitbreaker.Closed || m.state == circuitbreaker.Degraded) {
			ahead(m.lastAt + m.settings.ForgetAfter)
		}
		for _, t := range m.probes {
			ahead(t.leaseEnd)
		}
		for _, b := range m.buckets {
			ahead(b.start + m.settings.Window)
		}
	}
	return all
}
