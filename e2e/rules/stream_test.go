package rules

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// Routing.md 3: the stream.

// script joins commands, one on each line.
func script(commands ...string) string { return strings.Join(commands, "\n") }

// raw is a command that writes bytes of a stream.
func raw(text string) string {
	return fmt.Sprintf("header Content-Type: text/event-stream\nraw %q", text)
}

// Events of a chat stream.
const (
	roleEvent   = `data: {"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n"
	helloEvent  = `data: {"id":"x","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}` + "\n\n"
	worldEvent  = `data: {"id":"x","choices":[{"index":0,"delta":{"content":" world"},"finish_reason":null}]}` + "\n\n"
	finishEvent = `data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	doneEvent   = "data: [DONE]\n\n"
)

func TestNothingReachesTheClientBeforeTheFirstMeaningfulEvent(t *testing.T) {
	meaningful := map[string]string{
		"content":                       helloEvent,
		"reasoning_content":             `data: {"id":"x","choices":[{"index":0,"delta":{"reasoning_content":"Hm"},"finish_reason":null}]}` + "\n\n",
		"reasoning":                     `data: {"id":"x","choices":[{"index":0,"delta":{"reasoning":"Hm"},"finish_reason":null}]}` + "\n\n",
		"a tool call":                   `data: {"id":"x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"f","arguments":""}}]},"finish_reason":null}]}` + "\n\n",
		"a refusal":                     `data: {"id":"x","choices":[{"index":0,"delta":{"refusal":"No"},"finish_reason":null}]}` + "\n\n",
		"content with a finish reason":  `data: {"id":"x","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}` + "\n\n",
		"content with CRLF":             strings.ReplaceAll(helloEvent, "\n", "\r\n"),
		"content without a space":       strings.Replace(helloEvent, "data: ", "data:", 1),
		"content in lines of data":      strings.Replace(helloEvent, `"choices"`, "\ndata: \"choices\"", 1),
		"content behind other fields":   "id: 1\nretry: 5\nevent: message\n" + helloEvent,
		"content in the first of three": helloEvent + worldEvent + worldEvent,
	}
	held := []string{
		roleEvent, ": ping\n\n", ": OPENROUTER PROCESSING\n\n",
		`data: {"id":"","choices":[],"prompt_filter_results":[]}` + "\n\n",
		`data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":null}]}` + "\n\n",
	}
	for name, event := range meaningful {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(w *world) {
				one, two := w.pair(`"keepalive":"0s"`)
				var commands []string
				for _, h := range held {
					commands = append(commands, raw(h), "delay 1s")
				}
				// Up to here another target can still answer, unseen.
				one.Script("", script(append(commands, "cut")...), script(append(commands, raw(event), "delay 1s", raw(finishEvent+doneEvent))...))
				r := w.ask("c", true)
				r.ok("from two")
				w.triedIs("one/m malformed, two/m ok")
				w.reset()
				two.Forget()
				r = w.ask("c", true)
				if want := strings.Join(held, "") + event + finishEvent + doneEvent; r.body != want || !r.whole {
					w.t.Errorf("got\n%q\nwant\n%q", r.body, want)
				}
				if r.head != 5*time.Second || r.pieces[0].at != 5*time.Second || r.took != 6*time.Second || len(two.Requests()) != 0 {
					w.t.Errorf("headers came after %s, the first bytes after %s, all after %s", r.head, r.pieces[0].at, r.took)
				}
			})
		})
	}
}

func TestWhatIsHeldIsBoundedHoweverItIsSplit(t *testing.T) {
	virtual(t, func(w *world) {
		one, _ := w.pair()
		line := ": " + strings.Repeat("x", 1021) + "\n"
		for lines, want := range map[int]string{200: "one/m ok", 300: "one/m malformed, two/m ok"} {
			for _, before := range []string{strings.Repeat(line, lines) + "\n", strings.Repeat(line+"\n", lines)} {
				for _, upstream := range []string{
					raw(roleEvent + before + helloEvent + finishEvent + doneEvent),
					script(raw(roleEvent+before), "delay 1s", raw(helloEvent+finishEvent+doneEvent)),
					script("split 10000", raw(roleEvent+before+helloEvent+finishEvent+doneEvent)),
				} {
					w.reset()
					one.Script("", upstream)
					w.ask("c", true)
					w.triedIs(want)
				}
			}
		}
	})
}

func TestAStreamThatEndsUncommittedIsJudgedLikeAPlainAnswerAndReplayedWhole(t *testing.T) {
	virtual(t, func(w *world) {
		one, two := w.pair()
		body := roleEvent + strings.Replace(finishEvent, "stop", "length", 1) + doneEvent
		one.Script("", raw(body))
		if r := w.ask("c", true); r.body != body || !r.whole || len(two.Requests()) != 0 {
			w.t.Errorf("got %q", r.body)
		}
	})
}

func TestTheHoldWindowHoldsEventsBack(t *testing.T) {
	tests := map[string]struct {
		hold   string
		events int // so many come before the target dies, a second apart
		saved  bool
		head   time.Duration // of a target that lives
	}{
		"none":                            {`{"events":0,"time":"0s"}`, 1, false, time.Second},
		"two events, dies at the second":  {`{"events":2}`, 2, true, 3 * time.Second},
		"two events, dies at the third":   {`{"events":2}`, 3, false, 3 * time.Second},
		"3.5 s, dies within":              {`{"time":"3500ms"}`, 4, true, 4500 * time.Millisecond},
		"3.5 s, dies later":               {`{"time":"3500ms"}`, 5, false, 4500 * time.Millisecond},
		"whichever ends first: the time":  {`{"events":9,"time":"1500ms"}`, 3, false, 2500 * time.Millisecond},
		"whichever ends first: the count": {`{"events":1,"time":"1h"}`, 2, false, 2 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(w *world) {
				one, _ := w.pair(`"hold":`+test.hold, `"keepalive":"0s"`)
				var dies, lives []string
				for range test.events {
					dies = append(dies, "delay 1s", "chunk x")
				}
				for range 7 {
					lives = append(lives, "delay 1s", "chunk x")
				}
				one.Script("", script(append(dies, "cut")...), script(append(lives, "finish stop", "done")...))
				r := w.ask("c", true)
				if test.saved {
					r.ok("from two")
				} else {
					r.broke(strings.Repeat("x", test.events), "truncated")
				}
				w.reset()
				r = w.ask("c", true)
				r.ok("xxxxxxx")
				if r.head != test.head || r.took != 7*time.Second {
					w.t.Errorf("headers came after %s, want %s; all after %s", r.head, test.head, r.took)
				}
			})
		})
	}
}

func TestKeepaliveComesBeforeTheFirstTokenAndNeverAfterIt(t *testing.T) {
	virtual(t, func(w *world) {
		one, two := w.pair()
		one.Script("", "hang")
		two.Script("", script("delay 5s", "chunk Hello", "delay 1h", "finish stop", "done"))
		w.must(http.MethodPut, "/api/v1/combos/c", comboDocument("c", "one/m two/m", `"timeouts":{"first_token":"32s","idle":"0s"}`))
		r := w.ask("c", true)
		if r.status != http.StatusOK || r.head != 15*time.Second || !r.whole {
			w.t.Fatalf("status %d after %s", r.status, r.head)
		}
		if !strings.HasPrefix(r.body, ": keepalive\n: keepalive\ndata: ") || strings.Count(r.body, "keepalive") != 2 {
			w.t.Errorf("got %q", r.body)
		}
		for name, want := range map[string]string{"Content-Type": "text/event-stream", "X-Ohmroute-Combo": "c", "X-Ohmroute-Target": "", "X-Ohmroute-Attempts": ""} {
			if got := r.header.Get(name); got != want {
				w.t.Errorf("early header %s is %q", name, got)
			}
		}
		if got := slices.Sorted(maps.Keys(r.header)); !slices.Equal(got, []string{"Content-Type", "Date", "X-Ohmroute-Combo", "X-Request-Id"}) {
			w.t.Errorf("the early headers are %q", got)
		}
		if r.trailer.Get("X-Ohmroute-Target") != "two/m" || r.trailer.Get("X-Ohmroute-Attempts") != "2" {
			w.t.Errorf("trailers %v", r.trailer)
		}
	})
}

func TestAfterKeepaliveAFinalFailureIsAnErrorEventWithItsOwnCode(t *testing.T) {
	for last, code := range map[string]string{
		"error 500 - x":                            "server_error",
		"error 429 rate_limit_exceeded x":          "rate_limit_exceeded",
		"error 400 context_length_exceeded x":      "context_length_exceeded",
		"error 400 unsupported_parameter no top_k": "unsupported_parameter",
		`status 422; json {"error":{"message":"no","type":"invalid_request_error","param":"x","code":"own_code"}}`: "own_code",
	} {
		t.Run(code, func(t *testing.T) {
			virtual(t, func(w *world) {
				one, two := w.pair(`"timeouts":{"first_token":"20s"}`)
				one.Script("", "hang")
				two.Script("", last)
				r := w.ask("c", true)
				f := r.fault()
				if r.status != http.StatusOK || r.whole || f.Code != code || strings.Contains(r.body, "[DONE]") || !strings.HasPrefix(r.body, ": keepalive\ndata: ") {
					w.t.Errorf("status %d, whole %v: %q", r.status, r.whole, r.body)
				}
			})
		})
	}
}

func TestAPlainRequestGetsNoKeepalive(t *testing.T) {
	virtual(t, func(w *world) {
		w.provider("one", models).Script("", "delay 1m; chat hello")
		r := w.ask("one/m", false)
		r.ok("hello")
		if r.head != time.Minute {
			w.t.Errorf("headers came after %s", r.head)
		}
	})
}

func TestEachLimitEndsWhatItLimitsAndNothingElse(t *testing.T) {
	tests := map[string]struct {
		script   string
		members  string // of the combo
		streamed bool
		took     time.Duration
		limit    string // in the message; empty: it succeeds
		code     string
	}{
		"first token: 2 min":                           {"hang", "", true, 2 * time.Minute, "first_token", "timeout"},
		"comments don't satisfy the first-token limit": {pings(30), "", true, 2 * time.Minute, "first_token", "timeout"},
		"a role doesn't either":                        {"role; hang", "", true, 2 * time.Minute, "first_token", "timeout"},
		"a first token just in time":                   {"delay 119s; chat hello", "", true, 119 * time.Second, "", ""},
		"idle: 5 min":                                  {"chunk a; hang", "", true, 5 * time.Minute, "idle", "truncated"},
		"bytes just in time keep a stream alive":       {"chunk a; delay 299s; comment x; delay 299s; comment x; delay 299s; finish stop; done", "", true, 3 * 299 * time.Second, "", ""},
		"response: 10 min":                             {"hang", "", false, 10 * time.Minute, "response", "timeout"},
		"a trickle does not stretch the response":      {"split 1; upto 30; chat hello; hang", "", false, 10 * time.Minute, "response", "timeout"},
		"a response just in time":                      {"delay 599s; chat hello", "", false, 599 * time.Second, "", ""},
		"a combo's own first-token limit":              {"hang", `"timeouts":{"first_token":"3s"}`, true, 3 * time.Second, "first_token", "timeout"},
		"a combo's own idle limit":                     {"chunk a; hang", `"timeouts":{"idle":"3s"}`, true, 3 * time.Second, "idle", "truncated"},
		"a combo's own response limit":                 {"hang", `"timeouts":{"response":"3s"}`, false, 3 * time.Second, "response", "timeout"},
		"the response limit is not for streams":        {"chunk a; delay 1h; finish stop; done", `"timeouts":{"response":"3s","idle":"0s"}`, true, time.Hour, "", ""},
		"the first-token limit is not for answers":     {"delay 9m; chat hello", `"timeouts":{"first_token":"3s","idle":"3s"}`, false, 9 * time.Minute, "", ""},
		"a healthy stream may last":                    {script(slices.Repeat([]string{"chunk a", "delay 4m"}, 100)...) + "\nfinish stop\ndone", "", true, 400 * time.Minute, "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(w *world) {
				w.provider("one", models).Script("", test.script)
				members := []string{`"keepalive":"0s"`}
				if test.members != "" {
					members = append(members, test.members)
				}
				w.combo("c", "one/m", members...)
				r := w.ask("c", test.streamed)
				if r.took != test.took {
					w.t.Errorf("it took %s, want %s", r.took, test.took)
				}
				if test.limit == "" {
					if r.status != http.StatusOK || !r.whole || w.charged() != "" {
						w.t.Errorf("status %d, whole %v, charged %q: %q", r.status, r.whole, w.charged(), tail(r.body))
					}
					return
				}
				if f := r.fault(); f.Code != test.code || !strings.Contains(f.Message, test.limit) {
					w.t.Errorf("%+v", f)
				}
				if got := w.charged(); got != "provider:one" {
					w.t.Errorf("charged is %q", got)
				}
			})
		})
	}
	t.Run("connect: 10 s", func(t *testing.T) {
		both(t, func(w *world, streamed bool) {
			w.provider("one", models).connection(silent)
			r := w.ask("one/m", streamed)
			if f := r.failed(http.StatusGatewayTimeout, "timeout"); r.took != 10*time.Second || !strings.Contains(f.Message, "connect") {
				w.t.Errorf("after %s: %+v", r.took, f)
			}
		})
	})
	t.Run("a model's limit is over its provider's, a combo's over both", func(t *testing.T) {
		virtual(t, func(w *world) {
			w.provider("one", `"models":["m",{"name":"slow","timeouts":{"first_token":"9s"}}]`, `"timeouts":{"first_token":"4s"}`).Script("", "hang")
			w.combo("c", "one/slow", `"timeouts":{"first_token":"20s"}`, `"keepalive":"0s"`)
			for model, want := range map[string]time.Duration{"one/m": 4 * time.Second, "one/slow": 9 * time.Second, "c": 20 * time.Second} {
				if r := w.ask(model, true); r.took != want {
					w.t.Errorf("%s took %s, want %s", model, r.took, want)
				}
			}
		})
	})
}

// pings are comments ten seconds apart.
func pings(n int) string {
	return script(slices.Repeat([]string{"comment ping", "delay 10s"}, n)...)
}

func TestAClientThatStopsReadingIsCutAndItsUpstreamCancelled(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models)
		one.Script("", script(slices.Repeat([]string{"chunk " + strings.Repeat("x", 1000), "delay 1s"}, 2000)...))
		conn, err := w.pipes.Dial(w.t.Context(), "", "")
		if err != nil {
			w.t.Fatal(err)
		}
		defer conn.Close()
		body := asking("one/m", true)
		if _, err := fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			w.t.Fatal(err)
		}
		begun := time.Now()
		ctx, cancel := context.WithTimeout(w.t.Context(), time.Hour)
		defer cancel()
		if err := one.AwaitGone(ctx, 1); err != nil {
			w.t.Fatalf("the upstream was not cancelled: %v", err)
		}
		if took := time.Since(begun); took > 2*time.Minute {
			w.t.Errorf("it was cancelled after %s", took)
		}
		if got := w.charged(); got != "" {
			w.t.Errorf("charged is %q", got)
		}
	})
}
