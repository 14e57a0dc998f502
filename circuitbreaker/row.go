package circuitbreaker

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// row is what has to be stored for a slot at now; false if nothing has.
func (s *slot) row(r *Registry, now moment) (Snapshot, bool) {
	if s == nil {
		return Snapshot{}, false
	}
	b := s.breaker.Load()
	if b == nil {
		return Snapshot{}, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.owed = false
	b.m.fade(b.rules.Load(), now)
	if b.m.blank() {
		return Snapshot{}, false
	}
	if b.unversioned {
		b.version, b.unversioned = r.seq.next(), false
	}
	return b.snapshot(r.options.FlushInterval), true
}

// snapshot captures state and deadline together, under one version; parks only
// if they are longer than longPark. With mu held.
func (b *Breaker) snapshot(longPark time.Duration) Snapshot {
	m, c := &b.m, b.reg.clock
	s := Snapshot{
		Name: b.name, Version: b.version, State: m.state, Reason: m.reason, Kind: m.kind,
		Measure: m.tally.measure, LastFailureKind: m.lastFailureKind, LastFailureAt: c.time(m.lastFailureAt),
		OpenedAt: c.time(m.openedAt), RetryAt: c.time(m.retryAt), Cycle: m.cycle, Successes: m.successes,
		Isolated: m.isolation, Fingerprint: b.fingerprint, UpdatedAt: c.time(m.updatedAt),
	}
	if w := m.tally.window; w != nil {
		s.Window = w.length
		for i := range w.n {
			k := w.at(i)
			s.Buckets = append(s.Buckets, Bucket{Start: c.time(k.start), Total: int(k.total), Failed: int(k.failed), Kinds: k.kinds.addTo(nil)})
		}
	} else {
		s.Failures, s.Kinds = int(m.tally.failed), m.tally.kinds.addTo(nil)
	}
	if until, hinted, long := m.parks.longer(longPark); long {
		s.ParkedUntil, s.ParkHinted = c.time(until), hinted
	}
	return s
}

// check says what is wrong with a snapshot that a store returned.
func (s *Snapshot) check() error {
	switch {
	case s.Name == "":
		return errors.New("no name")
	case int(s.State) >= len(stateNames):
		return fmt.Errorf("no state %d", s.State)
	case s.State == Open && s.RetryAt.IsZero():
		return errors.New("OPEN without a deadline")
	case s.Failures < 0 || s.Cycle < 0 || s.Window < 0:
		return errors.New("a negative count")
	}
	for _, b := range s.Buckets {
		if b.Failed < 0 || b.Total < b.Failed {
			return errors.New("a bucket with more failures than requests")
		}
	}
	return nil
}

// machine is the machine of a snapshot, as it was, but for times that lie
// ahead of a clock that was set back.
func (s *Snapshot) machine(c *clock, now moment, number func() uint64) machine {
	past := func(t time.Time) moment { return min(c.fromWall(t), now) }
	m := machine{
		state: s.State, generation: number(), reason: s.Reason, kind: s.Kind,
		cycle: s.Cycle, successes: s.Successes, isolation: s.Isolated,
		openedAt: past(s.OpenedAt), retryAt: c.fromWall(s.RetryAt),
		lastFailureKind: s.LastFailureKind, lastFailureAt: past(s.LastFailureAt), updatedAt: past(s.UpdatedAt),
		tally: tally{measure: s.Measure, lastFailure: past(s.LastFailureAt)},
	}
	if s.State == Isolated && s.Isolated == nil {
		m.isolation = &Isolation{}
	}
	if until := c.fromWall(s.ParkedUntil); until > now {
		// With a clock set back, no longer than it had left when it was stored.
		until = min(until, now.plus(until.since(c.fromWall(s.UpdatedAt))))
		// It was long when it began, which is not stored.
		m.parks.begin(newPark(number(), unset, until, s.ParkHinted), 0)
	}
	if s.Measure == Window {
		m.tally.window = newRolling(s.Window)
		for _, b := range s.Buckets[max(len(s.Buckets)-windowBuckets, 0):] {
			m.tally.load(past(b.Start), b)
		}
		return m
	}
	m.tally.failed = int64(s.Failures)
	m.tally.kinds.load(s.Kinds)
	return m
}

// load adds a stored bucket, newer than those before.
func (c *tally) load(start moment, b Bucket) {
	k := c.window.push(start)
	k.total, k.failed = int64(b.Total), int64(b.Failed)
	k.kinds.load(b.Kinds)
	c.failed, c.total = c.failed+k.failed, c.total+k.total
	for _, entry := range k.kinds {
		c.kinds.add(entry.kind, entry.n)
	}
}

func (c *kindCounts) load(m map[Kind]int) {
	for _, kind := range slices.Sorted(maps.Keys(m)) {
		c.add(kind, int64(m[kind]))
	}
}
