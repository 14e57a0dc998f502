package circuitbreaker

import (
	"math"
	"sync/atomic"
	"time"
)

// moment is a time in nanoseconds since the registry's clock began, on the
// monotonic clock. Moments before that are negative.
type moment int64

const (
	unset moment = math.MinInt64 // no such time
	never moment = math.MaxInt64 // later than every time
)

// plus saturates short of never, so that no wait is long enough to wrap around.
func (m moment) plus(d time.Duration) moment {
	if d > 0 && m >= never-moment(d) {
		return never - 1
	}
	return m + moment(d)
}

// since saturates at the longest Duration.
func (m moment) since(earlier moment) time.Duration {
	d := m - earlier
	if m > earlier && d < 0 {
		return math.MaxInt64
	}
	return time.Duration(d)
}

// clock turns times into moments and back. Decisions use moments; wall time is
// for people and for rows.
type clock struct {
	now  func() time.Time
	zero time.Time
	// wall is zero as the wall clock would show it now: the wall clock is set
	// and a machine sleeps while the monotonic clock stands still.
	wall atomic.Pointer[time.Time]
}

// maxDrift is by how much wall and monotonic clock may differ before times
// shown to people follow the wall clock. Below it they stand still, so that a
// deadline reads the same each time.
const maxDrift = 500 * time.Millisecond

func newClock(now func() time.Time) *clock {
	c := &clock{now: now, zero: now()}
	c.wall.Store(&c.zero)
	return c
}

// moment reads the clock if t is the zero time.
func (c *clock) moment(t time.Time) moment {
	if t.IsZero() {
		t = c.now()
	}
	return moment(t.Sub(c.zero))
}

// time is the wall time of m, with a monotonic reading if the clock has one;
// the zero time for unset and never.
func (c *clock) time(m moment) time.Time {
	if m == unset || m == never {
		return time.Time{}
	}
	return c.wall.Load().Add(time.Duration(m))
}

// fromWall is the moment of a wall time that was stored; unset for the zero time.
func (c *clock) fromWall(t time.Time) moment {
	if t.IsZero() {
		return unset
	}
	return moment(t.Sub(c.wall.Load().Round(0)))
}

// observe lets times shown follow a wall clock that was set.
func (c *clock) observe(t time.Time) {
	zero := t.Add(-t.Sub(c.zero))
	drift := zero.Round(0).Sub(c.wall.Load().Round(0))
	if drift > maxDrift || drift < -maxDrift {
		moved := zero // so that only this case allocates
		c.wall.Store(&moved)
	}
}

// sequence numbers generations, versions, parks and transitions of a registry.
// Its first number is 1. Spec: breaker.md 6.7.
type sequence struct{ last atomic.Uint64 }

func (s *sequence) next() uint64 { return s.last.Add(1) }

// seed makes every later number higher than n.
func (s *sequence) seed(n uint64) {
	for {
		last := s.last.Load()
		if last >= n || s.last.CompareAndSwap(last, n) {
			return
		}
	}
}
