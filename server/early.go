package server

import (
	"net/http"
	"sync"
	"time"

	"github.com/ohmroute/ohmroute/combo"
)

// earlyHeaders answers a streamed request that waits long for its first token with 200 headers and then a comment
// at every interval, so that nothing on the way gives up (spec: routing.md 3, Liveness). Its timer's goroutine
// writes to the exchange until stop; afterwards the exchange is the handler's alone. A nil one never began.
type earlyHeaders struct {
	x     *exchange
	every time.Duration

	mu    sync.Mutex
	timer *time.Timer
	begun bool
	done  bool
}

// A comment without a blank line behind it: some clients take ": x\n\n" for an empty event.
var keepaliveComment = []byte(": keepalive\n")

func startEarlyHeaders(x *exchange, resolved combo.Resolved) *earlyHeaders {
	e := &earlyHeaders{x: x, every: resolved.Keepalive}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.timer = time.AfterFunc(e.every, func() { e.beat(resolved.Combo) })
	return e
}

func (e *earlyHeaders) beat(comboName string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done {
		return
	}
	if !e.begun {
		e.begun = true
		h := e.x.Header()
		h["Content-Type"] = eventStream // and no more than what is named here (spec: routing.md 3)
		h[headerCombo] = []string{headerText(comboName)}
		h["Trailer"] = []string{headerTarget + ", " + headerAttempts + ", " + headerDropped}
		e.x.WriteHeader(http.StatusOK)
	}
	if _, err := e.x.Write(keepaliveComment); err != nil {
		e.done = true
		return
	}
	if e.x.FlushError() != nil {
		e.done = true
		return
	}
	e.timer.Reset(e.every)
}

// stop ends the comments and waits for one that is being written. It is idempotent.
func (e *earlyHeaders) stop() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done = true
	e.timer.Stop()
}

// sent tells, after stop, whether the client has 200 headers already.
func (e *earlyHeaders) sent() bool { return e != nil && e.begun }
