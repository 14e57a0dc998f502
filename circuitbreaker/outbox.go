package circuitbreaker

import (
	"slices"
	"sync"
	"time"
)

// outbox is what the registry owes to its store and its subscribers. What is
// in a row is not noted, only whose row has to be written: the writer takes
// the state of that moment, so that no older state can overwrite a newer one.
// Its lock is taken last of all and held for a few instructions.
type outbox struct {
	silent bool // nobody is owed anything
	wake   chan struct{}

	mu         sync.Mutex
	debt       debt
	owed, paid uint64 // tickets: each debt noted is one
	history    map[string][]Transition
	inFlight   moment        // since when the debt under way is owed, unset if none is
	taken      uint64        // how often a debt was taken
	degraded   bool          // the store is broken
	changed    chan struct{} // closed when paid or degraded changes
}

func (o *outbox) init() {
	o.wake = make(chan struct{}, 1)
	o.changed = make(chan struct{})
	o.history = map[string][]Transition{}
	o.debt.since, o.inFlight = unset, unset
}

// note runs f on the debt and wakes the writer if that is needed.
func (o *outbox) note(now moment, f func(d *debt)) {
	if !o.silent {
		o.noteWith(now, nil, f)
	}
}

// noteWith changes the history too, in the same moment: whoever sees it finds it owed. keep may be nil.
func (o *outbox) noteWith(now moment, keep func(), f func(d *debt)) {
	o.mu.Lock()
	if keep != nil {
		keep()
	}
	wake := !o.silent && o.owe(now, f)
	o.mu.Unlock()
	if wake {
		o.ring()
	}
}

// owe adds to the debt and tells whether the writer has to be woken; with mu held.
func (o *outbox) owe(now moment, f func(d *debt)) bool {
	first, wasUrgent := o.debt.since == unset, o.debt.urgent
	if first {
		o.debt.since = now
	}
	f(&o.debt)
	o.owed++
	return first || o.debt.urgent && !wasUrgent
}

func (o *outbox) ring() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// row notes that the row of name no longer is what it should be.
func (o *outbox) row(name string, now moment) {
	o.note(now, func(d *debt) { d.row(name) })
}

// forget notes that a name, row and transitions, is to be gone. latest is the
// latest number given to a transition.
func (o *outbox) forget(name string, latest uint64, now moment) {
	o.noteWith(now, func() { delete(o.history, name) }, func(d *debt) {
		d.row(name)
		d.forgetUpTo(name, latest)
	})
}

// made notes transitions, and with them the row of their breaker.
func (o *outbox) made(name string, ts []Transition, now moment) {
	o.noteWith(now, func() { o.append(ts) }, func(d *debt) {
		d.row(name)
		d.add(ts)
		d.urgent = true
	})
}

// acted notes that an operator acted on a name: its commit must survive a power loss.
func (o *outbox) acted(name string, now moment) {
	o.note(now, func(d *debt) {
		d.row(name)
		d.sync, d.urgent = true, true
	})
}

// retry notes nothing but that the store has to be tried.
func (o *outbox) retry(now moment) { o.note(now, func(d *debt) { d.urgent = true }) }

// resetAll notes that every row is to be gone, but for those of names, which
// are written, and those of keep, which stay as they are. included says that
// what an operator holds goes too.
func (o *outbox) resetAll(made []Transition, names, keep []string, included bool, now moment) {
	o.noteWith(now, func() { o.append(made) }, func(d *debt) {
		d.names = nil
		for _, name := range names {
			d.row(name)
		}
		d.add(made)
		d.keep, d.included = keep, d.included || included
		d.all, d.sync, d.urgent = true, true, true
	})
}

// owesReset says whether a reset of all is owed, and whether it includes what
// an operator holds.
func (o *outbox) owesReset() (all, included bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.debt.all, o.debt.included
}

// owesRow says whether the row of name is to be written or deleted.
func (o *outbox) owesRow(name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, owed := o.debt.names[name]
	return owed
}

// spare notes that a reset of all that is owed leaves the row of name.
func (o *outbox) spare(name string, now moment) {
	o.note(now, func(d *debt) { d.keep = append(d.keep, name) })
}

// append adds to the history; with mu held.
func (o *outbox) append(made []Transition) {
	for _, t := range made {
		ts := append(o.history[t.Name], t)
		o.history[t.Name] = slices.Delete(ts, 0, max(len(ts)-keptTransitions, 0))
	}
}

// take takes the whole debt, and the ticket up to which it pays.
func (o *outbox) take() (d debt, ticket uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d = o.debt
	o.debt = debt{since: unset}
	o.inFlight = d.since
	o.taken++
	return d, o.owed
}

// giveBack takes a debt back that could not be paid.
func (o *outbox) giveBack(d debt) {
	o.mu.Lock()
	d.merge(o.debt)
	o.debt, o.inFlight = d, unset
	o.mu.Unlock()
	o.ring()
}

// settle says that everything up to ticket is paid.
func (o *outbox) settle(ticket uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.paid = max(o.paid, ticket)
	o.inFlight = unset
	o.announce()
}

// number is that of the debt taken last; underWay says whether it is still
// being paid.
func (o *outbox) number() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.taken
}

func (o *outbox) underWay(number uint64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.taken == number && o.inFlight != unset
}

// urgent says whether something is owed that is not to wait for the flush interval.
func (o *outbox) urgent() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.debt.urgent
}

// announce wakes those who wait for a change; with mu held.
func (o *outbox) announce() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// oldest is how long the oldest unpaid debt has been owed; with mu held.
func (o *outbox) oldest(now moment) time.Duration {
	since := o.inFlight
	if since == unset {
		since = o.debt.since
	}
	if since == unset {
		return 0
	}
	return max(now.since(since), 0)
}

func (o *outbox) transitions(name string) []Transition {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.history[name])
}
