package providers

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errHurried ends the reading of an error answer whose body takes too long; what has come is judged.
var errHurried = errors.New("the rest of an error answer took too long")

// phase is how far an attempt has come.
type phase uint8

const (
	connecting phase = iota // until the transport takes the first byte of the body
	answering               // until the first meaningful event, or the whole of a plain answer
	flowing                 // a stream that has begun
	hurrying                // an error answer: its status is known, its body need not come
	over
)

// watch holds the limits of one attempt and cancels its context with the one that was reached as the cause. It has
// one timer, which is seldom touched: it fires early and then looks when the next limit is due. Times are counted
// from the attempt's begin. It is safe for concurrent use.
type watch struct {
	cancel context.CancelCauseFunc // safe to call more than once; the first cause stays
	begun  time.Time
	limits Limits
	stream bool

	mu      sync.Mutex
	phase   phase
	reading bool          // a read of the body is waiting
	since   time.Duration // since when
	hurry   time.Duration // when a hurrying attempt ends
	timer   *time.Timer
	armed   time.Duration // when the timer fires; 0: it doesn't
}

// begin starts the attempt's clock.
func (w *watch) begin(cancel context.CancelCauseFunc, limits Limits, stream bool) {
	w.cancel, w.limits, w.stream, w.begun = cancel, limits, stream, time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arm(0)
}

// connected tells that a connection is there. The timer may stay as it is: the limits that follow are due later.
func (w *watch) connected() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.phase == connecting {
		w.phase = answering
		if w.timer == nil {
			w.arm(time.Since(w.begun))
		}
	}
}

// flows tells that the first meaningful event came.
func (w *watch) flows() { w.enter(flowing) }

// hurries gives an error answer that long to come whole, and not longer than the limits gave it anyway.
func (w *watch) hurries(d time.Duration) {
	w.mu.Lock()
	w.hurry = time.Since(w.begun) + d
	if before := w.next(); before.after > 0 {
		w.hurry = min(w.hurry, before.at)
	}
	w.mu.Unlock()
	w.enter(hurrying)
}

func (w *watch) enter(p phase) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.phase < p {
		w.phase = p
		w.arm(time.Since(w.begun))
	}
}

// reads and hasRead stand around every read of a stream, so that a client that takes its time is not held against
// the upstream.
func (w *watch) reads() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reading, w.since = true, time.Since(w.begun)
	if w.armed == 0 || w.armed > w.since+w.limits.Idle {
		w.arm(w.since)
	}
}

func (w *watch) hasRead() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reading = false
}

// stop ends the watch; no limit is reached any more.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.phase = over
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *watch) fire() {
	w.mu.Lock()
	w.armed = 0
	now := time.Since(w.begun)
	next := w.next()
	reached := next.after > 0 && next.at <= now
	if !reached {
		w.arm(now)
	}
	w.mu.Unlock()
	if reached {
		w.cancel(next.cause())
	}
}

// arm sets the timer for the next limit, unless it fires before that anyway. The caller holds the lock.
func (w *watch) arm(now time.Duration) {
	next := w.next()
	switch {
	case next.after == 0 || w.armed != 0 && w.armed <= next.at:
		return
	case w.timer == nil:
		w.timer = time.AfterFunc(next.at-now, w.fire)
	default:
		w.timer.Reset(next.at - now)
	}
	w.armed = next.at
}

// deadline is a limit and when it is reached. The zero value is none.
type deadline struct {
	limit     string // empty: that of a hurrying attempt
	after, at time.Duration
}

func (d deadline) cause() error {
	if d.limit == "" {
		return errHurried
	}
	return &LimitError{Limit: d.limit, After: d.after}
}

// sooner returns the deadline of another limit if that is reached first.
func (d deadline) sooner(limit string, after, from time.Duration) deadline {
	if after > 0 && (d.after == 0 || from+after < d.at) {
		return deadline{limit, after, from + after}
	}
	return d
}

// next is the limit that is reached first as things stand.
func (w *watch) next() deadline {
	var d deadline
	switch w.phase {
	case connecting, answering:
		if w.phase == connecting {
			d = d.sooner("connect", w.limits.Connect, 0)
		}
		if w.stream {
			d = d.sooner("first_token", w.limits.FirstToken, 0)
		} else {
			d = d.sooner("response", w.limits.Response, 0)
		}
	case hurrying:
		return deadline{after: 1, at: w.hurry}
	case over:
		return d
	case flowing:
	}
	if w.stream && w.reading {
		d = d.sooner("idle", w.limits.Idle, w.since)
	}
	return d
}
