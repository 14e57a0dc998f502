package circuitbreaker_test

import (
	"maps"
	"slices"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// machine is the reference: one breaker as breaker.md tells it, slow and obvious. It knows no locks, no atomics, no clock and
// nothing of the package's inside; time is a distance from the start of the test, and whatever it remembers is a plain value.
type machine struct {
	name     string
	settings circuitbreaker.Settings

	state      circuitbreaker.State
	generation int
	failures   int                         // consecutive and decay
	kinds      map[circuitbreaker.Kind]int // consecutive and decay
	lastAt     time.Duration               // of the last failure counted, never if none
	lastKind   circuitbreaker.Kind
	buckets    []bucket // window

	cycle    int                 // failed recoveries since it last closed
	why      circuitbreaker.Kind // the kind that is the reason of the trip, "" if it was the count
	deadline time.Duration       // OPEN: when it may be tried again

	parks  int    // parks that have begun so far: the number of the last one
	parked []park // those that hold, each later one ending later (4, cooldown 1)

	probes    []*ticket // unsettled probes of this generation, in order of admission
	succeeded int       // probes of this generation that ended well

	isolation *circuitbreaker.Isolation
	moves     []move
}

const never = time.Duration(-1)

// bucket is a tenth of a rolling window.
type bucket struct {
	start         time.Duration
	total, failed int
	kinds         map[circuitbreaker.Kind]int
}

// park is the short refusal after a failure that did not open the breaker.
type park struct {
	number int
	end    time.Duration
	length time.Duration
	hinted bool // a Retry-After hint set it
}

// ticket is the model's permit.
type ticket struct {
	of         *machine
	generation int
	parks      int // the last park that had begun at admission
	probe      bool
	forced     bool
	late       bool // admitted by a breaker that only observes: never has an effect
	leaseEnd   time.Duration
	progressed bool
	settled    bool
}

// refusal is what an *OpenError says.
type refusal struct {
	machine *machine
	reason  circuitbreaker.Reason
	state   circuitbreaker.State
	retryAt time.Duration // never: none
	ignored []int         // the parks that the caller ignored
}

// move is one transition.
type move struct {
	from, to circuitbreaker.State
	reason   string
	enforce  bool
	kind     circuitbreaker.Kind // the kind that is the reason of a move to OPEN, "" elsewhere
	at       time.Duration
	wait     time.Duration // of a move to OPEN, 0 elsewhere
	measure  float64       // what the measure stood at
}

// verdict is how a ticket is settled.
type verdict struct {
	word    string               // "success", "failure", "none"
	charged circuitbreaker.Scope // of a path, whose failure it is
	kind    circuitbreaker.Kind
	hint    time.Duration
}

func newMachine(name string, s circuitbreaker.Settings) *machine {
	return &machine{name: name, settings: s, lastAt: never, deadline: never}
}

func (m *machine) clone() *machine {
	c := *m
	c.kinds = maps.Clone(m.kinds)
	c.buckets = nil
	for _, b := range m.buckets {
		b.kinds = maps.Clone(b.kinds)
		c.buckets = append(c.buckets, b)
	}
	c.probes, c.parked = slices.Clone(m.probes), slices.Clone(m.parked)
	c.moves = slices.Clip(m.moves)
	return &c
}

// seen is the machine as a look at now finds it; the machine itself stays what it is (2.1).
func (m *machine) seen(now time.Duration) *machine {
	c := m.clone()
	c.age(now)
	return c
}

func (m *machine) move(to circuitbreaker.State, now time.Duration, reason string) {
	left := m.clone()
	left.fades(now)
	mv := move{from: m.state, to: to, reason: reason, enforce: m.settings.Enforce, at: now, measure: left.value()}
	if to == circuitbreaker.Open {
		mv.wait = m.deadline - now
		if reason != circuitbreaker.ReasonRestored {
			mv.kind = m.why
		}
	}
	m.state = to
	m.moves = append(m.moves, mv)
}

// ask is Acquire of one breaker. A refusal changes nothing, as on a path.
func (m *machine) ask(now, lease time.Duration, ignore []int) (*ticket, *refusal) {
	if r := m.seen(now).refuses(now, ignore); r != nil {
		r.machine = m
		if m.settings.Enforce || m.state == circuitbreaker.Isolated {
			return nil, r
		}
		return &ticket{of: m, late: true}, nil
	}
	m.age(now)
	return m.admit(now, lease), nil
}

// force is AcquireForced of one breaker.
func (m *machine) force(now, lease time.Duration, ignore []int) (*ticket, *refusal) {
	t, r := m.ask(now, lease, ignore)
	if r == nil || m.state == circuitbreaker.Isolated {
		return t, r
	}
	m.age(now)
	return &ticket{of: m, generation: m.generation, parks: m.parks, forced: true}, nil
}

// peek is what ask would answer, and changes nothing.
func (m *machine) peek(now time.Duration, ignore []int) *refusal {
	c := m.seen(now)
	r := c.refuses(now, ignore)
	if r != nil && !m.settings.Enforce && m.state != circuitbreaker.Isolated {
		return nil
	}
	if r != nil {
		r.machine = m
	}
	return r
}

func (m *machine) refuses(now time.Duration, ignore []int) *refusal {
	no := func(reason circuitbreaker.Reason, at time.Duration) *refusal {
		return &refusal{machine: m, reason: reason, state: m.state, retryAt: at, ignored: ignore}
	}
	switch m.state {
	case circuitbreaker.Isolated:
		return no("isolated", never)
	case circuitbreaker.Open:
		if now < m.deadline {
			return no("open", m.deadline)
		}
	case circuitbreaker.HalfOpen:
		holders, unsettled := m.underWay(now)
		if len(holders) >= m.settings.HalfOpenRequests || unsettled >= 8*m.settings.HalfOpenRequests {
			at := now + time.Second
			if len(holders) > 0 {
				at = max(at, holders[0].leaseEnd)
			}
			return no("probing", at)
		}
	default:
		if end := m.parkedUntil(now, ignore); end != never {
			return no("cooldown", end)
		}
	}
	return nil
}

// underWay gives the probes that hold a slot at now, oldest first, and how many are unsettled (those that progressed included,
// those whose lease has ended not: they are lost).
func (m *machine) underWay(now time.Duration) (holders []*ticket, unsettled int) {
	for _, t := range m.probes {
		switch {
		case t.progressed:
			unsettled++
		case now < t.leaseEnd:
			unsettled++
			holders = append(holders, t)
		}
	}
	return holders, unsettled
}

// parkedUntil is the end of the last park that holds at now and is not ignored, never if none does.
func (m *machine) parkedUntil(now time.Duration, ignore []int) time.Duration {
	end := never
	for _, p := range m.parked {
		if now < p.end && !slices.Contains(ignore, p.number) {
			end = p.end
		}
	}
	return end
}

func (m *machine) admit(now, lease time.Duration) *ticket {
	if m.state == circuitbreaker.Open {
		m.halfOpen(now, circuitbreaker.ReasonProbe)
	}
	t := &ticket{of: m, generation: m.generation, parks: m.parks}
	if m.state == circuitbreaker.HalfOpen {
		t.probe = true
		t.leaseEnd = now + m.lease(lease)
		m.probes = append(m.probes, t)
	}
	return t
}

// lease is the longest of the wait's base, 30 s and the attempt's own limit (2.4).
func (m *machine) lease(attempt time.Duration) time.Duration {
	if m.settings.ProbeTimeout > 0 {
		return m.settings.ProbeTimeout
	}
	return max(m.base(m.why), 30*time.Second, attempt)
}

// progress is the first meaningful event of a stream (2.5).
func (t *ticket) progress(now time.Duration) {
	if t.settled || t.late || t.generation != t.of.generation || !t.probe || now >= t.leaseEnd {
		return
	}
	t.progressed = true
}

// settle is the verdict; it answers with the number of the park that it began, 0 if none.
func (t *ticket) settle(now time.Duration, v verdict) int {
	if t.settled {
		return 0
	}
	t.settled = true
	m := t.of
	if t.late || t.generation != m.generation {
		return 0
	}
	if i := slices.Index(m.probes, t); i >= 0 {
		m.probes = slices.Delete(slices.Clone(m.probes), i, i+1)
	}
	lost := t.probe && !t.progressed && now >= t.leaseEnd
	if lost || v.word == "none" {
		return 0
	}
	switch m.state {
	case circuitbreaker.HalfOpen:
		m.probed(t, now, v)
	case circuitbreaker.Open: // only a forced permit has the generation of an OPEN breaker
		if v.word == "success" {
			m.halfOpen(now, circuitbreaker.ReasonForced)
			m.probeSucceeded(now)
		}
	default:
		return m.counted(t, now, v)
	}
	return 0
}

func (m *machine) probed(t *ticket, now time.Duration, v verdict) {
	switch {
	case v.word == "success":
		m.probeSucceeded(now)
	case !t.forced:
		m.count(now, true, v.kind)
		m.cycle++
		m.open(now, circuitbreaker.ReasonProbeFailed, v.kind, v.hint)
	}
}

func (m *machine) probeSucceeded(now time.Duration) {
	m.succeeded++
	needed := m.settings.HalfOpenSuccesses
	if needed == 0 {
		needed = m.settings.HalfOpenRequests
	}
	if m.succeeded >= needed {
		m.move(circuitbreaker.Closed, now, circuitbreaker.ReasonProbeSucceeded)
		m.clear()
	}
}

func (m *machine) halfOpen(now time.Duration, reason string) {
	m.move(circuitbreaker.HalfOpen, now, reason)
	m.begin()
	m.deadline = never
}

// open trips the breaker. Why is the kind that is the reason; "" is the count.
func (m *machine) open(now time.Duration, reason string, why circuitbreaker.Kind, hint time.Duration) {
	m.why = why
	wait := m.wait(hint)
	m.deadline = max(now+wait, m.parkedUntil(now, nil))
	m.parked = nil
	m.move(circuitbreaker.Open, now, reason)
	m.begin()
}

// begin starts a generation: whatever was admitted before is late from here on (2.2).
func (m *machine) begin() {
	m.generation++
	m.probes = nil
	m.succeeded = 0
}

// clear is what closing clears, and a reset.
func (m *machine) clear() {
	m.begin()
	m.failures, m.kinds, m.buckets = 0, nil, nil
	m.cycle, m.why, m.deadline, m.parked = 0, "", never, nil
}

// base is what a wait is reckoned from: the cooldown of the kind that is the reason, else the reset timeout.
func (m *machine) base(why circuitbreaker.Kind) time.Duration {
	if row, ok := m.settings.Kinds[why]; ok && row.Cooldown != nil {
		return *row.Cooldown
	}
	return m.settings.ResetTimeout
}

// wait doubles with each failed recovery, up to the longest back-off; a hint is its floor.
func (m *machine) wait(hint time.Duration) time.Duration {
	base := m.base(m.why)
	wait, longest := base, base*time.Duration(m.settings.MaxBackoffMultiplier)
	for range m.cycle - m.settings.BackoffAfter {
		wait = min(2*wait, longest)
	}
	wait = min(wait, longest)
	return max(wait, min(hint, max(m.settings.RetryAfterMax, base)))
}
