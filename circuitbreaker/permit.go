package circuitbreaker

import "time"

// Ask is what a caller tells when it asks to send.
type Ask struct {
	// Now is the caller's time; the zero time lets the breaker read the clock
	// if it needs one. A healthy breaker of Decay or Consecutive needs none.
	Now time.Time
	// Lease is the attempt's own limit: how long a probe may take to its first
	// meaningful event (streamed) or to its end (plain). Spec: breaker.md 2.4.
	Lease time.Duration
	// IgnoreParks are numbers of parks not to heed: all those that the caller's
	// own failures began, as Fail returned them, in any order and of any
	// breakers. The slice is not kept.
	IgnoreParks []uint64
}

// Permit is leave to send one request through one breaker. Its memory is the
// caller's; the zero value is ready, and ready again once settled. Settle it
// exactly once, with Success, Failure or NoVerdict; settling again does
// nothing. It must not be copied, nor used by two goroutines at a time.
type Permit struct {
	_      noCopy
	b      *Breaker // nil: nothing to settle
	pass   pass
	forced bool
}

// Success settles p: the target answered. now may be the zero time.
func (p *Permit) Success(now time.Time) {
	b := p.b
	if b == nil {
		return
	}
	p.b = nil
	if b.word.Load() == p.pass.generation<<wordBits|flowBit|quietBit {
		return
	}
	b.succeed(p.pass, now)
}

// Failure settles p: the target failed with kind. hint is a Retry-After, 0 if
// there was none. It returns the number of the park that this failure began, 0
// if it began none. now may be the zero time.
func (p *Permit) Failure(now time.Time, kind Kind, hint time.Duration) (park uint64) {
	b := p.b
	if b == nil {
		return 0
	}
	p.b = nil
	return b.fail(p.pass, now, kind, hint)
}

// NoVerdict settles p: nothing was learned about the target. A probe gives its
// slot back at once. now may be the zero time.
func (p *Permit) NoVerdict(now time.Time) {
	b := p.b
	if b == nil {
		return
	}
	p.b = nil
	if p.pass.probe != 0 || b.reg.tracking {
		b.noVerdict(p.pass, now)
	}
}

// Progress tells that the target has shown that it generates again, at the
// first meaningful event of a stream: a probe's lease ends and its slot is
// free, its verdict stays open. now may be the zero time. Spec: breaker.md 2.5.
func (p *Permit) Progress(now time.Time) {
	if p.b != nil && p.pass.probe != 0 {
		p.b.progress(p.pass, now)
	}
}

// Probe says whether p is a probe of a HALF_OPEN breaker.
func (p *Permit) Probe() bool { return p.pass.probe != 0 }

// Forced says whether the breaker would have refused, had p not been forced.
func (p *Permit) Forced() bool { return p.forced }

// noCopy makes go vet report copies. It has no other effect.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
