package server

import (
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestWrongTokens(t *testing.T) {
	here := netip.MustParseAddr("192.0.2.1")
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

	t.Run("the first few are answered at once, then ever later, up to a bound", func(t *testing.T) {
		var th throttle
		want := []int64{0, 0, 0, 50, 100, 200, 400, 800, 1600, 2000, 2000}
		for i, ms := range want {
			if got := th.note(here, start).Milliseconds(); got != ms {
				t.Errorf("answer %d is held back %d ms, want %d", i+1, got, ms)
			}
		}
		for range 1000 {
			th.note(here, start)
		}
		if got := th.note(here, start); got != wrongTokenMaxWait {
			t.Errorf("after a thousand it is %s, want %s", got, wrongTokenMaxWait)
		}
	})
	t.Run("another address is not slowed", func(t *testing.T) {
		var th throttle
		for range 10 {
			th.note(here, start)
		}
		if got := th.note(netip.MustParseAddr("192.0.2.2"), start); got != 0 {
			t.Errorf("held back %s", got)
		}
	})
	t.Run("the addresses of one IPv6 network count as one", func(t *testing.T) {
		var th throttle
		for _, a := range []string{"2001:db8::1", "2001:db8::2", "2001:db8::3"} {
			th.note(netip.MustParseAddr(a), start)
		}
		if got := th.note(netip.MustParseAddr("2001:db8::ffff"), start); got == 0 {
			t.Error("the fourth of the network was answered at once")
		}
		if got := th.note(netip.MustParseAddr("2001:db8:0:1::1"), start); got != 0 {
			t.Error("another network was slowed")
		}
	})
	t.Run("a quiet minute is forgiven", func(t *testing.T) {
		var th throttle
		for range 10 {
			th.note(here, start)
		}
		if got := th.note(here, start.Add(wrongTokenForget+time.Second)); got != 0 {
			t.Errorf("held back %s", got)
		}
	})
	t.Run("memory is bounded, however many addresses try", func(t *testing.T) {
		var th throttle
		addr := netip.MustParseAddr("10.0.0.0")
		for range 3 * throttledMax {
			addr = addr.Next()
			th.note(addr, start)
		}
		if n := len(th.wrong); n > throttledMax {
			t.Errorf("%d addresses are remembered, want at most %d", n, throttledMax)
		}
	})
}

func TestHeldAnswersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var th throttle
		var held sync.WaitGroup
		for range throttledWaiting {
			held.Go(func() { th.hold(t.Context(), time.Second) })
		}
		synctest.Wait()
		begin := time.Now()
		if th.hold(t.Context(), time.Second) {
			t.Error("one more was held back")
		}
		if waited := time.Since(begin); waited != 0 {
			t.Errorf("it was refused after %s, want at once", waited)
		}
		held.Wait()
		if !th.hold(t.Context(), time.Second) {
			t.Error("places are not given back")
		}
	})
}
