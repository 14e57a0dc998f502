package server

import (
	"net/http"
	"net/http/httptest"
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
		one := netip.MustParseAddr("192.0.2.0")
		for addr, n := one, 0; n < throttledWaiting; n++ {
			if n%throttledNetwork == 0 {
				addr = addr.Next()
			}
			held.Go(func() { th.hold(t.Context(), addr, false, time.Second) })
		}
		synctest.Wait()
		begin := time.Now()
		if th.hold(t.Context(), one, false, time.Second) {
			t.Error("one more was held back")
		}
		if waited := time.Since(begin); waited != 0 {
			t.Errorf("it was refused after %s, want at once", waited)
		}
		held.Wait()
		if !th.hold(t.Context(), one, false, time.Second) || len(th.held) != 0 || th.waiting != 0 {
			t.Error("places are not given back")
		}
	})
}

// TestGuessesCanNotBeToldApartAtFullSpeed floods the gateway with wrong tokens of one address: then its right one is
// answered as a wrong one is, and everybody else as ever.
func TestGuessesCanNotBeToldApartAtFullSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGateway(t, false)
		ask := func(from, token string) int {
			r := httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/combos", nil)
			r.RemoteAddr = from + ":1234"
			r.Header.Set("Authorization", "Bearer "+token)
			return g.serve(r).Code
		}
		const attacker, other = "192.0.2.1", "192.0.2.2"
		for range 2 * freeWrongTokens {
			ask(attacker, "not-the-token-at-all")
		}
		if got := ask(attacker, testAdminToken); got != http.StatusOK {
			t.Errorf("while nothing is held back, the right token is answered %d", got)
		}
		var flood sync.WaitGroup
		for range 4 * throttledWaiting {
			flood.Go(func() { ask(attacker, "not-the-token-at-all") })
		}
		synctest.Wait()
		for name, test := range map[string]struct {
			from, token string
			want        int
		}{
			"a wrong token of the flooding address":   {attacker, "not-the-token-at-all", http.StatusTooManyRequests},
			"the right token of the flooding address": {attacker, testAdminToken, http.StatusTooManyRequests},
			"somebody else's typing error":            {other, "not-the-token-at-all", http.StatusUnauthorized},
			"somebody else's right token":             {other, testAdminToken, http.StatusOK},
		} {
			if got := ask(test.from, test.token); got != test.want {
				t.Errorf("%s is answered %d, want %d", name, got, test.want)
			}
		}
		flood.Wait()
		if got := ask(attacker, testAdminToken); got != http.StatusOK {
			t.Errorf("after the flood the right token is answered %d", got)
		}
	})
}
