package circuitbreaker

import (
	"sync"
	"sync/atomic"
)

// The bits of a breaker's word; above them stands the generation. The word of
// a breaker that is gone is 0.
const (
	flowBit  = 1 << 0 // the machine is flowing: asking needs no lock
	quietBit = 1 << 1 // the machine is quiet: success needs no lock
	wordBits = 2
)

// Breaker is one circuit breaker, made by [Registry.Get] or [New], for any
// number of goroutines. Where requests flow asking costs an atomic load, where
// nothing is counted success another one; where only time ends a refusal it
// costs a load and a comparison.
type Breaker struct {
	// word and refusal mirror the machine for those who take no lock. They are
	// written under mu.
	word    atomic.Uint64
	refusal atomic.Pointer[OpenError]
	touched atomic.Bool // asked since the last sweep
	late    atomic.Uint64

	name  string
	scope Scope
	reg   *Registry
	rules atomic.Pointer[rules] // written under mu

	mu          sync.Mutex
	m           machine
	presence    presence
	version     uint64     // of the state, as stored or to be stored
	unversioned bool       // counts have moved since version
	fingerprint string     // of the key's secret
	refused     *OpenError // the latest made
	owed        bool       // the registry owes a write
	restored    *Snapshot  // while nothing has happened since
	unpublished []change   // of the restoration
	draw        float64    // of the last failure, in [0,1)
	outstanding int        // permits not settled, where the registry tracks them

	idleSince moment // guarded by the registry's mu
}

// presence says whether a breaker is still the one of its name.
type presence uint8

const (
	serving  presence = iota
	replaced          // evicted, or its table was reset: the name gets another
	departed          // the name left the configuration
)

// New makes a breaker that stands alone: nothing is stored, published or
// logged. o.Store is not used.
func New(name string, s Settings, o Options) *Breaker {
	o.Store, o.Default = nil, s
	r := NewRegistry(o)
	r.outbox.silent = true
	return r.Get(name)
}

// newBreaker is called with the registry's mu held.
func newBreaker(r *Registry, s *slot, now moment) *Breaker {
	b := &Breaker{name: s.name, scope: scopeOf(s.name), reg: r, fingerprint: s.fingerprint, idleSince: now}
	b.rules.Store(s.rules)
	b.m = newMachine(s.rules, r.seq.next(), now)
	b.mirror(now)
	return b
}

// Name is the breaker's name.
func (b *Breaker) Name() string { return b.name }

// Late is how many verdicts came too late to count. Spec: breaker.md 2.2.
func (b *Breaker) Late() uint64 { return b.late.Load() }

// Transitions are the last 50 of this breaker's name, oldest first.
func (b *Breaker) Transitions() []Transition { return b.reg.Transitions(b.name) }

// Acquire asks to send one request. nil means yes: p is then to be settled.
func (b *Breaker) Acquire(p *Permit, a Ask) *OpenError {
	if p.b != nil {
		p.NoVerdict(a.Now)
	}
	if word := b.word.Load(); word&flowBit != 0 {
		b.touch()
		p.b, p.pass, p.forced = b, pass{generation: word >> wordBits}, false
		return nil
	}
	if refused := b.refusal.Load(); refused.holds(a.Now) && a.IgnoreParks == nil {
		return refused
	}
	return b.acquire(p, a, false)
}

// AcquireForced gives a permit in any state but ISOLATED. Only where Acquire
// would refuse is it a forced one, which is logged with reason. Spec:
// breaker.md 4, "Forced requests".
func (b *Breaker) AcquireForced(p *Permit, a Ask, reason string) *OpenError {
	p.NoVerdict(a.Now)
	refused := b.acquire(p, a, true)
	if refused == nil && p.forced {
		b.reg.log.Debug("circuit breaker forced", "breaker", b.name, "reason", reason)
	}
	return refused
}

// Peek is what Acquire would answer. It changes nothing.
func (b *Breaker) Peek(a Ask) *OpenError {
	if b.word.Load()&flowBit != 0 {
		return nil
	}
	if refused := b.refusal.Load(); refused.holds(a.Now) && a.IgnoreParks == nil {
		return refused
	}
	now := b.reg.clock.moment(a.Now)
	b = b.current()
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.rules.Load()
	f := b.m.refuse(r, now, a.IgnoreParks)
	if f.admits() || !b.enforces(f) || b.presence != serving {
		return nil
	}
	state, _, _ := b.m.shown(r, now)
	return b.openError(f, state)
}

// acquire is Acquire where the machine has to be asked.
func (b *Breaker) acquire(p *Permit, a Ask, force bool) *OpenError {
	now := b.reg.clock.moment(a.Now)
	b.touch()
	b.mu.Lock()
	if b.presence != serving {
		b.mu.Unlock()
		return b.acquireNext(p, a, force)
	}
	if b.m.steady(b.rules.Load(), now) && !b.reg.tracking {
		p.b, p.pass, p.forced = b, pass{generation: b.m.generation}, false
		b.mu.Unlock()
		return nil
	}
	defer b.mu.Unlock()
	t := b.turn(now, 0)
	f := b.m.refuse(t.rules, now, a.IgnoreParks)
	p.pass, p.forced = pass{}, false
	switch {
	case f.admits():
		p.pass = b.m.admit(&t, a)
	case !b.enforces(f): // observing: the zero pass settles as late
	case force && f.reason != ReasonHeld:
		p.pass, p.forced = b.m.force(&t, a), true
	default: // a refusal changes nothing
		state, _, _ := b.m.shown(t.rules, now)
		return b.openError(f, state)
	}
	b.done(&t)
	p.b = b
	if b.reg.tracking {
		b.outstanding++
	}
	return nil
}

// acquireNext asks the breaker that has taken the place of b. If the name has
// left the configuration there is nobody to ask, and nothing to learn.
func (b *Breaker) acquireNext(p *Permit, a Ask, force bool) *OpenError {
	next := b.reg.successor(b)
	if next == nil {
		p.b, p.pass, p.forced = b, pass{}, false
		return nil
	}
	return next.acquire(p, a, force)
}

// current is the breaker that has the name of b now; b itself if none has.
func (b *Breaker) current() *Breaker {
	if b.word.Load() == 0 {
		if next := b.reg.successor(b); next != nil {
			return next
		}
	}
	return b
}

// enforces says whether the refusal f is more than an observation.
func (b *Breaker) enforces(f refusal) bool {
	return f.reason == ReasonHeld || b.rules.Load().Enforce
}

func (b *Breaker) touch() {
	if !b.touched.Load() {
		b.touched.Store(true)
	}
}
