package rules

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// Routing.md 1, "Strategies: they order, they never admit".

// trio makes the providers a, b and d, which answer with their names, and the combo c over them.
func (w *world) trio(strategy string, members ...string) {
	w.t.Helper()
	for _, id := range []string{"a", "b", "d"} {
		w.provider(id, models).Script("", "chat "+id)
	}
	w.combo("c", "a/m b/m d/m", append(members, `"strategy":`+quote(strategy))...)
}

// served is who answers n requests in turn.
func (w *world) served(n int, streamed bool, members ...string) string {
	w.t.Helper()
	var all strings.Builder
	for range n {
		r := w.ask("c", streamed, members...)
		r.ok(r.says())
		all.WriteString(r.says())
	}
	return all.String()
}

// hold makes requests for a provider's model wait until release.
func (w *world) hold(id string) {
	w.host(id).Script("", `wait go; chat `+id)
}

func TestPriorityAsksAsListed(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.trio("priority")
		if got := w.served(4, streamed); got != "aaaa" {
			w.t.Errorf("served by %s", got)
		}
	})
}

func TestRoundRobinIsCyclicAndTheCursorMovesBehindWhoServed(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.trio("round_robin")
		if got := w.served(7, streamed); got != "abdabda" {
			w.t.Errorf("served by %s", got)
		}
		w.host("b").Script("", "error 400 unsupported_parameter x") // charges nobody
		// b's turn is served by d, so the next begins behind d.
		if got := w.served(5, streamed); got != "dadad" {
			w.t.Errorf("served by %s", got)
		}
	})
}

func TestWeightedIsSmoothAndTheRestIsByWeight(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		for _, id := range []string{"a", "b", "d"} {
			w.provider(id, models).Script("", "chat "+id)
		}
		w.combo("c", "a/m*3 b/m*1", `"strategy":"weighted"`)
		if got := w.served(8, streamed); got != "aabaaaba" {
			w.t.Errorf("3:1 is served by %s, want A A B A", got)
		}
		w.combo("rest", "a/m*1 b/m*5 d/m*9", `"strategy":"weighted"`)
		for _, id := range []string{"a", "b", "d"} {
			w.host(id).Script("", "error 503 - busy")
		}
		w.ask("rest", streamed)
		w.triedIs("d/m overloaded, b/m overloaded, a/m overloaded")
	})
}

func TestRandomRespectsWeights(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.provider("a", models).Script("", "chat a")
		w.provider("b", models).Script("", "chat b")
		w.combo("c", "a/m*3 b/m*1", `"strategy":"random"`)
		got := w.served(300, streamed)
		if n := strings.Count(got, "a"); n < 180 || n > 270 { // six standard deviations
			w.t.Errorf("a served %d of 300, want about 225", n)
		}
	})
}

func TestLeastBusyCountsStreamsUntilTheyEnd(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.trio("least_busy")
		if streamed {
			w.host("a").Script("", "role; chunk a; wait go; finish stop; done")
		} else {
			w.hold("a")
		}
		first := w.begin("c", streamed)
		synctest.Wait()
		if got := w.served(2, streamed); got != "bb" {
			w.t.Errorf("while a is busy: served by %s", got)
		}
		w.host("a").Release("go")
		first.end().ok("a")
		if got := w.served(2, streamed); got != "aa" {
			w.t.Errorf("when a is free again: served by %s", got)
		}
	})
}

func TestOfTwoDrawnTheLessBusyIsAsked(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.provider("a", models)
		w.provider("b", models)
		w.combo("c", "a/m b/m", `"strategy":"p2c"`)
		w.hold("a")
		w.hold("b")
		first := w.begin("c", streamed)
		synctest.Wait()
		busy, free := "a", "b"
		if len(w.host("b").Requests()) == 1 {
			busy, free = "b", "a"
		}
		w.host(free).Script("", "chat "+free)
		if got := w.served(20, streamed); got != strings.Repeat(free, 20) {
			w.t.Errorf("%s is busy: served by %s", busy, got)
		}
		w.host(busy).Release("go")
		first.end().ok(busy)
	})
}

func TestCheapestGoesByThisRequestsTokensAndTiesByLoad(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		price := func(in, out float64) string {
			return fmt.Sprintf(`"models":[{"name":"m","price":{"input":%g,"output":%g}}]`, in, out)
		}
		for id, p := range map[string]string{"none": models, "in": price(1, 100), "out": price(10, 1), "twin": price(10, 1)} {
			w.provider(id, p).Script("", "chat "+id)
		}
		w.combo("c", "none/m in/m out/m twin/m", `"strategy":"cheapest"`)
		long := `"messages":[{"role":"user","content":` + quote(strings.Repeat("word ", 4000)) + `}]`
		w.ask("c", streamed, long, `"max_tokens":1`).ok("in")
		w.ask("c", streamed, `"max_tokens":5000`).ok("out")
		w.hold("out")
		first := w.begin("c", streamed, `"max_tokens":5000`)
		synctest.Wait()
		w.ask("c", streamed, `"max_tokens":5000`).ok("twin")
		w.host("out").Release("go")
		first.end().ok("out")
		if got := w.plan("c"); !strings.HasSuffix(got, "none/m") {
			w.t.Errorf("an undeclared price is not the last: %s", got)
		}
	})
}

func TestFastestMeasuresOneAtATimeAndGoesByTheMovingAverage(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.trio("fastest")
		delays := func(a, b, d string) {
			for id, delay := range map[string]string{"a": a, "b": b, "d": d} {
				w.host(id).Script("", "delay "+delay+"; chat "+id)
			}
		}
		delays("100ms", "50ms", "200ms")
		var measuring []*pending
		for range 3 {
			measuring = append(measuring, w.begin("c", streamed))
			synctest.Wait()
		}
		var by []string
		for _, p := range measuring {
			by = append(by, p.end().says())
		}
		if slices.Sort(by); strings.Join(by, "") != "abd" {
			w.t.Errorf("three requests at a time measured %v", by)
		}
		if got := w.served(3, streamed); got != "bbb" {
			w.t.Errorf("b is the fastest: served by %s", got)
		}
		delays("100ms", "500ms", "200ms")
		if got := w.served(3, streamed); got != "baa" { // 0.3 x 500 ms + 0.7 x 50 ms is over 100 ms
			w.t.Errorf("b has become slow: served by %s", got)
		}
	})
}

func TestStickyKeepsASessionWithItsTargetAlsoAfterARestart(t *testing.T) {
	// mapping is who serves each of 40 sessions, named in each of the four ways.
	mapping := func(w *world, streamed bool) string {
		var all strings.Builder
		for i := range 40 {
			session := fmt.Sprintf("session-%d", i)
			body := asking("c", streamed, `"user":"other"`)
			headers := []string{"X-Session-Id", session}
			switch i % 4 {
			case 1:
				body, headers = asking("c", streamed, `"user":`+quote(session)), nil
			case 2:
				body, headers = asking("c", streamed, `"prompt_cache_key":`+quote(session)), nil
			case 3:
				body, headers = asking("c", streamed, `"messages":[{"role":"system","content":"s"},{"role":"user","content":`+quote(session)+`}]`), nil
			}
			first := w.chat(body, headers...).says()
			for range 2 {
				if again := w.chat(body, headers...).says(); again != first {
					w.t.Errorf("session %d went to %s and then to %s", i, first, again)
				}
			}
			all.WriteString(first)
		}
		return all.String()
	}
	var before, restarted, smaller string
	virtual(t, func(w *world) {
		w.trio("sticky")
		before = mapping(w, false)
	})
	virtual(t, func(w *world) {
		w.trio("sticky")
		restarted = mapping(w, true)
		w.must(http.MethodPut, "/api/v1/combos/c", comboDocument("c", "a/m d/m", `"strategy":"sticky"`))
		smaller = mapping(w, false)
	})
	if before != restarted {
		t.Errorf("before a restart\n%s\nand after it\n%s", before, restarted)
	}
	for i := range before {
		if before[i] != 'b' && smaller[i] != before[i] {
			t.Errorf("b was removed, and session %d moved from %c to %c", i, before[i], smaller[i])
		}
	}
	for _, id := range []string{"a", "b", "d"} {
		if n := strings.Count(before, id); n < 4 {
			t.Errorf("%s serves %d of 40 sessions", id, n)
		}
	}
}

func TestLastGoodAsksFirstWhoServedLast(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.trio("last_good")
		w.host("a").Script("", "error 400 unsupported_parameter x", "chat a")
		if got := w.served(3, streamed); got != "bbb" {
			w.t.Errorf("served by %s", got)
		}
		w.host("b").Script("", "error 400 unsupported_parameter x")
		if got := w.served(2, streamed); got != "aa" {
			w.t.Errorf("served by %s", got)
		}
	})
}

func TestAutoBlendsLatencyLoadAndPriceAndDoesNotExplore(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		price := func(p string) string {
			return `"models":[{"name":"m","price":{"input":` + p + `,"output":` + p + `}}]`
		}
		for id, p := range map[string]string{"dear": price("9"), "cheap": price("1")} {
			w.provider(id, p).Script("", "delay 100ms; chat "+id)
		}
		w.combo("c", "dear/m cheap/m", `"strategy":"auto"`)
		for range 3 { // nothing is measured and nothing is under way: the price decides, and nobody measures the other
			w.ask("c", streamed).ok("cheap")
		}
		w.host("dear").Script("", "delay 1ms; chat dear")
		w.ask("dear/m", streamed).ok("dear")
		w.ask("c", streamed).ok("dear") // a hundred times as fast outweighs the price
	})
}

func TestDegradedIsACandidateLikeClosedExceptInAuto(t *testing.T) {
	for _, strategy := range strategies {
		t.Run(strategy, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				for _, id := range []string{"a", "b"} {
					w.provider(id, models, `"breaker":{"cooldown":"0s"}`).Script("", "chat "+id)
				}
				w.host("a").Script("", "times 3; error 500 - x", "chat a")
				for range 3 {
					w.ask("a/m", streamed)
				}
				if b := w.breaker("provider:a"); b.State != "DEGRADED" {
					w.t.Fatalf("a is %s", b.State)
				}
				w.combo("c", "a/m b/m", `"strategy":`+quote(strategy))
				for _, c := range w.explain("c", "") {
					if !c.Admitted {
						w.t.Errorf("%s/m is not admitted: %s", c.Provider, c.SkipReason)
					}
				}
				switch strategy {
				case "auto":
					w.ask("c", streamed).ok("b")
				case "priority", "round_robin", "weighted", "least_busy", "last_good":
					w.ask("c", streamed).ok("a")
				}
			})
		})
	}
}

func TestEveryStrategyReachesEachEligibleTargetOnce(t *testing.T) {
	for _, strategy := range strategies {
		t.Run(strategy, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				ids := []string{"a", "b", "d", "e"}
				for i, id := range ids {
					w.provider(id, `"models":[{"name":"m","price":{"input":`+fmt.Sprint(i%3)+`,"output":1}}]`)
					w.host(id).Script("", "error 400 unsupported_parameter x")
				}
				w.combo("inner", "d/m e/m", `"strategy":`+quote(strategy))
				w.combo("c", "a/m*2 b/m /inner a/m", `"strategy":`+quote(strategy))
				for range 12 {
					w.ask("c", streamed)
					var tried []string
					for _, a := range w.last().Attempts {
						tried = append(tried, a.Provider)
					}
					if slices.Sort(tried); !slices.Equal(tried, ids) {
						w.t.Errorf("tried %v", tried)
					}
				}
			})
		})
	}
}

func TestFastestOrdersStreamsByTheirFirstTokensAndPlainRequestsByWholeAnswers(t *testing.T) {
	virtual(t, func(w *world) {
		w.provider("a", models).Script("", "delay 100ms; chat a", "delay 1s; chat a")
		w.provider("b", models).Script("", "delay 50ms; chat b", "delay 2s; chat b")
		w.combo("c", "a/m b/m", `"strategy":"fastest"`)
		w.served(2, true)
		w.served(2, false)
		if got := w.plan("c"); got != "b/m, a/m" {
			w.t.Errorf("the plan for a stream is %s", got)
		}
		if got := w.served(1, true) + w.served(1, false); got != "ba" {
			w.t.Errorf("a stream and a plain request are served by %s", got)
		}
	})
}
