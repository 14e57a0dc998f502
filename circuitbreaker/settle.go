package circuitbreaker

import "time"

// The settling half of a breaker: lock, move the machine, mirror it, note what
// is owed. Nothing here waits for anything but the breaker's own lock.

func (b *Breaker) succeed(p pass, now time.Time) {
	at, draw := b.reg.clock.moment(now), 0.0
	fresh := b.rules.Load().opensAtOnce()
	if fresh {
		draw = b.reg.rand()
	}
	b.mu.Lock()
	if !fresh { // a success opens only after a failure, whose draw is still unused
		draw = b.draw
	}
	t := b.turn(at, draw)
	b.settled(b.presence == serving && b.m.succeed(&t, p))
	b.done(&t)
	b.mu.Unlock()
}

func (b *Breaker) fail(p pass, now time.Time, kind Kind, hint time.Duration) (park uint64) {
	if now.IsZero() {
		now = b.reg.clock.now()
	}
	b.reg.clock.observe(now)
	at, draw := b.reg.clock.moment(now), 0.0
	if b.rules.Load().Jitter > 0 {
		draw = b.reg.rand()
	}
	b.mu.Lock()
	b.draw = draw
	t, current := b.turn(at, draw), false
	if b.presence == serving {
		park, current = b.m.fail(&t, p, kind, hint)
	}
	b.settled(current)
	b.done(&t)
	b.mu.Unlock()
	return park
}

func (b *Breaker) noVerdict(p pass, now time.Time) {
	at := b.reg.clock.moment(now)
	b.mu.Lock()
	t := b.turn(at, 0)
	if b.presence == serving {
		b.m.noVerdict(&t, p)
	}
	b.settled(true)
	b.mu.Unlock()
}

func (b *Breaker) progress(p pass, now time.Time) {
	at := b.reg.clock.moment(now)
	b.mu.Lock()
	t := b.turn(at, 0)
	if b.presence == serving {
		b.m.progress(&t, p)
	}
	b.mu.Unlock()
}

// turn begins an input. Called with mu held, like everything below.
func (b *Breaker) turn(now moment, draw float64) turn {
	return turn{rules: b.rules.Load(), seq: &b.reg.seq, now: now, draw: draw}
}

// settled notes that a permit came back, and whether its verdict counted.
func (b *Breaker) settled(current bool) {
	if !current {
		b.late.Add(1)
	}
	if b.reg.tracking {
		b.outstanding--
	}
}

// done ends an input: the mirror follows the machine, and the registry owes
// what has moved.
func (b *Breaker) done(t *turn) {
	if b.presence != serving {
		return
	}
	b.mirror(t.now)
	if !t.moved {
		return
	}
	if b.restored != nil {
		t.changes = append(b.unpublished, t.changes...)
		b.restored, b.unpublished = nil, nil
	}
	b.unversioned = len(t.changes) == 0
	if len(t.changes) > 0 {
		b.version = t.latest().seq
	}
	switch {
	case len(t.changes) > 0:
		b.reg.outbox.made(b.name, b.transitions(t), t.now)
	case !b.owed:
		b.reg.outbox.row(b.name, t.now)
	}
	b.owed = true
}

// transitions are the changes of a turn as they are published.
func (b *Breaker) transitions(t *turn) []Transition {
	ts := make([]Transition, len(t.changes))
	for i, c := range t.changes {
		ts[i] = Transition{
			Name: b.name, From: c.from, To: c.to, Reason: c.reason, Kind: c.kind, Measure: c.measure,
			At: b.reg.clock.time(t.now), Enforce: t.rules.Enforce, Seq: c.seq,
		}
		if c.retryAt != unset {
			ts[i].Wait = c.retryAt.since(t.now)
		}
	}
	return ts
}

// mirror brings word and refusal in line with the machine.
func (b *Breaker) mirror(now moment) {
	word := b.m.generation << wordBits
	switch {
	case b.reg.tracking, !b.m.flowing():
	case b.m.quiet():
		word |= flowBit | quietBit
	default:
		word |= flowBit
	}
	if b.word.Load() != word {
		b.word.Store(word)
	}
	var fixed *OpenError
	if b.m.state != Degraded && !b.m.flowing() {
		fixed = b.lasting(now)
	}
	if b.refusal.Load() != fixed {
		b.refusal.Store(fixed)
	}
}

// lasting is the refusal that only time or an operator ends; nil if there is none.
func (b *Breaker) lasting(now moment) *OpenError {
	m := &b.m
	switch {
	case m.state == Isolated:
	case !b.rules.Load().Enforce:
		return nil
	case m.state == Open:
	case m.state == Closed && m.parks.lone() && !m.tally.rises(): // else time changes more than the end
	default:
		return nil
	}
	if f := m.refuse(b.rules.Load(), now, nil); !f.admits() {
		return b.openError(f, m.state)
	}
	return nil
}

// openError makes the error of a refusal, once for all who get the same.
func (b *Breaker) openError(f refusal, s State) *OpenError {
	if e := b.refused; e != nil && e.is(f, s) {
		return e
	}
	b.refused = &OpenError{
		Name: b.name, Scope: b.scope, Reason: f.reason, State: s,
		RetryAt: b.reg.clock.time(f.until), Hinted: f.hinted, until: f.until, end: b.reg.clock.time(min(f.until, never-1)),
	}
	return b.refused
}

// leave makes b gone: its permits settle as late from now on, and whoever asks
// it is sent to the breaker that has its name.
func (b *Breaker) leave(how presence) {
	b.presence = how
	b.word.Store(0)
	b.refusal.Store(nil)
}
