package circuitbreaker

// reset clears everything learned, isolation included. Spec: breaker.md 5.
func (m *machine) reset(t *turn, reason string) {
	m.begin(t, Closed, reason, "")
	m.wipe()
	m.reason = reason
}

// renew clears everything learned under another key's secret. An operator's
// hold is not learned: it stays.
func (m *machine) renew(t *turn) {
	if m.state != Isolated {
		m.reset(t, ReasonKeyChanged)
		return
	}
	m.forgive()
	m.lastFailureKind, m.lastFailureAt = "", unset
	t.moved, m.updatedAt = true, t.now
}

// isolate holds the breaker, from any state; counts and cycle stay. Of one
// that is held already it only notes by whom and why.
func (m *machine) isolate(t *turn, by Isolation) {
	m.isolation = &by
	t.moved = true
	if m.state == Isolated {
		m.updatedAt = t.now
		return
	}
	m.begin(t, Isolated, ReasonIsolated, "")
	m.parks.clear()
	m.openedAt, m.retryAt = unset, unset
}

// release lets one probe decide.
func (m *machine) release(t *turn) {
	m.probePeriod(t, ReasonReleased, "")
	m.isolation = nil
}

// adapt fits a machine to changed rules, or a restored one to the rules in
// force. It makes no transition: thresholds act at the next verdict. Spec:
// breaker.md 6.3, 4.5.
func (m *machine) adapt(t *turn) {
	if m.tally.fit(t.rules) {
		t.moved = true
	}
	if latest := t.now.plus(t.rules.longestWait(m.kind)); m.state == Open && m.retryAt > latest {
		m.retryAt = latest
		t.moved = true
	}
}
