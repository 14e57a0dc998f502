package server

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// throttle slows the answers to wrong tokens, per network. A right token is not slowed, but a network with as many
// wrong ones under way as it may have is refused before anything is compared: at full speed no guess can be told from
// the token. The zero value is ready.
type throttle struct {
	mu      sync.Mutex
	wrong   map[netip.Prefix]wrongTokens
	held    map[netip.Prefix]int // places taken, of networks that have any
	waiting int                  // the sum of held
}

type wrongTokens struct {
	count int
	last  time.Time
}

const (
	freeWrongTokens   = 3 // answered at once: typing errors
	wrongTokenForget  = time.Minute
	wrongTokenMaxWait = 2 * time.Second
	throttledMax      = 4096 // networks remembered
	throttledWaiting  = 64   // answers held back at a time; what would be one more is refused at once
	throttledNetwork  = 8    // of them for one network
)

// wrongTokenWait is how long the answer to the n-th wrong token in a row is held back.
func wrongTokenWait(n int) time.Duration {
	if n <= freeWrongTokens {
		return 0
	}
	return min(50*time.Millisecond<<min(n-freeWrongTokens-1, 10), wrongTokenMaxWait)
}

// note counts a wrong token of addr and returns how long its answer is to be held back.
func (t *throttle) note(addr netip.Addr, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wrong == nil {
		t.wrong = make(map[netip.Prefix]wrongTokens)
	}
	key := network(addr)
	w := t.wrong[key]
	if now.Sub(w.last) > wrongTokenForget {
		w.count = 0
	}
	if w.count == 0 && len(t.wrong) >= throttledMax {
		t.evict(now)
	}
	w.count++
	w.last = now
	t.wrong[key] = w
	return wrongTokenWait(w.count)
}

// evict makes room: all that would be forgotten anyway, and if that is little, any until half are left, so that
// many addresses don't make each other's answers dear. It requires the lock.
func (t *throttle) evict(now time.Time) {
	for key, w := range t.wrong {
		if now.Sub(w.last) > wrongTokenForget {
			delete(t.wrong, key)
		}
	}
	for key := range t.wrong {
		if len(t.wrong) <= throttledMax/2 {
			return
		}
		delete(t.wrong, key)
	}
}

// enter is asked before a token is compared. It is false if its network, or all together, have no place left for an
// answer that would be held back. place tells whether one was taken, which the caller gives back with leave: none is
// while the network's next wrong token would be answered at once.
func (t *throttle) enter(addr netip.Addr, now time.Time) (place, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := network(addr)
	w, tried := t.wrong[key]
	if !tried || now.Sub(w.last) > wrongTokenForget || wrongTokenWait(w.count+1) == 0 {
		return false, true
	}
	taken := t.take(key)
	return taken, taken
}

// take takes a place if there is one. It requires the lock.
func (t *throttle) take(key netip.Prefix) bool {
	if t.waiting >= throttledWaiting || t.held[key] >= throttledNetwork {
		return false
	}
	if t.held == nil {
		t.held = make(map[netip.Prefix]int)
	}
	t.held[key]++
	t.waiting++
	return true
}

func (t *throttle) leave(addr netip.Addr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := network(addr)
	t.waiting--
	if t.held[key]--; t.held[key] == 0 {
		delete(t.held, key)
	}
}

// hold waits for d or until ctx ends. It is false, at once, if the caller has no place yet and there is none left.
func (t *throttle) hold(ctx context.Context, addr netip.Addr, place bool, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	if !place {
		t.mu.Lock()
		taken := t.take(network(addr))
		t.mu.Unlock()
		if !taken {
			return false
		}
		defer t.leave(addr)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return true
}

// network is what counts as one address: an IPv6 host commands its whole /64.
func network(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap()
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	p, err := addr.WithZone("").Prefix(bits)
	if err != nil {
		return netip.Prefix{} // no address: all such share one entry
	}
	return p
}
