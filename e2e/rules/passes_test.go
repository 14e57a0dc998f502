package rules

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Routing.md 1, 2: what a walk does after a failure, a refusal or a full provider, as a client sees it.

// narrow is a provider of one request at a time, with a queue.
const narrow = `"max_concurrency":1,"queue_timeout":"1m"`

// occupied makes a narrow provider whose only slot is taken for so long; then it answers.
func (w *world) occupied(id string, d time.Duration, members ...string) *host {
	w.t.Helper()
	h := w.provider(id, append(members, models, narrow)...)
	w.occupy(id, d)
	return h
}

func (w *world) occupy(id string, d time.Duration) {
	w.t.Helper()
	h := w.host(id)
	h.Script("", "delay "+d.String()+"; chat busy", "delay 1ms; chat from "+id) // so that it is the last in the log
	busy := w.begin(id+"/m", false)
	synctest.Wait()
	w.atEnd(func() { busy.end().ok("busy") })
	h.Forget()
}

func TestASiblingKeyGoesOnWithTheSlotOfItsProvider(t *testing.T) {
	for _, fault := range []string{"error 401 invalid_api_key x", "error 429 rate_limit_exceeded x"} {
		t.Run(fault, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				w.provider("one", models, narrow, keys(2)).Script("", "delay 1s; "+fault, "delay 1s; chat hello")
				w.combo("c", "one/m")
				var all []*pending
				for range 3 {
					all = append(all, w.begin("c", streamed))
					synctest.Wait()
				}
				for _, p := range all {
					p.end().ok("hello")
				}
			})
		})
	}
}

func TestAFullProviderIsWaitedForWheneverItsTurnComes(t *testing.T) {
	tests := map[string]struct {
		targets string
		parked  bool // one, by its own failure
		want    string
	}{
		"alone":                            {"one/m", false, "one/m ok"},
		"as a fallback target":             {"two/m one/m?server_error", false, "two/m server_error, one/m ok"},
		"when every target refuses":        {"one/m", true, "one/m+ ok"},
		"when those that admitted failed":  {"two/m one/m", true, "two/m server_error, one/m+ ok"},
		"a parked fallback target as well": {"two/m one/m?server_error", true, "two/m server_error, one/m+ ok"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				w.provider("two", models).Script("", "error 500 - x")
				one := w.provider("one", models, narrow)
				if test.parked {
					one.Script("", "delay 1s; error 500 - x")
					first := w.begin("one/m", false)
					synctest.Wait()
					w.must(http.MethodPut, "/api/v1/providers/one", object(`"id":"one"`, `"kind":"openai"`, `"base_url":`+quote(one.base), models,
						`"max_concurrency":2,"queue_timeout":"1m"`))
					w.occupy("one", 3*time.Second)
					first.end()
					w.must(http.MethodPut, "/api/v1/providers/one", object(`"id":"one"`, `"kind":"openai"`, `"base_url":`+quote(one.base), models, narrow))
				} else {
					w.occupy("one", 2*time.Second)
				}
				w.combo("c", test.targets)
				r := w.ask("c", streamed)
				r.ok("from one")
				if r.took != 2*time.Second+time.Millisecond {
					w.t.Errorf("it took %s", r.took)
				}
				w.triedIs(test.want)
			})
		})
	}
}

func TestWhoWaitsInAQueueIsTriedAgainAsSameTargetSays(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.occupied("one", time.Second)
		w.combo("c", "one/m", `"retry":{"same_target":1}`)
		p := w.begin("c", streamed)
		synctest.Wait()
		one.Script("", "delay 1ms; error 500 - x", "chat from one")
		p.end().ok("from one")
		w.triedIs("one/m server_error, one/m ok")
	})
}

func TestOfSeveralFullProvidersTheFirstWithASlotAnswers(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.occupied("one", 3*time.Second)
		w.occupied("two", time.Second)
		w.combo("c", "one/m two/m")
		r := w.ask("c", streamed)
		r.ok("from two")
		if r.took != time.Second+time.Millisecond {
			w.t.Errorf("it took %s", r.took)
		}
	})
}

func TestAClientWaitsForNobodyWhileAFallbackTargetIsFree(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.occupied("full", 3*time.Second)
		w.provider("one", models).Script("", "header Retry-After: 4; error 429 - x")
		w.provider("two", models).Script("", "chat from two")
		for name, targets := range map[string]string{"hinted": "one/m two/m?rate_limit", "behind": "full/m one/m two/m?rate_limit"} {
			w.reset()
			w.combo(name, targets, `"retry":{"same_target":1}`)
			r := w.ask(name, streamed)
			r.ok("from two")
			if r.took != 0 {
				w.t.Errorf("%s: it took %s", name, r.took)
			}
		}
	})
}

func TestTheTotalLeavesTimeForWhoeverMayStillBeAsked(t *testing.T) {
	total := []string{`"timeouts":{"total":"10s"}`, `"keepalive":"0s"`}
	t.Run("a fallback target for time-outs", func(t *testing.T) {
		both(t, func(w *world, streamed bool) {
			w.provider("one", models).Script("", "hang")
			w.provider("two", models).Script("", "chat from two")
			w.combo("c", "one/m two/m?timeout", total...)
			w.ask("c", streamed).ok("from two")
		})
	})
	t.Run("who is merely parked", func(t *testing.T) {
		both(t, func(w *world, streamed bool) {
			w.provider("one", models).Script("", "hang")
			w.provider("two", models, `"breaker":{"cooldown":"1m"}`).Script("", "error 500 - x", "chat from two")
			w.ask("two/m", streamed)
			w.combo("c", "two/m one/m", total...)
			w.ask("c", streamed).ok("from two")
			w.triedIs("one/m timeout, two/m+ ok")
		})
	})
	t.Run("who is full", func(t *testing.T) {
		both(t, func(w *world, streamed bool) {
			w.provider("one", models).Script("", "hang")
			w.occupied("two", 7*time.Second)
			w.combo("c", "two/m one/m", total...)
			w.ask("c", streamed).ok("from two")
			w.triedIs("one/m timeout, two/m ok")
		})
	})
	t.Run("while events are held back", func(t *testing.T) {
		virtual(t, func(w *world) {
			w.provider("one", models).Script("", "role; chunk a; hang")
			w.provider("two", models).Script("", "chat from two")
			for name, hold := range map[string]string{"events": `{"events":3}`, "time": `{"time":"1m"}`} {
				w.reset()
				w.combo(name, "one/m two/m", append(total, `"hold":`+hold)...)
				w.ask(name, true).ok("from two")
				w.triedIs("one/m timeout, two/m ok")
				if got := w.charged(); got != "provider:one" {
					w.t.Errorf("charged is %q", got)
				}
			}
		})
	})
}

func TestTimeThatRunsOutInAQueueLeavesTheAnswerToTheLastFailure(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.occupied("full", time.Minute)
		w.provider("one", models).Script("", "error 500 - x")
		total := []string{`"timeouts":{"total":"1s"}`, `"keepalive":"0s"`}
		w.combo("c", "full/m one/m", total...)
		w.ask("c", streamed).failed(http.StatusServiceUnavailable, "server_error")
		w.combo("none", "full/m", total...)
		w.ask("none", streamed).failed(http.StatusServiceUnavailable, "all_targets_unavailable")
	})
}

func TestFallbackTargetsThatAreMerelyParkedGetTheirChance(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.provider("two", models).Script("", "error 500 - x", "chat from two")
		w.ask("two/m", streamed)
		one := w.provider("one", models)
		for _, refusal := range []string{"error 500 - x", "error 400 content_filter x"} {
			one.Script("", refusal)
			w.combo("c"+refusal[6:9], "one/m two/m?server_error,content_policy")
			w.ask("c"+refusal[6:9], streamed).ok("from two")
			if got := w.tried(); !strings.HasSuffix(got, ", two/m+ ok") && !strings.HasSuffix(got, ", two/m ok") {
				w.t.Errorf("tried %q", got)
			}
		}
	})
}

func TestASiblingKeyThatIsMerelyParkedGetsItsChance(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models, keys(2))
		w.combo("c", "one/m")
		one.Script("", "chat hello", "error 429 - x", "chat hello", "error 401 invalid_api_key x", "chat hello")
		w.ask("c", streamed).ok("hello")
		w.ask("c", streamed).ok("hello")
		w.triedIs("one/m#b rate_limit, one/m#a ok")
		w.ask("c", streamed).ok("hello") // a turns out bad while b is parked
		w.triedIs("one/m#a auth, one/m#b+ ok")
	})
}

func TestARefusalIsAnsweredByATargetOfThePoolThatWasPutThereForItToo(t *testing.T) {
	for name, targets := range map[string]string{
		"in the pool":                  "one/m two/m two/m?content_policy",
		"in a combo of the pool":       "one/m /inner two/m?content_policy",
		"in a combo for it":            "one/m /inner?content_policy",
		"in a combo with the refusing": "one/m /both?content_policy",
	} {
		for _, refusal := range []string{"error 400 content_filter x", "refuse no"} {
			t.Run(name+", "+refusal, func(t *testing.T) {
				both(t, func(w *world, streamed bool) {
					if refusal == "refuse no" {
						refusal = "role; finish content_filter; done"
						if !streamed {
							refusal = `json {"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"no"},"finish_reason":"stop"}]}`
						}
					}
					w.provider("one", models).Script("", refusal)
					w.provider("two", models).Script("", "chat from two")
					w.combo("inner", "two/m")
					w.combo("both", "one/m two/m")
					w.combo("c", targets)
					w.ask("c", streamed).ok("from two")
				})
			})
		}
	}
}

func TestAfterARefusalNobodyAnswersWhoWasPutThereForSomethingElse(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.provider("one", models).Script("", "error 429 - x")
		two := w.provider("two", models)
		w.provider("three", models).Script("", "chat from three")
		w.combo("c", "one/m two/m three/m?rate_limit")
		two.Script("", "error 400 content_filter x")
		w.ask("c", streamed).failed(http.StatusBadRequest, "content_filter")
		w.triedIs("one/m rate_limit, two/m content_policy, three/m !only_on")
	})
}

func TestANestedRoundRobinServesAllItsTargetsUnderAnother(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.trio("round_robin")
		for _, strategy := range []string{"round_robin", "weighted"} {
			w.combo("in-"+strategy, "a/m b/m", `"strategy":`+quote(strategy))
			w.combo("out-"+strategy, "d/m /in-"+strategy, `"strategy":"round_robin"`)
			var by strings.Builder
			for range 8 {
				by.WriteString(w.ask("out-"+strategy, streamed).says())
			}
			if got := by.String(); got != "dadbdadb" {
				w.t.Errorf("%s: served by %s", strategy, got)
			}
		}
	})
}
