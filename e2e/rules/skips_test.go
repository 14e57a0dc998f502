package rules

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Routing.md 2, steps 1 and 2: who is passed over, and why.

// skips put one's target of the pair into a state in which it is passed over.
var skips = map[string]struct {
	members string // of the provider one
	setup   func(w *world, one *host)
	request string // members of the request
}{
	"drained": {setup: func(w *world, _ *host) {
		w.must(http.MethodPut, "/api/v1/combos/c", comboDocument("c", "one/m*0 two/m"))
	}},
	"only_on": {setup: func(w *world, _ *host) {
		w.must(http.MethodPut, "/api/v1/combos/c", comboDocument("c", "one/m?rate_limit two/m"))
	}},
	"cooldown": {setup: func(w *world, one *host) {
		one.Script("", "error 500 - x")
		w.ask("one/m", false)
	}},
	"open": {setup: func(w *world, one *host) { w.open(one, "one", "m") }},
	"probing": {setup: func(w *world, one *host) {
		w.open(one, "one", "m")
		after(10 * time.Minute)
		one.Script("", "wait go; chat from one")
		probe := w.begin("one/m", false)
		synctest.Wait()
		w.atEnd(func() { one.Release("go"); probe.end().ok("from one") })
	}},
	"isolated": {setup: func(w *world, _ *host) {
		w.must(http.MethodPost, "/api/v1/breakers/"+escaped("target:one/m")+"/isolate", `{"by":"me","reason":"test"}`)
	}},
	"context_window": {
		members: `"models":[{"name":"m","context_window":100}]`,
		request: `"messages":[{"role":"user","content":` + quote(strings.Repeat("word ", 400)) + `}]`,
	},
	"capability": {
		members: `"models":[{"name":"m","capabilities":["vision"]}]`,
		request: `"tools":[{"type":"function","function":{"name":"f"}}]`,
	},
	"concurrency": {
		members: `"models":["m"],"max_concurrency":1`,
		setup: func(w *world, one *host) {
			one.Script("", "wait go; chat from one")
			busy := w.begin("one/m", false)
			synctest.Wait()
			w.atEnd(func() { one.Release("go"); busy.end().ok("from one") })
		},
	},
}

func (w *world) skipping(reason string) (one *host, request []string) {
	w.t.Helper()
	s := skips[reason]
	members := s.members
	if members == "" {
		members = models
	}
	one = w.provider("one", members)
	w.provider("two", models).Script("", "chat from two")
	w.combo("c", "one/m two/m")
	if s.setup != nil {
		s.setup(w, one)
	}
	if s.request != "" {
		request = []string{s.request}
	}
	one.Forget()
	return one, request
}

func TestASkipHasARecordedReasonAndCostsNoAttemptAndNoWait(t *testing.T) {
	for reason := range skips {
		t.Run(reason, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				one, request := w.skipping(reason)
				explained := w.explain("c", asking("c", streamed, request...))
				for _, c := range explained {
					if c.Provider == "one" && (c.Admitted || c.SkipReason != reason) {
						w.t.Errorf("explain says %+v", c)
					}
				}
				r := w.ask("c", streamed, request...)
				r.ok("from two")
				r.from("two/m", 1)
				if r.took != 0 || len(one.Requests()) != 0 {
					w.t.Errorf("it took %s, and the target was asked %d times", r.took, len(one.Requests()))
				}
				want := "one/m !" + reason + ", two/m ok"
				if reason == "only_on" { // it was out of the pool, not passed over
					want = "two/m ok"
				}
				w.triedIs(want)
			})
		})
	}
}

func TestAnErrorListsWhoWasPassedOverAndWhy(t *testing.T) {
	for reason := range skips {
		t.Run(reason, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				_, request := w.skipping(reason)
				w.host("two").Script("", "error 404 model_not_found x")
				r := w.ask("c", streamed, request...)
				got := r.tried()
				switch reason {
				case "only_on":
					if got != "two/m model_not_found, one/m !only_on" {
						w.t.Errorf("tried %q", got)
					}
				case "cooldown": // a park is a preference, and the others have failed
					if got != "two/m model_not_found, one/m+ server_error" {
						w.t.Errorf("tried %q", got)
					}
				default:
					if got != "one/m !"+reason+", two/m model_not_found" {
						w.t.Errorf("tried %q", got)
					}
				}
			})
		})
	}
}

func TestCapabilitiesAndWindowsCountOnlyIfDeclared(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.provider("one", `"models":["m",{"name":"sees","capabilities":["vision","tools"]},{"name":"blind","capabilities":["tools"]},{"name":"wide","context_window":100000}]`).
			Script("", "chat hello")
		image := `"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}]`
		long := `"messages":[{"role":"user","content":` + quote(strings.Repeat("word ", 4000)) + `}]`
		for _, test := range []struct{ model, members, skip string }{
			{"m", image, ""}, {"sees", image, ""}, {"blind", image, "capability"}, {"m", long, ""}, {"wide", long, ""},
		} {
			r := w.ask("one/"+test.model, streamed, test.members)
			if test.skip == "" {
				r.ok("hello")
				continue
			}
			r.failed(http.StatusServiceUnavailable, "all_targets_unavailable")
			if got := r.tried(); got != "one/"+test.model+" !"+test.skip {
				w.t.Errorf("tried %q", got)
			}
		}
	})
}

func TestPermitsOfProviderKeyAndTargetAreAcquiredTogetherOrNot(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", `"models":["m","n"]`, keys(1))
		w.provider("two", models).Script("", "chat from two")
		w.combo("c", "one/m two/m")
		one.Script("", "error 401 invalid_api_key x") // opens the key
		w.ask("one/m", streamed)
		w.open(one, "one", "n")
		after(30 * time.Minute) // the key's next request is a probe
		w.must(http.MethodPost, "/api/v1/breakers/"+escaped("target:one/m")+"/isolate", `{"by":"me","reason":"test"}`)
		for range 3 {
			w.ask("c", streamed).ok("from two")
			w.triedIs("one/m !isolated, two/m ok")
		}
		for _, b := range w.breakers() {
			if b.ProbesInFlight != 0 || b.State == "HALF_OPEN" {
				w.t.Errorf("%s is %s with %d probes in flight", b.Name, b.State, b.ProbesInFlight)
			}
		}
		w.must(http.MethodPost, "/api/v1/breakers/"+escaped("target:one/m")+"/reset", "")
		one.Script("", "chat hello")
		w.ask("c", streamed).ok("hello") // the probe was still there to be had
	})
}

func TestOneProbeAndTheOthersArePassedOver(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, _ := w.pair()
		w.open(one, "one", "m")
		after(10 * time.Minute)
		one.Script("", "wait go; chat from one")
		var all []*pending
		for range 50 {
			all = append(all, w.begin("c", streamed))
		}
		synctest.Wait()
		one.Release("go")
		by := map[string]int{}
		for _, p := range all {
			by[p.end().says()]++
		}
		if by["from one"] != 1 || by["from two"] != 49 {
			w.t.Errorf("answered %v", by)
		}
		if b := w.breaker("target:one/m"); b.State != "CLOSED" {
			w.t.Errorf("after the probe: %s", b.State)
		}
	})
}

func TestAContextLengthGoesOnlyToALargerOrUnknownWindowAndNeverToTheSameModel(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		model := func(name, window string) string { return `"models":[{"name":` + quote(name) + window + `}]` }
		for id, members := range map[string]string{
			"one": model("m", `,"context_window":8000`), "same": model("m", ""), "small": model("s", `,"context_window":8000`),
			"big": model("b", `,"context_window":16000`), "unknown": model("u", ""),
		} {
			w.provider(id, members).Script("", "error 400 context_length_exceeded too long")
		}
		w.combo("c", "one/m same/m small/s big/b unknown/u")
		f := w.ask("c", streamed).failed(http.StatusBadRequest, "context_length_exceeded")
		w.triedIs("one/m context_length, same/m !context_window, small/s !context_window, big/b context_length, unknown/u context_length")
		if !strings.Contains(f.Message, "maximum context length") {
			w.t.Errorf("the message is not OpenAI's wording: %q", f.Message)
		}
	})
	t.Run("the wording names the window", func(t *testing.T) {
		both(t, func(w *world, streamed bool) {
			w.provider("one", models).Script("", "error 400 - This model's maximum context length is 4097 tokens. However, you requested 5000 tokens")
			f := w.ask("one/m", streamed).failed(http.StatusBadRequest, "context_length_exceeded")
			if !strings.Contains(f.Message, "This model's maximum context length is 4097 tokens") {
				w.t.Errorf("the message is %q", f.Message)
			}
		})
	})
}
