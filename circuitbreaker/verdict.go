package circuitbreaker

import "time"

// succeed settles a pass as success; false means that it was late. A pass of
// the current generation in OPEN can only be a forced one.
func (m *machine) succeed(t *turn, p pass) bool {
	if p.generation != m.generation {
		return false
	}
	switch m.state {
	case Closed, Degraded:
		m.succeedFlowing(t, p)
	case HalfOpen:
		if p.probe != 0 && !m.probes.settle(p.probe, t.now) {
			return false
		}
		m.evidence(t)
	case Open:
		m.probePeriod(t, ReasonForced, "")
		m.evidence(t)
	case Isolated:
	}
	return true
}

// succeedFlowing takes a success where requests flow.
func (m *machine) succeedFlowing(t *turn, p pass) {
	m.age(t)
	if m.tally.succeed(t.now) {
		t.moved, m.updatedAt = true, t.now
	}
	if m.parks.endBy(p.park) {
		t.moved, m.updatedAt = true, t.now
	}
	m.judge(t, "", 0)
}

// evidence takes a success that counts as a probe's. It does not touch the
// measure: that is for requests that flow.
func (m *machine) evidence(t *turn) {
	m.successes++
	t.moved, m.updatedAt = true, t.now
	if m.successes >= t.rules.HalfOpenSuccesses {
		m.begin(t, Closed, ReasonProbeSucceeded, "")
		m.forgive()
	}
}

// fail settles a pass as failure of a kind; hint is a Retry-After, 0 if there
// was none. It returns the number of the park that it began, 0 if it began
// none; false means that the pass was late.
func (m *machine) fail(t *turn, p pass, kind Kind, hint time.Duration) (park uint64, current bool) {
	if p.generation != m.generation {
		return 0, false
	}
	switch m.state {
	case Closed, Degraded:
		return m.failFlowing(t, p, kind, hint), true
	case HalfOpen:
		if p.probe == 0 {
			return 0, true // forced: only its success counts
		}
		if !m.probes.settle(p.probe, t.now) {
			return 0, false
		}
		m.count(t, kind)
		m.cycle++
		m.open(t, ReasonProbeFailed, kind, kind, hint)
	case Open, Isolated: // forced, or nobody's: moves neither deadline nor back-off
	}
	return 0, true
}

// failFlowing takes a failure where requests flow.
func (m *machine) failFlowing(t *turn, p pass, kind Kind, hint time.Duration) (park uint64) {
	m.age(t)
	n := m.count(t, kind)
	if reason, opens := t.rules.opensByKind(kind, n); opens {
		m.open(t, reason, kind, kind, hint)
		return 0
	}
	m.judge(t, kind, hint)
	if m.state == Open {
		return 0
	}
	return m.park(t, p, kind, hint)
}

// count takes a failure into the tally and returns how many of its kind there are.
func (m *machine) count(t *turn, kind Kind) int64 {
	m.tally.age(t.rules, t.now)
	n := m.tally.fail(kind, t.now)
	m.lastFailureKind, m.lastFailureAt = kind, t.now
	t.moved, m.updatedAt = true, t.now
	return n
}

// judge moves between CLOSED, DEGRADED and OPEN as the measure says after a verdict.
func (m *machine) judge(t *turn, kind Kind, hint time.Duration) {
	switch to := t.rules.judge(m.state, m.tally.failed, m.tally.total); to {
	case m.state:
	case Open:
		m.open(t, ReasonThreshold, kind, "", hint)
	case Degraded:
		m.move(t, Degraded, ReasonDegraded, kind)
	default:
		m.move(t, Closed, ReasonRecovered, "")
	}
}

// open begins OPEN. kind is the failure that did it, base the kind whose
// cooldown is the base of the wait. A park is taken in.
func (m *machine) open(t *turn, reason string, kind, base Kind, hint time.Duration) {
	m.begin(t, Open, reason, kind)
	m.kind = base
	m.openedAt = t.now
	m.retryAt = max(t.now.plus(t.rules.wait(base, m.cycle, hint, t.draw)), m.parks.end())
	m.parks.clear()
	t.latest().retryAt = m.retryAt
}

// probePeriod begins HALF_OPEN.
func (m *machine) probePeriod(t *turn, reason string, kind Kind) {
	m.begin(t, HalfOpen, reason, kind)
	m.retryAt = unset
}

// park begins the cooldown after a single failure and returns its number, 0 if
// none began.
func (m *machine) park(t *turn, p pass, kind Kind, hint time.Duration) uint64 {
	length, hinted := t.rules.park(kind, hint)
	if length <= 0 {
		return 0
	}
	next := newPark(t.seq.next(), t.now, t.now.plus(length), hinted)
	if !m.parks.begin(next, p.own) {
		return 0
	}
	return next.number
}

// noVerdict gives the slot of a probe back.
func (m *machine) noVerdict(t *turn, p pass) {
	if p.generation == m.generation && p.probe != 0 {
		m.probes.settle(p.probe, t.now)
	}
}

// progress says that a probe's target generates again.
func (m *machine) progress(t *turn, p pass) {
	if p.generation == m.generation && p.probe != 0 {
		m.probes.progress(p.probe, t.now)
	}
}
