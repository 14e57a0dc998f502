package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Routing.md 3: the end of a stream, and its bytes.

func TestAFinishReasonFollowedByAnOrderlyEndCountsAndTheMissingDONEIsAdded(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models)
		one.Script("", raw(roleEvent+helloEvent+finishEvent))
		r := w.ask("one/m", true)
		if r.body != roleEvent+helloEvent+finishEvent+doneEvent || !r.whole || w.charged() != "" {
			w.t.Errorf("whole %v: %q", r.whole, r.body)
		}
		one.Script("", raw(roleEvent+helloEvent+strings.TrimSuffix(finishEvent, "\n"))) // the last event was not ended
		w.ask("one/m", true).broke("Hello", "truncated")
	})
}

func TestBytesBehindTheEndAreRelayedIfTheyCameWithItAndNotWaitedFor(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models)
		one.Script("", script(raw(helloEvent+finishEvent), raw(doneEvent+": behind\n\n"), "delay 1h", raw(": late\n\n")))
		r := w.ask("one/m", true)
		if r.body != helloEvent+finishEvent+doneEvent+": behind\n\n" || !r.whole || r.took > time.Second {
			w.t.Errorf("whole %v after %s: %q", r.whole, r.took, r.body)
		}
	})
}

func TestAReadErrorAfterTheEndIsNothing(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models)
		one.Script("", script(raw(helloEvent+finishEvent+doneEvent), "cut"))
		r := w.ask("one/m", true)
		if r.body != helloEvent+finishEvent+doneEvent || !r.whole || w.charged() != "" {
			w.t.Errorf("whole %v, charged %q: %q", r.whole, w.charged(), r.body)
		}
		w.triedIs("one/m ok")
	})
}

func TestAnErrorIsNeverWrittenIntoTheMiddleOfAnEvent(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models, calm)
		for n := range len(worldEvent) {
			one.Script("", script(raw(roleEvent+helloEvent), "upto "+fmt.Sprint(n), raw(worldEvent), "cut"))
			r := w.ask("one/m", true)
			r.broke("Hello", "truncated")
			if !strings.HasPrefix(r.body, roleEvent+helloEvent+`data: {"error":`) {
				w.t.Errorf("cut at %d: %q", n, r.body)
			}
		}
	})
}

func TestAnySplitAndLineEndGivesTheSameBytes(t *testing.T) {
	stream := ": ping\n\n" + roleEvent + helloEvent + strings.Replace(worldEvent, "data: ", "data:", 1) +
		"event: message\nid: 7\ndata: {\"id\":\"x\",\ndata: \"choices\":[{\"index\":0,\"delta\":{\"content\":\"!\"},\"finish_reason\":null}]}\n\n" +
		finishEvent + "data: {\"id\":\"x\",\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n" + doneEvent
	streams := map[string]string{
		"LF": stream, "CRLF": strings.ReplaceAll(stream, "\n", "\r\n"), "CR": strings.ReplaceAll(stream, "\n", "\r"),
		"a BOM": "\ufeff" + stream, "a BOM and CRLF": "\ufeff" + strings.ReplaceAll(stream, "\n", "\r\n"),
	}
	for name, stream := range streams {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(w *world) {
				one := w.provider("one", models)
				for _, size := range []int{0, 1, 2, 3, 5, 7, 64, 333} {
					one.Script("", script("split "+fmt.Sprint(size), raw(stream)))
					r := w.ask("one/m", true)
					if r.body != stream || !r.whole {
						w.t.Errorf("pieces of %d: whole %v, got\n%q\nwant\n%q", size, r.whole, r.body, stream)
					}
				}
				if l := w.last(); l.Usage == nil || l.Usage.Input != 5 || l.Usage.Output != 2 {
					w.t.Errorf("the log says %+v", l)
				}
			})
		})
	}
}

func TestALargeEventPassesInLinearTime(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models)
		large := strings.Replace(helloEvent, "Hello", strings.Repeat("x", 15<<20), 1)
		one.Script("", script("split 32000", raw(roleEvent+large+finishEvent+doneEvent)))
		r := w.ask("one/m", true)
		if r.body != roleEvent+large+finishEvent+doneEvent || !r.whole {
			w.t.Errorf("whole %v, %d bytes of %d", r.whole, len(r.body), len(large))
		}
	})
}

func TestEventsAreFlushedAsTheyCome(t *testing.T) {
	virtual(t, func(w *world) {
		w.provider("one", models).Script("", "chunk a; delay 1s; chunk b; chunk c; delay 1s; finish stop; delay 1s; done")
		r := w.ask("one/m", true)
		var at []time.Duration
		for _, p := range r.pieces {
			if len(at) == 0 || at[len(at)-1] != p.at {
				at = append(at, p.at)
			}
		}
		if want := []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second}; !slices.Equal(at, want) {
			w.t.Errorf("bytes came at %v, want %v", at, want)
		}
		if enc := r.header.Get("Content-Encoding"); enc != "" {
			w.t.Errorf("the stream is compressed: %s", enc)
		}
	})
}

func TestAcceptEncodingIsNotForwardedAndNothingIsCompressed(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models, `"forward_headers":["X-Mine"]`)
		one.Script("", "chat hello")
		r := w.chat(asking("one/m", streamed), "Accept-Encoding", "gzip, br", "Idempotency-Key", "1", "X-Mine", "yes", "X-Other", "no", "Authorization", "Bearer client")
		r.ok("hello")
		got := one.Requests()[0].Header
		for _, name := range []string{"Accept-Encoding", "Idempotency-Key", "X-Other", "Authorization"} {
			if got.Get(name) != "" {
				w.t.Errorf("%s went up: %q", name, got.Get(name))
			}
		}
		if got.Get("X-Mine") != "yes" || r.header.Get("Content-Encoding") != "" {
			w.t.Errorf("up %v, down %v", got, r.header)
		}
	})
}

func TestUsageIsReadOnTheWayPastAndNeverAskedForOrInvented(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, asks := w.provider("one", models), w.provider("asks", models, `"inject_usage":true`)
		one.Script("", "chat Hello you")
		asks.Script("", "chat Hello you")
		w.ask("one/m", streamed).ok("Hello you")
		l := w.last()
		if (l.Usage == nil) != streamed || !streamed && (l.Usage.Input != 5 || l.Usage.Output != 2) || l.FinishReason != "stop" {
			w.t.Errorf("the log says %+v", l)
		}
		if strings.Contains(string(one.Requests()[0].Body), "stream_options") {
			w.t.Errorf("stream_options went up: %s", one.Requests()[0].Body)
		}
		if !streamed {
			return
		}
		r := w.ask("one/m", true, `"stream_options":{"include_usage":true}`)
		if l := w.last(); l.Usage == nil || l.Usage.Input != 5 || l.Usage.Output != 2 || !strings.Contains(r.body, `"usage":{`) {
			w.t.Errorf("the client asked for usage, the log says %+v, and it got %q", l, r.body)
		}
		r = w.ask("asks/m", true)
		r.ok("Hello you")
		if l := w.last(); l.Usage == nil || l.Usage.Output != 2 || strings.Contains(r.body, `"usage"`) || !asks.Requests()[0].Usage {
			w.t.Errorf("injected: the log says %+v, the client got %q", l, r.body)
		}
		r = w.ask("asks/m", true, `"stream_options":{"include_usage":true}`)
		if !strings.Contains(r.body, `"usage":{`) {
			w.t.Errorf("the client asked for usage and got %q", r.body)
		}
	})
}

func TestAnAnswerInTheWrongFormIsConvertedIfItIsWholeAndValid(t *testing.T) {
	const answer = `json {"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}`
	virtual(t, func(w *world) {
		one, two := w.pair()
		one.Script("", answer)
		r := w.ask("c", true)
		r.ok("Hello")
		if !r.streamed() {
			w.t.Errorf("content-type %q", r.header.Get("Content-Type"))
		}
		one.Script("", script(raw(roleEvent+helloEvent+worldEvent+finishEvent+doneEvent)))
		r = w.ask("c", false)
		r.ok("Hello world")
		if r.streamed() || r.header.Get("Content-Type") != "application/json" {
			w.t.Errorf("content-type %q", r.header.Get("Content-Type"))
		}
		w.triedIs("one/m ok")
		for name, broken := range map[string]string{
			"a stream that is cut":      script(raw(roleEvent+helloEvent), "cut"),
			"a stream without a finish": script(raw(roleEvent + helloEvent)),
		} {
			w.reset()
			one.Script("", broken)
			two.Forget()
			w.ask("c", false).ok("from two")
			if len(two.Requests()) != 1 {
				w.t.Errorf("%s: the next target was asked %d times", name, len(two.Requests()))
			}
		}
		w.reset()
		one.Script("", "upto 50; "+answer+"; cut")
		w.ask("c", true).ok("from two")
	})
}

func TestADrainingGatewayTellsStreamsAndCutsThem(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models)
		one.Script("", "chunk Hello; hang")
		p := w.begin("one/m", true)
		synctest.Wait()
		stop := w.stop
		stop()
		r := p.end()
		r.broke("Hello", "shutting_down")
		if r.took != 30*time.Second {
			w.t.Errorf("it was cut after %s", r.took)
		}
	})
}
