package circuitbreaker_test

import (
	"slices"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

const million = 1_000_000 // fractions are integer millionths

// tally is what the measure stands at.
type tally struct {
	failed, total int // total counts in a window only
	kinds         map[circuitbreaker.Kind]int
}

func (m *machine) windowed() bool { return m.settings.Measure == circuitbreaker.Window }

func (m *machine) tally() tally {
	if !m.windowed() {
		return tally{failed: m.failures, kinds: m.kinds}
	}
	var t tally
	for _, b := range m.buckets {
		t.failed += b.failed
		t.total += b.total
		for k, n := range b.kinds {
			t.kinds = plus(t.kinds, k, n)
		}
	}
	return t
}

// plus adds to the count of a kind; the map is made when there is something to count.
func plus(kinds map[circuitbreaker.Kind]int, kind circuitbreaker.Kind, n int) map[circuitbreaker.Kind]int {
	if kinds == nil {
		kinds = map[circuitbreaker.Kind]int{}
	}
	kinds[kind] += n
	return kinds
}

// value is the number that listings and transitions show: failures, or the share of failed requests.
func (m *machine) value() float64 {
	t := m.tally()
	switch {
	case !m.windowed():
		return float64(t.failed)
	case t.total == 0 || t.total < m.settings.VolumeThreshold:
		return 0
	}
	return float64(t.failed) / float64(t.total)
}

// age takes away what time has taken: forgotten failures, old buckets. Only if it took something can it move the machine, and
// only between CLOSED and DEGRADED: with the successes of a window its share of failures rises (2.1), but what opens is a
// verdict (3), and changed settings act at the next verdict (6.3).
func (m *machine) age(now time.Duration) {
	if !m.fades(now) {
		return
	}
	switch {
	case m.state == circuitbreaker.Degraded && m.recovered():
		m.move(circuitbreaker.Closed, now, circuitbreaker.ReasonRecovered)
	case m.state == circuitbreaker.Closed && m.degrades():
		m.move(circuitbreaker.Degraded, now, circuitbreaker.ReasonDegraded)
	}
}

func (m *machine) fades(now time.Duration) bool {
	if m.windowed() {
		before := len(m.buckets)
		for len(m.buckets) > 0 && m.buckets[0].start+m.settings.Window <= now {
			m.buckets = m.buckets[1:]
		}
		return len(m.buckets) < before
	}
	if m.lastAt == never || now-m.lastAt <= m.settings.ForgetAfter {
		return false
	}
	had := m.failures > 0
	m.failures, m.kinds = 0, nil
	return had
}

// counted takes a verdict of a request that a CLOSED or DEGRADED breaker admitted.
func (m *machine) counted(t *ticket, now time.Duration, v verdict) int {
	m.age(now)
	failed := v.word == "failure"
	m.count(now, failed, v.kind)
	if !failed { // it was admitted after these began, and shows that they are not needed
		m.parked = slices.DeleteFunc(m.parked, func(p park) bool { return p.number <= t.parks })
	}
	if failed && m.kindOpens(v.kind) {
		reason := circuitbreaker.ReasonKindThreshold
		if m.settings.Kinds[v.kind].ImmediateOpen {
			reason = circuitbreaker.ReasonImmediateOpen
		}
		m.open(now, reason, v.kind, v.hint)
		return 0
	}
	if m.measureOpens() {
		m.open(now, circuitbreaker.ReasonThreshold, "", v.hint)
		return 0
	}
	switch {
	case m.state == circuitbreaker.Closed && m.degrades():
		m.move(circuitbreaker.Degraded, now, circuitbreaker.ReasonDegraded)
	case m.state == circuitbreaker.Degraded && m.recovered():
		m.move(circuitbreaker.Closed, now, circuitbreaker.ReasonRecovered)
	}
	if !failed {
		return 0
	}
	return m.park(now, v)
}

func (m *machine) count(now time.Duration, failed bool, kind circuitbreaker.Kind) {
	m.fades(now)
	if failed {
		m.lastAt, m.lastKind = now, kind
	}
	switch {
	case m.windowed():
		m.countInWindow(now, failed, kind)
	case failed:
		m.failures++
		m.kinds = plus(m.kinds, kind, 1)
	case m.settings.Measure == circuitbreaker.Consecutive:
		m.failures, m.kinds = 0, nil
	default: // decay
		m.failures = max(m.failures-1, 0)
		for k, n := range m.kinds {
			m.kinds[k] = max(n-1, 0)
		}
	}
}

func (m *machine) countInWindow(now time.Duration, failed bool, kind circuitbreaker.Kind) {
	if n := len(m.buckets); n == 0 || m.buckets[n-1].start+m.settings.Window/10 <= now {
		m.buckets = append(m.buckets, bucket{start: now})
	}
	b := &m.buckets[len(m.buckets)-1]
	b.total++
	if failed {
		b.failed++
		b.kinds = plus(b.kinds, kind, 1)
	}
}

// kindOpens tells whether a failure of this kind has reached the kind's own threshold.
func (m *machine) kindOpens(kind circuitbreaker.Kind) bool {
	row, ok := m.settings.Kinds[kind]
	if !ok {
		return false
	}
	threshold := row.Threshold
	if row.ImmediateOpen {
		threshold = max(threshold, 1)
	} else if !m.windowed() && m.settings.FailureThreshold == 0 {
		return false // a counting breaker that is off opens for immediate_open only
	}
	return threshold > 0 && m.tally().kinds[kind] >= threshold
}

func (m *machine) measureOpens() bool {
	t := m.tally()
	if !m.windowed() {
		return m.settings.FailureThreshold > 0 && t.failed >= m.settings.FailureThreshold
	}
	if m.settings.ErrorThreshold == 0 {
		return true
	}
	return m.holdsVolume(t) && t.failed*million >= int(m.settings.ErrorThreshold)*t.total
}

func (m *machine) holdsVolume(t tally) bool {
	return t.total > 0 && t.total >= m.settings.VolumeThreshold
}

func (m *machine) degrades() bool {
	t := m.tally()
	if m.windowed() {
		mark := int(m.settings.DegradedAt) * int(m.settings.ErrorThreshold) // of a million millions
		return m.settings.ErrorThreshold > 0 && m.holdsVolume(t) && t.failed*million*million >= mark*t.total
	}
	return m.settings.FailureThreshold > 0 && t.failed >= m.degradedMark()
}

func (m *machine) recovered() bool {
	t := m.tally()
	if m.windowed() {
		mark := int(m.settings.RecoversAt) * int(m.settings.ErrorThreshold)
		return !m.holdsVolume(t) || m.settings.ErrorThreshold == 0 || t.failed*million*million <= mark*t.total
	}
	return m.settings.FailureThreshold == 0 || t.failed <= int(m.settings.RecoversAt)*m.settings.FailureThreshold/million
}

// degradedMark is degraded_at of the failures that open, rounded up.
func (m *machine) degradedMark() int {
	return (int(m.settings.DegradedAt)*m.settings.FailureThreshold + million - 1) / million
}

// park begins or extends the cooldown after a failure that left the breaker CLOSED or DEGRADED; 0 if it did neither.
func (m *machine) park(now time.Duration, v verdict) int {
	length := m.settings.Cooldown
	if row, ok := m.settings.Kinds[v.kind]; ok && row.Park != nil && !m.windowed() {
		length = *row.Park
	}
	hinted := v.hint > 0
	if hinted {
		length = min(max(v.hint, length), m.settings.RetryAfterMax)
	}
	m.parked = slices.DeleteFunc(m.parked, func(p park) bool { return p.end <= now })
	if length <= 0 || m.parkedUntil(now, nil) >= now+length {
		return 0
	}
	m.parks++
	m.parked = append(m.parked, park{number: m.parks, end: now + length, length: length, hinted: hinted})
	return m.parks
}

// configure gives the machine new settings (6.3): no transition, no new state; a running deadline is clamped.
func (m *machine) configure(now time.Duration, s circuitbreaker.Settings) {
	if m.state != circuitbreaker.Degraded && m.seen(now).state == m.state { // else it would take a transition
		m.fades(now) // what was forgotten stays forgotten
	}
	before := m.settings
	m.settings = s
	if s.Measure != before.Measure || s.Measure == circuitbreaker.Window && s.Window != before.Window {
		m.failures, m.kinds, m.buckets = 0, nil, nil
	}
	m.clamp(now)
}

// clamp holds a deadline to at most one longest wait from now.
func (m *machine) clamp(now time.Duration) {
	if m.state == circuitbreaker.Open {
		m.deadline = min(m.deadline, now+m.longest())
	}
}

// longest is the longest wait that the settings can give: the longest back-off with its jitter, a hint's floor, or a park that was
// taken in.
func (m *machine) longest() time.Duration {
	base := m.base(m.why)
	wait := base * time.Duration(m.settings.MaxBackoffMultiplier)
	wait += wait / million * time.Duration(m.settings.Jitter)
	longest := max(wait, m.settings.RetryAfterMax, base, m.settings.Cooldown)
	for _, row := range m.settings.Kinds {
		if row.Park != nil && !m.windowed() {
			longest = max(longest, *row.Park)
		}
	}
	return longest
}

// reset clears everything (5).
func (m *machine) reset(now time.Duration, reason string) {
	m.isolation = nil
	m.move(circuitbreaker.Closed, now, reason)
	m.clear()
	m.lastAt, m.lastKind = never, ""
}

// blank tells that there is nothing to clear.
func (m *machine) blank() bool {
	t := m.tally()
	return m.state == circuitbreaker.Closed && t.failed == 0 && t.total == 0 && m.lastAt == never
}

// rekey is a reset, if there is anything to clear; an operator's hold is nothing that was learned.
func (m *machine) rekey(now time.Duration) {
	switch {
	case m.state == circuitbreaker.Isolated:
		m.clear()
		m.lastAt, m.lastKind = never, ""
	case m.seen(now).blank():
		m.begin()
	default:
		m.reset(now, circuitbreaker.ReasonKeyChanged)
	}
}

// leave is the end of a name: another may come with it, that knows nothing.
func (m *machine) leave() {
	m.clear()
	m.state, m.isolation, m.lastAt, m.lastKind, m.moves = circuitbreaker.Closed, nil, never, "", nil
}

func (m *machine) isolate(now time.Duration, by, reason string, at time.Time) {
	if m.state != circuitbreaker.Isolated {
		m.move(circuitbreaker.Isolated, now, circuitbreaker.ReasonIsolated)
	}
	m.isolation = &circuitbreaker.Isolation{By: by, Reason: reason, At: at}
	m.parked, m.deadline = nil, never
	m.begin()
}

// release lets one probe decide; it tells whether there was anything to release.
func (m *machine) release(now time.Duration) bool {
	if m.state != circuitbreaker.Isolated {
		return false
	}
	m.isolation = nil
	m.halfOpen(now, circuitbreaker.ReasonReleased)
	return true
}

// restart is what is left of the machine after its process: a probe died with it, a short park too, and all permits.
func (m *machine) restart(now, flushInterval time.Duration) {
	if m.state == circuitbreaker.HalfOpen {
		m.deadline = now
		m.move(circuitbreaker.Open, now, circuitbreaker.ReasonRestored)
	}
	if n := len(m.parked); n > 0 { // of the parks, only the end of the last is stored
		last := m.parked[n-1]
		m.parked = nil
		if last.length > flushInterval {
			m.parked = []park{last}
		}
	}
	m.begin()
	m.clamp(now)
}
