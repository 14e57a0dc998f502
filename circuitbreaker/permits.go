package circuitbreaker

import "time"

// Permits is leave to send one request through the breakers of a path. Its
// memory is the caller's; the zero value is ready, and ready again once
// settled. Settle it exactly once, with Success, Fail or NoVerdict; settling
// again does nothing. It must not be copied, nor used by two goroutines at a
// time. Times may be the zero time.
type Permits struct {
	_    noCopy
	list [pathLength]Permit // provider, key, target: by Scope less one
}

// Success settles all as success.
func (ps *Permits) Success(now time.Time) {
	for i := range ps.list {
		ps.list[i].Success(now)
	}
}

// Fail settles the permit of the charged breaker as failure of kind, and the
// others as no verdict; with ScopeNone, or a breaker that is not on the path,
// all. hint is a Retry-After, 0 if there was none. It returns the number of
// the park that this failure began, 0 if it began none.
func (ps *Permits) Fail(now time.Time, charged Scope, kind Kind, hint time.Duration) (park uint64) {
	for i := len(ps.list) - 1; i >= 0; i-- {
		if charged != ScopeNone && i == int(charged)-1 {
			park = ps.list[i].Failure(now, kind, hint)
		} else {
			ps.list[i].NoVerdict(now)
		}
	}
	return park
}

// NoVerdict settles all as no verdict, in reverse order of taking.
func (ps *Permits) NoVerdict(now time.Time) {
	for i := range ps.list {
		ps.list[i].NoVerdict(now)
	}
}

// Progress tells that the target has shown that it generates again. See [Permit.Progress].
func (ps *Permits) Progress(now time.Time) {
	for i := range ps.list {
		ps.list[i].Progress(now)
	}
}

// Probe says whether one of them is a probe.
func (ps *Permits) Probe() bool {
	return ps.list[0].Probe() || ps.list[1].Probe() || ps.list[2].Probe()
}

// Forced says whether one of them is forced.
func (ps *Permits) Forced() bool {
	return ps.list[0].Forced() || ps.list[1].Forced() || ps.list[2].Forced()
}

// open says whether something is not settled.
func (ps *Permits) open() bool {
	return ps.list[0].b != nil || ps.list[1].b != nil || ps.list[2].b != nil
}

// takeFlowing takes ordinary permits of breakers that are all flowing. It says
// whether it did; what it took need not be settled.
func (ps *Permits) takeFlowing(way *trio) bool {
	for i, b := range way.breakers {
		p := &ps.list[i]
		p.b, p.pass, p.forced = nil, pass{}, false
		if b == nil {
			continue
		}
		word := b.word.Load()
		if word&flowBit == 0 {
			ps.drop()
			return false
		}
		b.touch()
		p.b, p.pass.generation = b, word>>wordBits
	}
	return true
}

// take takes a permit of each breaker, target first; at a refusal those taken
// are settled as no verdict.
func (ps *Permits) take(way *trio, ask func(*Breaker, *Permit) *OpenError) *OpenError {
	ps.drop()
	for i := len(way.breakers) - 1; i >= 0; i-- {
		if way.breakers[i] == nil {
			continue
		}
		if refused := ask(way.breakers[i], &ps.list[i]); refused != nil {
			ps.NoVerdict(time.Time{})
			return refused
		}
	}
	return nil
}

// drop forgets permits of flowing breakers.
func (ps *Permits) drop() {
	for i := range ps.list {
		ps.list[i].b, ps.list[i].pass, ps.list[i].forced = nil, pass{}, false
	}
}
