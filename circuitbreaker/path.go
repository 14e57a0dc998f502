package circuitbreaker

import (
	"sync/atomic"
	"time"
)

// pathLength is how many breakers one request passes: provider, key, target.
const pathLength = 3

// Path is the way of a request through the breakers of its provider, its key
// and its target. Make one per way and keep it: it remembers the breakers. It
// is for any number of goroutines. Spec: breaker.md 2, "Three breakers".
type Path struct {
	reg   *Registry
	names [pathLength]string
	known atomic.Pointer[trio]
}

// trio is the breakers of a path as one table has them; nil where the path has none.
type trio struct {
	table    *table
	breakers [pathLength]*Breaker
}

// Path makes a path of full breaker names; "" leaves that breaker out.
func (r *Registry) Path(provider, key, target string) *Path {
	return &Path{reg: r, names: [...]string{provider, key, target}}
}

// Acquire asks to send one request through all breakers of the path. nil means
// yes: ps is then to be settled. Else the refusal with the longest retry-after
// is returned, and no permit, slot or transition was taken.
func (p *Path) Acquire(ps *Permits, a Ask) *OpenError {
	if ps.open() {
		ps.NoVerdict(a.Now)
	}
	if way := p.known.Load(); way != nil && ps.takeFlowing(way) && p.reg.table.Load() == way.table {
		return nil
	}
	return p.acquire(ps, a)
}

func (p *Path) acquire(ps *Permits, a Ask) *OpenError {
	if a.Now.IsZero() {
		a.Now = p.reg.clock.now()
	}
	for {
		way := p.trio()
		if refused := way.peek(a); refused != nil {
			return refused
		}
		refused := ps.take(way, func(b *Breaker, permit *Permit) *OpenError { return b.Acquire(permit, a) })
		if refused != nil {
			refused = longest(refused, way.peek(a), a.Now)
		}
		if p.reg.table.Load() == way.table {
			return refused
		}
		ps.NoVerdict(a.Now) // a reset of all came between
	}
}

// AcquireForced gives permits unless a breaker is ISOLATED: forced ones of the
// breakers that refuse, ordinary ones of the others. reason is logged.
func (p *Path) AcquireForced(ps *Permits, a Ask, reason string) *OpenError {
	if ps.open() {
		ps.NoVerdict(a.Now)
	}
	if a.Now.IsZero() {
		a.Now = p.reg.clock.now()
	}
	for {
		way := p.trio()
		if refused := way.peek(a); refused != nil && refused.Reason == ReasonHeld {
			return refused
		}
		refused := ps.take(way, func(b *Breaker, permit *Permit) *OpenError { return b.AcquireForced(permit, a, reason) })
		if p.reg.table.Load() == way.table {
			return refused
		}
		ps.NoVerdict(a.Now)
	}
}

// Peek is what Acquire would answer. It changes nothing.
func (p *Path) Peek(a Ask) *OpenError {
	way := p.look()
	if way.flowing() {
		return nil
	}
	if a.Now.IsZero() {
		a.Now = p.reg.clock.now()
	}
	return way.peek(a)
}

// MerelyParked says whether all that refuse on the path do so for a cooldown that
// no Retry-After hint set, whichever of them Acquire would report. It changes
// nothing.
func (p *Path) MerelyParked(a Ask) bool {
	if a.Now.IsZero() {
		a.Now = p.reg.clock.now()
	}
	for _, b := range p.look().breakers {
		if b == nil {
			continue
		}
		if e := b.Peek(a); e != nil && (e.Reason != ReasonCooldown || e.Hinted) {
			return false
		}
	}
	return true
}

// State is the worst state of the path's breakers, as a look shows it.
func (p *Path) State(now time.Time) State {
	worst, at := Closed, p.reg.clock.moment(now)
	for _, b := range p.look().breakers {
		if b == nil {
			continue
		}
		if s := b.shownState(at); s.severity() > worst.severity() {
			worst = s
		}
	}
	return worst
}

// trio is the path's breakers, all of one table and none of them gone, unless
// its name has left the configuration.
func (p *Path) trio() *trio {
	way := p.known.Load()
	if way != nil && way.table == p.reg.table.Load() && !way.gone() {
		return way
	}
	way = p.reg.resolve(p.names, way)
	p.known.Store(way)
	return way
}

// look is the path's breakers as far as there are any: a name that was never asked, or whose breaker was evicted, is
// CLOSED, and looking at it makes none.
func (p *Path) look() *trio {
	known, table := p.known.Load(), p.reg.table.Load()
	if known != nil && known.table == table && !known.gone() {
		return known
	}
	way := &trio{table: table}
	for i, name := range p.names {
		var b *Breaker
		if s := table.slots[name]; s != nil {
			b = s.breaker.Load()
		} else if known != nil {
			b = known.breakers[i] // of a name that has left the configuration
		}
		if b != nil && b.word.Load() != 0 {
			way.breakers[i] = b
		}
	}
	return way
}

// resolve finds or makes the breakers of names. One of old that has left the
// configuration stays: it admits, and learns nothing.
func (r *Registry) resolve(names [pathLength]string, old *trio) *trio {
	r.mu.Lock()
	defer r.mu.Unlock()
	way := &trio{}
	for i, name := range names {
		if name == "" {
			continue
		}
		if old != nil && old.breakers[i].presence == departed && r.table.Load().slots[name] == nil {
			way.breakers[i] = old.breakers[i]
			continue
		}
		way.breakers[i] = r.obtain(name)
	}
	way.table = r.table.Load()
	return way
}

func (w *trio) gone() bool {
	for _, b := range w.breakers {
		if b != nil && b.word.Load() == 0 {
			return true
		}
	}
	return false
}

func (w *trio) flowing() bool {
	for _, b := range w.breakers {
		if b != nil && b.word.Load()&flowBit == 0 {
			return false
		}
	}
	return true
}

// peek is the refusal with the longest retry-after, nil if all would admit.
func (w *trio) peek(a Ask) (found *OpenError) {
	for _, b := range w.breakers {
		if b != nil {
			found = longest(found, b.Peek(a), a.Now)
		}
	}
	return found
}

// longest is the refusal with the longer retry-after; one without end is the longest.
func longest(a, b *OpenError, now time.Time) *OpenError {
	switch {
	case a == nil:
		return b
	case b == nil, a.until == never:
		return a
	case b.until == never, b.RetryAfter(now) > a.RetryAfter(now):
		return b
	default:
		return a
	}
}
