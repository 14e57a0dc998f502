package combo

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// limited bounds provider a to one request, with a queue for these many seconds.
func limited(queue time.Duration) func(*Config) {
	return provider("a", func(p *Provider) { p.MaxConcurrency, p.QueueTimeout = 1, queue })
}

func TestAFullProviderIsSkippedAtOnceIfAnotherIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", limited(time.Minute))
		r.plays("a/m", act{after: time.Second})
		var wg sync.WaitGroup
		wg.Go(func() { r.ask("c") })
		synctest.Wait()
		res := r.ask("c")
		if res.took != 0 {
			t.Errorf("it waited %v", res.took)
		}
		wantAttempts(t, res.answer.Attempts, "a/m skipped:concurrency", "b/m ok")
		wg.Wait()
	})
}

func TestWithoutAnotherARequestWaitsInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", limited(time.Minute))
		r.plays("a/m", act{after: time.Second, body: "x"})
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				<-time.After(time.Duration(i) * time.Millisecond)
				res := r.ask("c")
				if want := time.Second*time.Duration(i+1) - time.Duration(i)*time.Millisecond; res.text != "x" || res.took != want {
					t.Errorf("request %d: %+v after %v, want its answer after %v", i, res.err, res.took, want)
				}
				wantAttempts(t, res.answer.Attempts, "a/m ok")
			})
		}
		wg.Wait()
	})
}

func TestTheQueueRefusesAfterItsTimeoutAndChargesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m a/n", limited(2*time.Second), with(func(c *Combo) { c.Exhausted.Do = FailOpen }))
		r.plays("a/m", act{after: time.Minute})
		var wg sync.WaitGroup
		wg.Go(func() { r.ask("c") })
		synctest.Wait()
		res := r.ask("c")
		if res.err == nil || res.err.Status != 503 || res.err.Code != "all_targets_unavailable" || res.took != 2*time.Second {
			t.Errorf("got %+v after %v", res.err, res.took)
		}
		wantAttempts(t, res.err.Attempts, "a/m skipped:concurrency", "a/n skipped:concurrency")
		r.counts(map[string]int{})
		wg.Wait()
	})
}

func TestWithoutAQueueTimeoutNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", limited(0))
		r.plays("a/m", act{after: time.Minute})
		var wg sync.WaitGroup
		wg.Go(func() { r.ask("c") })
		synctest.Wait()
		if res := r.ask("c"); res.err == nil || res.took != 0 {
			t.Errorf("got %+v after %v", res, res.took)
		}
		wg.Wait()
	})
}

func TestAClientThatLeavesTheQueueLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", limited(time.Minute))
		r.plays("a/m", act{after: 10 * time.Second})
		var wg sync.WaitGroup
		wg.Go(func() { r.ask("c") })
		synctest.Wait()
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		if res := r.send(ctx, r.request("c")); res.err == nil || res.err.Status != 499 || res.took != time.Second {
			t.Errorf("got %+v after %v", res.err, res.took)
		}
		wg.Wait()
	})
}

func TestTheQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slots
		s.limit(1)
		s.take()
		var wg sync.WaitGroup
		for range queueFloor {
			wg.Go(func() {
				turn := make(chan *slots, 1)
				if !s.join(turn) {
					t.Error("the queue refused within its bound")
				}
				(<-turn).give()
			})
		}
		synctest.Wait()
		if s.join(make(chan *slots, 1)) {
			t.Error("the queue has no bound")
		}
		s.give()
		wg.Wait()
	})
}

func TestASlotIsHeldUntilTheStreamEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", limited(0))
		r.plays("a/m", stream(said("one"), said("two").later(time.Hour), done()))
		var wg sync.WaitGroup
		wg.Go(func() { r.stream("c") })
		synctest.Wait()
		r.asked()
		r.stream("c")
		if got := r.asked(); got != "b/m" {
			t.Errorf("asked %q while the stream goes on", got)
		}
		wg.Wait()
		r.stream("c")
		if got := r.asked(); got != "a/m" {
			t.Errorf("asked %q after its end", got)
		}
	})
}

func TestARaisedLimitLetsThoseInWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", limited(time.Minute))
		r.plays("a/m", act{after: 10 * time.Second})
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if res := r.ask("c"); res.took != 10*time.Second {
					t.Errorf("took %v", res.took)
				}
			})
		}
		synctest.Wait()
		r.change("a", func(p *Provider) { p.MaxConcurrency = 2 })
		wg.Wait()
	})
}

func TestAProbeThatAFullQueueTurnedAwayGivesItsSlotBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", limited(0))
		r.plays("a/m", act{after: 40 * time.Second, fail: failure(providers.Unsupported)}, act{})
		var wg sync.WaitGroup
		wg.Go(func() { r.ask("c") })
		synctest.Wait()
		r.trip("target:a/m")
		r.wait(30 * time.Second)
		r.ask("c") // full: the probe is given back
		wg.Wait()
		if res := r.ask("c"); res.text != "" || res.answer == nil {
			t.Errorf("got %+v", res.err)
		}
		r.state("target:a/m", 0)
	})
}
