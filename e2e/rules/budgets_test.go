package rules

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// Routing.md 2: budgets of time and of retries, concurrency, clients that leave.

func TestTheTotalIsOneDeadlineOverTheWholeWalk(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, two := w.pair(`"timeouts":{"total":"10s"}`, `"keepalive":"0s"`)
		one.Script("", "hang")
		r := w.ask("c", streamed)
		r.ok("from two")
		if r.took != 5*time.Second { // half is kept for the other
			w.t.Errorf("it took %s", r.took)
		}
		w.reset()
		two.Script("", "hang")
		r = w.ask("c", streamed)
		r.failed(http.StatusGatewayTimeout, "timeout")
		if r.took != 10*time.Second {
			w.t.Errorf("it took %s", r.took)
		}
		w.triedIs("one/m timeout, two/m timeout")
		// One reached the limit that it was given; two was cut off by a deadline that is not its own.
		if got := w.charged(); got != "provider:one" {
			w.t.Errorf("charged is %q", got)
		}
		if got := r.header.Get("X-Should-Retry"); got != "false" {
			w.t.Errorf("x-should-retry %q", got)
		}
	})
}

func TestTheTotalRunningOutInMidAttemptChargesNobody(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.provider("one", models).Script("", "hang")
		w.combo("c", "one/m", `"timeouts":{"total":"10s"}`, `"keepalive":"0s"`)
		r := w.ask("c", streamed)
		r.failed(http.StatusGatewayTimeout, "timeout")
		if got := w.charged(); got != "" || r.took != 10*time.Second {
			w.t.Errorf("charged is %q after %s", got, r.took)
		}
		if len(w.host("one").Requests()) != 1 {
			w.t.Error("it was not asked once")
		}
	})
}

func TestTheTotalEndsAStreamToo(t *testing.T) {
	virtual(t, func(w *world) {
		w.provider("one", models).Script("", "role; chunk Hello; hang")
		w.combo("c", "one/m", `"timeouts":{"total":"10s"}`)
		r := w.ask("c", true)
		r.broke("Hello", "timeout")
		if got := w.charged(); got != "" || r.took != 10*time.Second {
			w.t.Errorf("charged is %q after %s", got, r.took)
		}
	})
}

func TestTheBudgetsOfANestedComboAreTheOuterOnes(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		for _, id := range []string{"a", "b", "d"} {
			w.provider(id, models, calm).Script("", "error 500 - x")
		}
		w.combo("inner", "a/m b/m", `"retry":{"max_retries":0}`, `"timeouts":{"total":"1s"}`)
		w.combo("capped", "/inner d/m", `"retry":{"max_retries":1}`)
		w.combo("free", "/inner d/m")
		w.ask("capped", streamed).from("b/m", 2)
		w.ask("free", streamed).from("d/m", 3)
		w.host("a").Script("", "delay 3s; chat hello")
		w.ask("free", streamed).ok("hello")
	})
}

func TestTheRetryBudgetStopsAStormAndTheUpstreamsAnswerGoesBack(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models, calm)
		one.Script("", "delay 10ms; error 500 - it broke")
		w.combo("c", "one/m", `"retry":{"same_target":3,"base":"1ms","max":"1ms"}`)
		var all []*pending
		for range 100 {
			all = append(all, w.begin("c", streamed))
		}
		for _, p := range all {
			r := p.end()
			f := r.failed(http.StatusServiceUnavailable, "server_error")
			if r.header.Get("X-Should-Retry") != "false" || f.Message != "one/m: it broke" {
				w.t.Errorf("x-should-retry %q, %q", r.header.Get("X-Should-Retry"), f.Message)
			}
		}
		// A fifth of 100 requests, and three at a time beyond that while they last.
		if n := len(one.Requests()) - 100; n < 20 || n > 20+3*3 {
			w.t.Errorf("100 requests caused %d retries", n)
		}
	})
}

func TestTheFirstAttemptOnAnotherProviderAndASiblingKeyAreFreeOfTheRetryBudget(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.provider("one", models, calm, keys(2)).Script("", "delay 10ms; error 401 invalid_api_key x")
		two := w.provider("two", models, calm)
		two.Script("", "chat hello")
		w.combo("c", "one/m two/m")
		var all []*pending
		for range 100 {
			all = append(all, w.begin("c", streamed))
		}
		for _, p := range all {
			p.end().ok("hello")
		}
	})
}

func TestAClientThatLeavesEndsEveryWait(t *testing.T) {
	waits := map[string]func(w *world){
		"back-off": func(w *world) {
			w.provider("one", models).Script("", "header Retry-After: 20; error 503 - busy")
			w.combo("c", "one/m", `"retry":{"same_target":1}`)
		},
		"the queue": func(w *world) {
			one := w.provider("one", models, `"max_concurrency":1`, `"queue_timeout":"1h"`)
			w.combo("c", "one/m")
			one.Script("", "wait go; chat hello")
			busy := w.begin("one/m", false)
			synctest.Wait()
			w.atEnd(func() { one.Release("go"); busy.end().ok("hello") })
		},
		"a recovery": func(w *world) {
			one := w.provider("one", models)
			w.combo("c", "one/m", `"when_exhausted":{"do":"wait","max_wait":"1h"}`)
			w.open(one, "one", "m")
		},
	}
	for name, prepare := range waits {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				prepare(w)
				before := len(w.host("one").Requests())
				charged := w.charged()
				p := w.begin("c", streamed)
				synctest.Wait()
				asked := len(w.host("one").Requests()) - before
				after(time.Second)
				p.leave()
				p.end()
				begun := time.Now()
				if l := w.last(); l.Status != 499 || time.Since(begun) != 0 {
					w.t.Errorf("the log says %+v after %s", l, time.Since(begun))
				}
				after(8 * time.Minute)
				if n := len(w.host("one").Requests()) - before; n != asked {
					w.t.Errorf("the target was asked %d times after the client had left", n-asked)
				}
				if got := w.charged(); name != "back-off" && got != charged {
					w.t.Errorf("charged is %q, before it was %q", got, charged)
				}
			})
		})
	}
}

// Concurrency.

func TestWhatIsOverTheLimitIsPassedOverAtOnceIfAnotherCandidateIsFree(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models, `"max_concurrency":2`, `"queue_timeout":"1h"`)
		w.provider("two", models).Script("", "chat from two")
		w.combo("c", "one/m two/m")
		one.Script("", "wait go; chat from one")
		first, second := w.begin("c", streamed), w.begin("c", streamed)
		synctest.Wait()
		r := w.ask("c", streamed)
		r.ok("from two")
		w.triedIs("one/m !concurrency, two/m ok")
		if r.took != 0 {
			w.t.Errorf("it took %s", r.took)
		}
		one.Release("go")
		first.end().ok("from one")
		second.end().ok("from one")
		w.ask("c", streamed).ok("from one")
		if got := w.charged(); got != "" {
			w.t.Errorf("charged is %q", got)
		}
	})
}

func TestWithoutAnotherCandidateItWaitsAtMostTheQueueTimeout(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models, `"max_concurrency":1`, `"queue_timeout":"5s"`)
		one.Script("", "wait go; chat hello")
		first := w.begin("one/m", streamed)
		synctest.Wait()
		r := w.ask("one/m", streamed)
		r.failed(http.StatusServiceUnavailable, "all_targets_unavailable")
		if r.took != 5*time.Second || r.tried() != "one/m !concurrency" || r.header.Get("Retry-After") == "" {
			w.t.Errorf("after %s: %s, Retry-After %q", r.took, r.tried(), r.header.Get("Retry-After"))
		}
		second := w.begin("one/m", streamed)
		synctest.Wait()
		after(3 * time.Second)
		one.Release("go")
		first.end().ok("hello")
		second.end().ok("hello")
		longest := int64(0)
		for _, l := range w.log() {
			longest = max(longest, l.QueueMS%5000) // the one that waited in vain is another
		}
		if longest != 3000 {
			w.t.Errorf("it waited %d ms", longest)
		}
		if got := w.charged(); got != "" {
			w.t.Errorf("charged is %q", got)
		}
	})
}

func TestASlotIsHeldUntilTheStreamEnds(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models, `"max_concurrency":1`)
		one.Script("", "role; chunk Hello; wait go; finish stop; done")
		first := w.begin("one/m", true)
		synctest.Wait()
		w.ask("one/m", true).failed(http.StatusServiceUnavailable, "all_targets_unavailable")
		one.Release("go")
		first.end().ok("Hello")
		w.ask("one/m", true).ok("Hello")
	})
}

func TestTheQueueIsBounded(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models, `"max_concurrency":1`, `"queue_timeout":"1h"`)
		one.Script("", "wait go; chat hello")
		var all []*pending
		for range 500 {
			all = append(all, w.begin("one/m", streamed))
		}
		synctest.Wait()
		after(time.Second)
		if n := len(w.log()); n < 400 {
			w.t.Errorf("only %d of 500 were refused at once: the queue holds the rest", n)
		}
		one.Release("go")
		answered := 0
		for _, p := range all {
			if r := p.end(); r.status == http.StatusOK {
				answered++
			}
		}
		if answered < 2 {
			w.t.Errorf("%d were answered", answered)
		}
	})
}
