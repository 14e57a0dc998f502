package combo

import (
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// charge says which breaker a failure was charged to.
type charge struct {
	scope circuitbreaker.Scope
	leg   *leg
	key   string
}

// covers tells whether an attempt on the lane would use the charged breaker.
func (c *charge) covers(l *leg, key string) bool {
	switch c.scope {
	case circuitbreaker.ScopeProvider:
		return l.host == c.leg.host
	case circuitbreaker.ScopeKey:
		return l.host == c.leg.host && key == c.key
	case circuitbreaker.ScopeTarget:
		return l == c.leg
	default:
		return false
	}
}

// hold is a breaker that an upstream's Retry-After asks this walk to leave alone.
type hold struct {
	charge
	until time.Time
	over  bool // the hint is so long that the breaker isn't waited for at all
}

// longestHint is how long a Retry-After may be to be waited for (spec: routing.md 2 "Back-off").
const longestHint = 30 * time.Second

// pace is what the failures of a walk say about when the next attempt may start.
type pace struct {
	last    charge    // by the last failure
	backoff time.Time // nothing that uses last's breaker starts before; zero: no back-off
	holds   []hold
}

// failed notes a failure. retry is the number of the extra attempt that may follow, from 1; draw is in [0, 1).
func (p *pace) failed(c charge, hint time.Duration, now time.Time, retry int, r *Retry, draw func() float64) {
	p.last, p.backoff = c, time.Time{}
	if hint > 0 {
		p.holds = append(p.holds, hold{charge: c, until: now.Add(hint), over: hint > longestHint})
		if !r.PauseOnFailover {
			return
		}
	}
	if ceiling := backoffCeiling(r.Base, r.Max, retry); ceiling > 0 {
		p.backoff = now.Add(time.Duration(draw() * float64(ceiling)))
	}
}

// backoffCeiling is min(base x 2^(retry-1), max) without overflow; a max of 0 is no bound.
func backoffCeiling(base, most time.Duration, retry int) time.Duration {
	ceiling := base
	for range retry - 1 {
		if ceiling > time.Hour || most > 0 && ceiling >= most {
			break
		}
		ceiling *= 2
	}
	if most > 0 {
		ceiling = min(ceiling, most)
	}
	return ceiling
}

// due is when a lane may be tried, the zero time if no wait is due; ok is false if it may not be tried at all.
// A hint takes precedence over the back-off.
func (p *pace) due(l *leg, key string, now time.Time, pauseAlways bool) (at time.Time, ok bool) {
	for i := range p.holds {
		if h := &p.holds[i]; h.covers(l, key) {
			if h.over {
				return time.Time{}, false
			}
			if h.until.After(now) && h.until.After(at) {
				at = h.until
			}
		}
	}
	if at.IsZero() && (pauseAlways || p.last.covers(l, key)) {
		at = p.backoff
	}
	return at, true
}

// earliest is when the first of a leg's lanes may be tried.
func (p *pace) earliest(l *leg, now time.Time, pauseAlways bool) (at time.Time, ok bool) {
	if p.last.leg == nil { // nothing has failed yet
		return time.Time{}, true
	}
	for i := range l.lanes {
		t, open := p.due(l, l.lanes[i].key.Name, now, pauseAlways)
		if open && (!ok || t.Before(at)) {
			at, ok = t, true
		}
	}
	return at, ok
}
