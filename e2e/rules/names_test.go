package rules

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Routing.md 1: what a combo is, and what a client's model names.

func TestAModelIsAComboThenAnAliasThenAProvidersModel(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		hosts := map[string]*host{}
		for _, id := range []string{"p", "q", "r"} {
			hosts[id] = w.provider(id, `"models":["m","n"]`)
			hosts[id].Script("", "chat by "+id)
		}
		w.combo("p/m", "q/m")                                // a combo named like a model
		w.combo("other", "r/m", `"aliases":["p/n","quick"]`) // an alias named like one
		for model, want := range map[string]string{"p/m": "q/m", "p/n": "r/m", "quick": "r/m", "other": "r/m", "q/n": "q/n"} {
			r := w.ask(model, streamed)
			r.ok("by " + want[:1])
			r.from(want, 1)
		}
	})
}

func TestAnythingElseIsNotFoundBeforeAnyBreakerExists(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, _ := w.pair()
		w.provider("any") // takes any model
		before := w.must(http.MethodGet, "/api/v1/breakers", "").body
		for _, model := range []string{"nobody", "one/other", "nobody/m", "one", "one/", "/m", "any/", "any/ m", "any/\u0000", "C", "c ", strings.Repeat("x", 5000)} {
			r := w.ask(model, streamed)
			f := r.failed(http.StatusNotFound, "model_not_found")
			if f.Param == nil || *f.Param != "model" || f.Attempts != nil {
				w.t.Errorf("%q: %s", model, r.body)
			}
		}
		if after := w.must(http.MethodGet, "/api/v1/breakers", "").body; after != before {
			w.t.Errorf("breakers before\n%s\nand after\n%s", before, after)
		}
		if len(one.Requests()) != 0 {
			w.t.Error("a target was asked")
		}
	})
}

func TestADirectRouteToAModelThatNobodyNamesHasTheBreakersOfProviderAndKeyOnly(t *testing.T) {
	for script, charged := range map[string]string{
		"chat hello":                   "",
		"error 404 model_not_found no": "", // the target's to answer for: no verdict
		"error 403 - no":               "",
		"error 500 - no":               "provider:any",
		"error 401 invalid_api_key no": "key:any/a",
	} {
		t.Run(script, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				h := w.provider("any", keys(1))
				h.Script("", script)
				w.ask("any/made-up-by-a-client", streamed)
				if got := w.charged(); got != charged {
					w.t.Errorf("charged is %q, want %q", got, charged)
				}
				for _, b := range w.breakers() {
					if strings.Contains(b.Name, "made-up") {
						w.t.Errorf("there is a breaker of a client's text: %s", b.Name)
					}
				}
				if got := h.Requests()[0].Model; got != "made-up-by-a-client" {
					w.t.Errorf("the model went up as %q", got)
				}
				metrics := w.must(http.MethodGet, "/metrics", "").body
				if strings.Contains(metrics, "made-up") || !strings.Contains(metrics, `ohmroute_attempts_total{kind=`) || !strings.Contains(metrics, `model="other",provider="any"`) {
					w.t.Error("metrics don't say other")
				}
			})
		})
	}
}

func TestNamesHaveOneTo128CharactersWithoutControlCharactersOrOuterBlanks(t *testing.T) {
	virtual(t, func(w *world) {
		one, _ := w.pair()
		one.Script("", "chat hello")
		for _, name := range []string{"", " x", "x ", "a\nb", "a\u0000b", "a\u007fb", strings.Repeat("x", 129), "\u0085"} {
			if r := w.admin(http.MethodPost, "/api/v1/combos", comboDocument(name, "one/m")); r.status != http.StatusBadRequest {
				w.t.Errorf("%q: status %d", name, r.status)
			}
			if r := w.admin(http.MethodPost, "/api/v1/combos", comboDocument("z", "one/m", `"aliases":[`+quote(name)+`]`)); r.status != http.StatusBadRequest {
				w.t.Errorf("alias %q: status %d", name, r.status)
			}
		}
		for _, name := range []string{"x", "a b", "a/b/c", "größe", "モデル", "%2f", "a?b#c", strings.Repeat("ü", 128)} {
			w.combo(name, "one/m")
			r := w.ask(name, false)
			r.ok("hello")
			var shown struct{ Name string }
			w.read("/api/v1/combos/"+escaped(name), &shown)
			if shown.Name != name {
				w.t.Errorf("%q is shown as %q", name, shown.Name)
			}
			w.must(http.MethodDelete, "/api/v1/combos/"+escaped(name), "")
			w.ask(name, false).failed(http.StatusNotFound, "model_not_found")
		}
	})
}

func TestARequestWithoutAModelThatNeedsOneIsRefused(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.pair()
		body := strings.Replace(asking("c", streamed), `"model":"c",`, "", 1)
		if streamed && strings.Contains(body, "model") {
			w.t.Fatal(body)
		}
		body = strings.Replace(body, `"model":"c"`, "", 1)
		f := w.chat(body).failed(http.StatusBadRequest, "missing_required_parameter")
		if f.Param == nil || *f.Param != "model" {
			w.t.Errorf("%+v", f)
		}
	})
}

func TestTheTargetsOwnModelNameGoesUpAndNothingElseDiffers(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, two := w.provider("one", `"models":["a/b c"]`), w.provider("two", `"models":["ü"]`)
		w.must(http.MethodPost, "/api/v1/combos", `{"name":"c","targets":[{"provider":"one","model":"a/b c"},{"provider":"two","model":"ü"}]}`)
		one.Script("", "error 500 - x")
		two.Script("", "chat hello")
		body := `{ "seed" : 9007199254740993,"x":{"model":"c","unknown":[1,2.50,1e400]}, "model" :  "c" ,"stream": ` +
			map[bool]string{true: "true", false: "false"}[streamed] + `,"messages":[{"role":"user","content":"mod\u0065l \ud83d\ude00"}] }`
		w.chat(body).ok("hello")
		for h, model := range map[*host]string{one: `"a/b c"`, two: `"ü"`} {
			if got, want := string(h.Requests()[0].Body), strings.Replace(body, `"model" :  "c"`, `"model" :  `+model, 1); got != want {
				w.t.Errorf("went up as\n%s\nwant\n%s", got, want)
			}
		}
	})
}

func TestCombosThatUseATargetShareItsBreaker(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, _ := w.pair()
		w.combo("d", "one/m two/m")
		w.open(one, "one", "m")
		one.Script("", "chat hello")
		for _, name := range []string{"c", "d"} {
			w.ask(name, streamed).ok("from two")
			w.triedIs("one/m !open, two/m ok")
		}
	})
}

func TestANestedCombosOwnStrategyOrdersItsOwnTargetsAtItsPlace(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		for _, id := range []string{"a", "b", "d"} {
			w.provider(id, models).Script("", "error 503 - busy")
		}
		w.combo("inner", "b/m d/m", `"strategy":"round_robin"`)
		w.combo("outer", "/inner a/m")
		w.combo("last", "a/m /inner")
		for _, test := range []struct{ model, want string }{
			{"outer", "b/m overloaded, d/m overloaded, a/m overloaded"},
			{"outer", "d/m overloaded, b/m overloaded, a/m overloaded"},
			{"last", "a/m overloaded, b/m overloaded, d/m overloaded"},
		} {
			w.reset()
			w.ask(test.model, streamed)
			w.triedIs(test.want)
		}
	})
}

func TestCyclesAndADepthOverEightAreRefusedByEitherEndOfTheEdge(t *testing.T) {
	virtual(t, func(w *world) {
		w.pair()
		w.combo("x1", "one/m")
		names := "x1"
		for i := 2; i <= 8; i++ {
			name := "x" + string(rune('0'+i))
			w.combo(name, "/"+names)
			names = name
		}
		w.ask("x8", false) // eight levels work
		if r := w.admin(http.MethodPost, "/api/v1/combos", comboDocument("x9", "/x8")); r.status != http.StatusBadRequest {
			w.t.Errorf("a ninth level above: status %d", r.status)
		}
		w.combo("y1", "one/m")
		if r := w.admin(http.MethodPut, "/api/v1/combos/x1", comboDocument("x1", "/y1")); r.status != http.StatusBadRequest {
			w.t.Errorf("a ninth level below: status %d", r.status)
		}
		for _, target := range []string{"/x1", "/x2", "/x8"} {
			if r := w.admin(http.MethodPut, "/api/v1/combos/x1", comboDocument("x1", target)); r.status != http.StatusBadRequest {
				w.t.Errorf("a cycle over %s: status %d", target, r.status)
			}
		}
		w.ask("x8", false)
	})
}

func TestNothingReachesADrainedTarget(t *testing.T) {
	for _, strategy := range strategies {
		t.Run(strategy, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				one, two := w.provider("one", `"models":["m","m2"]`), w.provider("two", models)
				three := w.provider("three", models, `"enabled":false`)
				w.must(http.MethodPost, "/api/v1/combos", `{"name":"c","strategy":`+quote(strategy)+`,"targets":[
					{"provider":"one","model":"m","weight":0},{"provider":"two","model":"m"},
					{"provider":"one","model":"m2","disabled":true},{"provider":"three","model":"m"}]}`)
				two.Script("", "error 503 - busy")
				for range 8 { // healthy, parked, open: fail-open included
					r := w.ask("c", streamed, `"user":"u"`)
					if r.status != http.StatusServiceUnavailable {
						w.t.Errorf("status %d", r.status)
					}
					if got := r.tried(); !strings.Contains(got, "one/m !drained") || !strings.Contains(got, "three/m !drained") {
						w.t.Errorf("tried %q", got)
					}
				}
				if len(one.Requests())+len(three.Requests()) != 0 {
					w.t.Errorf("drained targets were asked %d times", len(one.Requests())+len(three.Requests()))
				}
			})
		})
	}
}

func TestAFallbackTargetIsReachedOnlyAfterAFailureOfOneOfItsKinds(t *testing.T) {
	tests := map[string]struct{ script, want string }{
		"of its kind":        {"error 429 rate_limit_exceeded x", "one/m rate_limit, two/m rate_limit, x/m ok"},
		"of the second's":    {"error 503 - x", "one/m overloaded, two/m overloaded, y/m ok"},
		"of another kind":    {"error 500 - x", "one/m server_error, two/m server_error, x/m !only_on, y/m !only_on, z/m !only_on"},
		"of nobody's choice": {"error 422 - x", "one/m client_error, x/m !only_on, y/m !only_on, z/m !only_on"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				for _, id := range []string{"one", "two", "x", "y", "z"} {
					w.provider(id, models).Script("", "chat hello")
				}
				w.combo("c", "x/m?rate_limit,content_policy one/m y/m?overloaded two/m z/m?rate_limit")
				w.ask("c", streamed).ok("hello")
				w.triedIs("one/m ok")
				w.host("one").Script("", test.script)
				w.host("two").Script("", test.script)
				w.ask("c", streamed)
				if got := w.tried(); !strings.HasPrefix(got, test.want) {
					w.t.Errorf("tried %q, want %q", got, test.want)
				}
			})
		})
	}
	t.Run("several in their order", func(t *testing.T) {
		both(t, func(w *world, streamed bool) {
			for _, id := range []string{"one", "x", "y", "z"} {
				w.provider(id, models).Script("", "error 429 rate_limit_exceeded x")
			}
			w.combo("c", "z/m?rate_limit one/m x/m?rate_limit y/m?overloaded", `"strategy":"random"`)
			w.ask("c", streamed).failed(http.StatusTooManyRequests, "rate_limit_exceeded")
			if got, want := w.tried(), "one/m rate_limit, z/m rate_limit, x/m rate_limit, y/m !only_on"; got != want {
				w.t.Errorf("tried %q, want %q", got, want)
			}
		})
	})
}

func TestARefusedRequestIsAnsweredByATargetThatWasPutThereForItAndByNothingElse(t *testing.T) {
	refusals := map[string]string{
		"a refusal of the request": "error 400 content_filter no",
		"a content filter":         `json {"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"content_filter"}]}`,
		"a refusal in words":       `json {"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"I can't"},"finish_reason":"stop"}]}`,
	}
	streams := map[string]string{
		"a refusal of the request": "error 400 content_filter no",
		"a content filter":         "role; finish content_filter; done",
		"a refusal in words": `role; event {"id":"x","choices":[{"index":0,"delta":{"refusal":"I can't"},"finish_reason":null}]}; ` +
			`event {"id":"x","choices":[{"index":0,"delta":{"refusal":" do that"},"finish_reason":null}]}; finish stop; done`,
	}
	for name := range refusals {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				for _, id := range []string{"one", "two", "x"} {
					w.provider(id, models).Script("", "chat by "+id)
				}
				script := refusals[name]
				if streamed {
					script = streams[name]
				}
				w.host("one").Script("", script)
				w.combo("with", "one/m two/m x/m?content_policy")
				w.combo("without", "one/m two/m")
				w.combo("all", "one/m two/m", `"failover_on_content_policy":true`)
				w.ask("with", streamed).ok("by x")
				w.triedIs("one/m content_policy, x/m ok")
				refused := w.ask("without", streamed)
				if len(w.host("two").Requests()) != 0 || strings.Contains(refused.body, "all_targets") {
					w.t.Errorf("status %d: %s", refused.status, refused.body)
				}
				w.ask("all", streamed).ok("by two")
				w.triedIs("one/m content_policy, two/m ok")
				if got := w.charged(); got != "" {
					w.t.Errorf("charged is %q", got)
				}
			})
		})
	}
}

func TestAChangeActsOnTheNextRequestAndARequestUnderWayKeepsWhatItBeganWith(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, two := w.pair()
		one.Script("", "wait go; chat from one")
		first := w.begin("c", streamed)
		if _, err := one.Await(w.t.Context(), 1); err != nil {
			w.t.Fatal(err)
		}
		w.must(http.MethodPut, "/api/v1/combos/c", comboDocument("c", "two/m"))
		w.ask("c", streamed).ok("from two")
		w.must(http.MethodDelete, "/api/v1/combos/c", "")
		w.must(http.MethodDelete, "/api/v1/providers/one", "")
		w.ask("c", streamed).failed(http.StatusNotFound, "model_not_found")
		one.Release("go")
		first.end().ok("from one")
		if len(two.Requests()) != 1 {
			w.t.Errorf("two was asked %d times", len(two.Requests()))
		}
	})
}

func TestReadingAComboAndPuttingItBackUnchangedIsAlwaysAccepted(t *testing.T) {
	virtual(t, func(w *world) {
		w.pair(`"aliases":["quick"]`)
		w.combo("full", "one/m*3 two/m?content_policy,rate_limit /c*0",
			`"strategy":"weighted"`, `"retry":{"max_retries":null,"base":"100ms","max":"2s","same_target":2,"pause_on_failover":true}`,
			`"timeouts":{"connect":"10s","first_token":"0s","idle":"5m","response":"10m","total":"1h"}`, `"keepalive":"15s"`,
			`"hold":{"events":2,"time":"300ms"}`, `"failover_on_content_policy":true`,
			`"when_exhausted":{"do":"wait","probe_wait":"1s","max_wait":"10s"}`)
		for _, name := range []string{"c", "full"} {
			before := w.must(http.MethodGet, "/api/v1/combos/"+name, "")
			w.must(http.MethodPut, "/api/v1/combos/"+name, before.body)
			after := w.must(http.MethodGet, "/api/v1/combos/"+name, "")
			if a, b := without(w.t, before.body), without(w.t, after.body); a != b {
				w.t.Errorf("before\n%s\nafter\n%s", a, b)
			}
		}
		for _, id := range []string{"one", "two"} {
			before := w.must(http.MethodGet, "/api/v1/providers/"+id, "")
			w.must(http.MethodPut, "/api/v1/providers/"+id, before.body)
			if after := w.must(http.MethodGet, "/api/v1/providers/"+id, ""); without(w.t, before.body) != without(w.t, after.body) {
				w.t.Errorf("before\n%s\nafter\n%s", before.body, after.body)
			}
		}
		w.host("one").Script("", "chat hello")
		w.ask("c", false).ok("hello")
		if got := w.host("one").Requests()[0].Header.Get("Authorization"); got != "Bearer sk-secret-of-one" {
			w.t.Errorf("the key is now %q", got)
		}
	})
}

// without drops what a change of a document changes by itself.
func without(t *testing.T, document string) string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(document), &v); err != nil {
		t.Fatal(err)
	}
	delete(v, "updated_at")
	delete(v, "version")
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// strategies are those of routing.md 1.
var strategies = []string{
	"priority", "round_robin", "weighted", "random", "least_busy", "p2c", "cheapest", "fastest", "sticky", "last_good", "auto",
}

func TestAComboThatIsAFallbackHasFallbacksOfItsOwn(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		for _, id := range []string{"one", "x", "y", "z"} {
			w.provider(id, models).Script("", "chat by "+id)
		}
		w.combo("inner", "x/m y/m?overloaded z/m*0")
		w.combo("c", "one/m /inner?rate_limit")
		if got, want := w.plan("c"), "one/m, x/m !only_on, y/m !only_on, z/m !drained"; got != want {
			w.t.Errorf("explain says %q, want %q", got, want)
		}
		w.host("one").Script("", "error 503 - busy")
		w.ask("c", streamed) // its own kind is not the inner combo's business
		w.triedIs("one/m overloaded, x/m !only_on")
		w.reset()
		w.host("one").Script("", "error 429 rate_limit_exceeded x")
		w.host("x").Script("", "error 503 - busy")
		w.ask("c", streamed).ok("by y")
		w.triedIs("one/m rate_limit, z/m !drained, x/m overloaded, y/m ok")
	})
}
