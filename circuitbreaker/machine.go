package circuitbreaker

// machine is what one breaker has learned, and moves by the inputs below: pure
// functions of (machine, rules, time, random draw), without clock, lock or
// I/O. Time moves it only when somebody asks. The shell around it is Breaker.
type machine struct {
	state State
	// generation numbers the period in which a permit was given out: a verdict
	// of an earlier one changes nothing. CLOSED and DEGRADED are one period;
	// opening, each probe period, closing, reset and isolation begin another.
	generation uint64
	reason     string // of the last transition
	kind       Kind   // the reason of the wait, "" if no kind is
	tally      tally
	parks      parks
	probes     probes
	successes  int    // probes of this period that ended well
	openedAt   moment // unset unless OPEN, or HALF_OPEN after it
	retryAt    moment // the deadline of OPEN, else unset
	cycle      int    // failed recoveries since it last closed
	isolation  *Isolation

	lastFailureKind Kind
	lastFailureAt   moment
	updatedAt       moment
}

// newMachine is CLOSED with nothing learned.
func newMachine(r *rules, generation uint64, now moment) machine {
	m := machine{generation: generation, updatedAt: now}
	m.wipe()
	m.tally.fit(r)
	return m
}

// wipe clears what was learned, and isolation; it makes no transition.
func (m *machine) wipe() {
	m.state, m.isolation = Closed, nil
	m.forgive()
	m.reason = ""
	m.lastFailureKind, m.lastFailureAt = "", unset
}

// forgive clears every count, kind count, bucket, cycle, deadline and park.
func (m *machine) forgive() {
	m.tally.clear()
	m.parks.clear()
	m.probes.clear()
	m.kind, m.successes, m.cycle = "", 0, 0
	m.openedAt, m.retryAt = unset, unset
}

// quiet says that a success would change nothing: CLOSED, nothing counted,
// nothing parked. Window is never quiet, it counts successes.
func (m *machine) quiet() bool {
	return m.flowing() && m.tally.failed == 0 && m.tally.window == nil
}

// flowing says that whoever asks is admitted, and that asking changes nothing,
// whenever that is.
func (m *machine) flowing() bool {
	return m.state == Closed && m.parks.none() && !m.tally.rises()
}

// steady says that whoever asks at now is admitted, and that asking changes
// nothing: flowing, or DEGRADED alike with nothing for time to take.
func (m *machine) steady(r *rules, now moment) bool {
	return (m.state == Closed || m.state == Degraded) && m.parks.none() && !m.tally.aged(r, now)
}

// blank says that nothing was learned, so that there is nothing to store.
func (m *machine) blank() bool {
	return m.state == Closed && m.tally.zero() && m.parks.none() && m.lastFailureAt == unset
}

// turn is one input's way through a machine: what it brings, and the
// transitions that it caused.
type turn struct {
	rules *rules
	seq   *sequence
	now   moment
	draw  float64 // in [0,1), for the jitter

	changes []change // nil as a rule; two at most
	moved   bool     // something that is stored changed
}

// change is a transition as the machine makes it.
type change struct {
	from, to State
	reason   string
	kind     Kind
	measure  float64
	retryAt  moment
	seq      uint64
}

// latest is the transition made last; there must be one.
func (t *turn) latest() *change { return &t.changes[len(t.changes)-1] }

// pass is what a permit knows of the machine that gave it out.
type pass struct {
	generation uint64 // 0: settles as late whatever happens
	park       uint64 // the latest park begun before
	own        uint64 // the latest park that held then, if the request ignored it; else 0
	probe      uint64 // the probe's id, 0 for an ordinary or forced permit
}

// refusal is why and until when a machine refuses; the zero value admits.
type refusal struct {
	reason Reason
	until  moment
	hinted bool
}

func (f refusal) admits() bool { return f.reason == "" }

// refuse is what admit would answer at now. It changes nothing.
func (m *machine) refuse(r *rules, now moment, ignore []uint64) refusal {
	switch m.state {
	case Isolated:
		return refusal{reason: ReasonHeld, until: never}
	case Open:
		if now < m.retryAt {
			return refusal{reason: ReasonOpen, until: m.retryAt}
		}
	case HalfOpen:
		if !m.probes.room(r.HalfOpenRequests, now) {
			return refusal{reason: ReasonProbing, until: max(m.probes.oldestEnd(now), now)}
		}
	case Closed, Degraded:
		if until, hinted := m.parks.holding(now, ignore); until > now {
			return refusal{reason: ReasonCooldown, until: until, hinted: hinted}
		}
	}
	return refusal{}
}

// admit gives a pass to a request that refuse does not refuse.
func (m *machine) admit(t *turn, a Ask) pass {
	m.age(t)
	switch m.state {
	case Open:
		m.probePeriod(t, ReasonProbe, "")
		fallthrough
	case HalfOpen:
		leaseEnd := t.now.plus(t.rules.lease(m.kind, a.Lease))
		return pass{generation: m.generation, probe: m.probes.add(t.now, leaseEnd)}
	default:
		return m.flow(t, a)
	}
}

// force gives a pass to a request that refuse refuses: no slot, and the
// generation of the moment. Spec: breaker.md 4, "Forced requests".
func (m *machine) force(t *turn, a Ask) pass {
	m.age(t)
	return m.flow(t, a)
}

// flow is a pass that is no probe's.
func (m *machine) flow(t *turn, a Ask) pass {
	return pass{generation: m.generation, park: m.parks.last, own: m.parks.claim(t.now, a.IgnoreParks)}
}

// age drops what time has taken from the measure, and makes the transitions
// that time makes: DEGRADED becomes CLOSED, and CLOSED becomes DEGRADED where
// the share of failures has risen because successes left the window. Time alone
// never opens.
func (m *machine) age(t *turn) {
	if !m.tally.age(t.rules, t.now) {
		return
	}
	t.moved = true
	switch to := m.drift(t.rules, m.tally.failed, m.tally.total); to {
	case m.state:
	case Degraded:
		m.move(t, Degraded, ReasonDegraded, "")
	default:
		m.move(t, Closed, ReasonRecovered, "")
	}
}

// fade is age where that makes no transition; it leaves DEGRADED as it is. It
// says whether anything was forgotten.
func (m *machine) fade(r *rules, now moment) bool {
	state, _, _ := m.shown(r, now)
	return m.state != Degraded && state == m.state && m.tally.age(r, now)
}

// shown is the state and the counts that hold at now. It changes nothing.
func (m *machine) shown(r *rules, now moment) (s State, failed, total int64) {
	failed, total = m.tally.at(r, now)
	if failed == m.tally.failed && total == m.tally.total {
		return m.state, failed, total
	}
	return m.drift(r, failed, total), failed, total
}

// drift is the state after time has left failed and total of the measure.
func (m *machine) drift(r *rules, failed, total int64) State {
	if m.state != Closed && m.state != Degraded {
		return m.state
	}
	return r.drift(m.state, failed, total)
}

// move makes a transition: it says what from, what to and why, before its
// caller clears anything.
func (m *machine) move(t *turn, to State, reason string, kind Kind) {
	failed, total := m.tally.at(t.rules, t.now)
	t.changes = append(t.changes, change{
		from: m.state, to: to, reason: reason, kind: kind, retryAt: unset, seq: t.seq.next(),
		measure: t.rules.value(failed, total),
	})
	t.moved = true
	m.state, m.reason, m.updatedAt = to, reason, t.now
}

// begin is move into another generation.
func (m *machine) begin(t *turn, to State, reason string, kind Kind) {
	m.move(t, to, reason, kind)
	m.generation = t.latest().seq
	m.probes.clear()
	m.successes = 0
}
