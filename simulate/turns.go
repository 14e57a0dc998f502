package simulate

import (
	"bytes"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing/synctest"
	"time"
)

// turns lets one request run at a time. A request takes its turn when it begins and whenever it has waited, and its
// turn ends when it waits again. The router's clock is where that is noticed: a walk that was woken reads it before it
// touches anything that it shares.
type turns struct {
	quiet bool          // no request wakes another
	woken chan struct{} // cap 1: somebody waits for a turn, or is done

	mu      sync.Mutex
	actors  map[int64]int // numbers of requests by goroutine
	holder  int           // whose turn it is, nobody's
	waiting []waiter      // by number
}

type waiter struct {
	number int
	turn   chan struct{}
}

// nobody holds the turn.
const nobody = -1

func newTurns(quiet bool) *turns {
	return &turns{quiet: quiet, woken: make(chan struct{}, 1), actors: map[int64]int{}, holder: nobody}
}

// enter makes the goroutine that of a request, and takes its turn.
func (t *turns) enter(number int) {
	t.mu.Lock()
	t.actors[goroutine()] = number
	t.mu.Unlock()
	t.take(number)
}

// leave ends a request.
func (t *turns) leave() {
	t.mu.Lock()
	delete(t.actors, goroutine())
	t.mu.Unlock()
	t.wake()
}

// now is the router's clock. Whoever reads it while a request has the turn is that request, where none wakes another.
func (t *turns) now() time.Time {
	t.mu.Lock()
	if t.quiet && t.holder != nobody {
		t.mu.Unlock()
		return time.Now()
	}
	number, known := t.actors[goroutine()]
	t.mu.Unlock()
	if known {
		t.take(number)
	}
	return time.Now()
}

// take waits until it is the turn of a request.
func (t *turns) take(number int) {
	t.mu.Lock()
	if number == t.holder {
		t.mu.Unlock()
		return
	}
	w := waiter{number, make(chan struct{})}
	at, _ := slices.BinarySearchFunc(t.waiting, number, func(w waiter, n int) int { return w.number - n })
	t.waiting = slices.Insert(t.waiting, at, w)
	t.mu.Unlock()
	t.wake()
	<-w.turn
}

func (t *turns) wake() {
	select {
	case t.woken <- struct{}{}:
	default:
	}
}

// settle gives turns, one after the other, until everybody waits for time to go by, and returns how many it gave.
func (t *turns) settle() int {
	for given := 0; ; given++ {
		synctest.Wait()
		t.mu.Lock()
		t.holder = nobody
		if len(t.waiting) == 0 {
			t.mu.Unlock()
			return given
		}
		next := t.waiting[0]
		t.waiting = slices.Delete(t.waiting, 0, 1)
		t.holder = next.number
		t.mu.Unlock()
		close(next.turn)
	}
}

// goroutine is the number of the calling goroutine, as its stack trace begins: `goroutine 12 [running]`. The clock has
// no other way to know who reads it.
func goroutine() int64 {
	var trace [32]byte
	head := trace[len("goroutine "):runtime.Stack(trace[:], false)]
	n, _ := strconv.ParseInt(string(head[:max(bytes.IndexByte(head, ' '), 0)]), 10, 64)
	return n
}
