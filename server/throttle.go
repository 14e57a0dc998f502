package server

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// throttle slows the answers to wrong tokens, per address. A right token is never slowed and nobody is locked out:
// the operator behind the same address as an attacker still gets in. The zero value is ready.
type throttle struct {
	mu      sync.Mutex
	wrong   map[netip.Prefix]wrongTokens
	waiting int
}

type wrongTokens struct {
	count int
	last  time.Time
}

const (
	freeWrongTokens   = 3 // answered at once: typing errors
	wrongTokenForget  = time.Minute
	wrongTokenMaxWait = 2 * time.Second
	throttledMax      = 4096 // addresses remembered
	throttledWaiting  = 64   // answers held back at a time; more are refused at once
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

// hold waits for d or until ctx ends. It is false, at once, if too many answers are held back already.
func (t *throttle) hold(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t.mu.Lock()
	if t.waiting >= throttledWaiting {
		t.mu.Unlock()
		return false
	}
	t.waiting++
	t.mu.Unlock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	t.mu.Lock()
	t.waiting--
	t.mu.Unlock()
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
