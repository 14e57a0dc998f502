package rules

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// Hostile upstreams: whatever they send, the client gets the next target's answer or an honest error, and what is read
// and kept of it is bounded.

const mib = 1 << 20

func TestFloodsAreCutOffAndTheNextTargetAnswers(t *testing.T) {
	tests := map[string]struct {
		script string
		kinds  string // one of them
		most   int64  // bytes that are read
		plain  bool   // only where a plain answer is asked for
		stream bool   // only where a stream is
	}{
		"endless headers":                       {script: "flood headers", kinds: "connection malformed", most: 2 * mib},
		"an endless body":                       {script: "header Content-Type: application/json; flood body", kinds: "malformed", most: 66 * mib, plain: true},
		"an endless body without a type":        {script: "flood body", kinds: "malformed", most: 18 * mib, stream: true},
		"an endless body of an error":           {script: "status 500; flood body", kinds: "server_error", most: 2 * mib},
		"an endless body of a redirect":         {script: "status 302; header Location: http://two.test/; flood body", kinds: "malformed", most: 2 * mib},
		"endless comments":                      {script: "flood events", kinds: "malformed", most: 2 * mib, stream: true},
		"an event without an end":               {script: "flood line", kinds: "malformed", most: 18 * mib, stream: true},
		"an endless stream where none is asked": {script: "flood events", kinds: "malformed", most: 66 * mib, plain: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				if streamed && test.plain || !streamed && test.stream {
					return
				}
				one, _ := w.pair()
				one.Script("", test.script)
				r := w.ask("c", streamed)
				r.ok("from two")
				kind, _, _ := strings.Cut(strings.TrimPrefix(w.tried(), "one/m "), ",")
				if !strings.Contains(test.kinds, kind) {
					w.t.Errorf("tried %q", w.tried())
				}
				if n := one.taken.Load(); n > test.most {
					w.t.Errorf("%d bytes were read", n)
				}
				if r.took > time.Minute {
					w.t.Errorf("it took %s", r.took)
				}
			})
		})
	}
}

func TestAFloodBehindTheFirstTokenBreaksTheStream(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models)
		one.Script("", "role; chunk Hello; flood line")
		w.ask("one/m", true).broke("Hello", "truncated")
		if n := one.taken.Load(); n > 18*mib {
			w.t.Errorf("%d bytes were read", n)
		}
	})
}

// bomb is a small gzip of 64 MiB of zeros.
var bomb = sync.OnceValue(func() string {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	zeros := make([]byte, mib)
	for range 64 {
		if err == nil {
			_, err = z.Write(zeros)
		}
	}
	if err = errors.Join(err, z.Close()); err != nil {
		panic(err)
	}
	return b.String()
})

func TestADecompressionBombIsNotUnpacked(t *testing.T) {
	packed := bomb()
	for name, upstream := range map[string]string{
		"gzip":              script("header Content-Encoding: gzip", "header Content-Type: application/json", fmt.Sprintf("raw %q", packed)),
		"gzip of a stream":  script("header Content-Encoding: gzip", "header Content-Type: text/event-stream", fmt.Sprintf("raw %q", packed)),
		"gzip, then gzip":   script("header Content-Encoding: gzip, gzip", fmt.Sprintf("raw %q", packed)),
		"br":                script("header Content-Encoding: br", fmt.Sprintf("raw %q", packed)),
		"undeclared":        script("header Content-Type: application/json", fmt.Sprintf("raw %q", packed)),
		"transfer-encoding": script(fmt.Sprintf("wire %q", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"), fmt.Sprintf("wire %q", packed)),
		"of an error":       script("status 500", "header Content-Encoding: gzip", "header Content-Type: application/json", fmt.Sprintf("raw %q", packed)),
		"of a 400":          script("status 429", "header Content-Encoding: gzip", "header Content-Type: application/json", fmt.Sprintf("raw %q", packed)),
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				one, _ := w.pair()
				one.Script("", upstream)
				r := w.ask("c", streamed)
				r.ok("from two")
				if len(r.body) > 10_000 || one.taken.Load() > mib {
					w.t.Errorf("%d bytes were read, the client got %d", one.taken.Load(), len(r.body))
				}
			})
		})
	}
}

func TestACompressedErrorOfTheClientsOwnIsNotPassedOnAsIfItWereNone(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models)
		one.Script("", script("status 400", "header Content-Encoding: gzip", "header Content-Type: application/json", fmt.Sprintf("raw %q", bomb())))
		r := w.ask("one/m", streamed)
		if r.status != http.StatusBadRequest || len(r.body) > 80_000 {
			w.t.Errorf("status %d, %d bytes", r.status, len(r.body))
		}
	})
}

func TestARetryAfterThatIsNoneIsNone(t *testing.T) {
	values := []string{
		"18446744073709551616", "NaN", "-1", "-18446744073709551616", "Inf", "1e300", "0", "0x10", "soon", "",
		"99999999999999999999999999999999999999999999", "-0.5", "Thu, 01 Jan 1970 00:00:00 GMT", "1,2", "５", "\x00", "1\x00", " ",
	}
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models)
		for _, answer := range []string{"error 429 rate_limit_exceeded x", "error 503 - x"} {
			for _, name := range []string{"Retry-After", "Retry-After-Ms", "X-Ms-Retry-After-Ms", "X-RateLimit-Reset"} {
				for _, value := range values {
					w.reset()
					one.Script("", "header "+name+": "+value+"\n"+strings.ReplaceAll(answer, "; ", "\n"))
					r := w.ask("one/m", streamed)
					after := r.header.Get("Retry-After")
					if r.status/100 != 4 && r.status/100 != 5 || after == "" || len(after) > 2 || after[0] == '-' || after == "0" {
						w.t.Errorf("%s: %q: status %d, Retry-After %q", name, value, r.status, after)
					}
					for _, b := range w.breakers() {
						if park := b.parkedFor(); park < 0 || park > 10*time.Second || b.State == "OPEN" {
							w.t.Errorf("%s: %q: %s is %s, parked for %s", name, value, b.Name, b.State, park)
						}
					}
				}
			}
		}
	})
}

func TestRedirectsAreNeverFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308, 300, 304, 305} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				one, two := w.pair()
				evil := w.provider("evil", models)
				evil.Script("", "chat stolen")
				one.Script("", fmt.Sprintf("status %d; header Location: %s/chat/completions", status, evil.base))
				w.ask("c", streamed).ok("from two")
				w.triedIs("one/m malformed, two/m ok")
				if len(evil.Requests()) != 0 || len(one.Requests()) != 1 || len(two.Requests()) != 1 {
					w.t.Errorf("asked %d, %d and %d times", len(evil.Requests()), len(one.Requests()), len(two.Requests()))
				}
			})
		})
	}
}

func TestCookiesGoNeitherWay(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models)
		one.Script("", "header Set-Cookie: session=1; chat hello")
		for range 3 {
			r := w.chat(asking("one/m", streamed), "Cookie", "client=1")
			r.ok("hello")
			if r.header.Get("Set-Cookie") != "" {
				w.t.Errorf("a cookie came down: %v", r.header)
			}
		}
		for _, r := range one.Requests() {
			if r.Header.Get("Cookie") != "" {
				w.t.Errorf("a cookie went up: %v", r.Header)
			}
		}
	})
}

func TestHeadersOfAnUpstreamStayThere(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models)
		hostile := []string{
			"Access-Control-Allow-Origin: *", "X-Ohmroute-Target: other/model", "X-Ohmroute-Combo: other", "X-Should-Retry: true",
			"Location: http://evil.test/", "Refresh: 0", "Content-Disposition: attachment", "Strict-Transport-Security: max-age=1",
			"Content-Length-X: 1", "X-Request-Id: up-1", "Retry-After: 5", "Www-Authenticate: Basic", "Alt-Svc: h3", "Trailer: X-Evil",
		}
		for _, answer := range []string{"chat hello", "error 422 - no", "error 500 - no"} {
			lines := []string{}
			for _, h := range hostile {
				lines = append(lines, "header "+h)
			}
			one.Script("", script(append(lines, answer)...))
			w.reset()
			r := w.ask("one/m", streamed)
			for _, h := range hostile {
				name, value, _ := strings.Cut(h, ": ")
				if got := r.header.Get(name); got == value && name != "Retry-After" {
					w.t.Errorf("%q: %s came down", answer, h)
				}
			}
			if got := r.header.Get("X-Ohmroute-Target"); got != "one/m" {
				w.t.Errorf("x-ohmroute-target %q", got)
			}
		}
	})
}

func TestWhatIsNoTextStaysAnErrorInJSON(t *testing.T) {
	tests := map[string]string{
		"invalid UTF-8 in an error":     "status 500; json {\"error\":{\"message\":\"a\xff\xfeb\",\"type\":\"\xff\",\"code\":\"\xff\"}}",
		"NUL in an error":               "status 500; json {\"error\":{\"message\":\"a\\u0000b\",\"code\":\"a\\u0000\"}}",
		"NUL in the bytes of an error":  "status 500; json {\"error\":{\"message\":\"a\x00b\"}}",
		"a lone surrogate":              `status 500; json {"error":{"message":"a\ud800b"}}`,
		"line breaks":                   `status 500; json {"error":{"message":"a\r\n\r\ndata: {\"x\":1}\n\nb"}}`,
		"an error that is a list":       `status 500; json [{"error":{"message":"x"}}]`,
		"an error that is a number":     `status 500; json {"error":7}`,
		"a message that is an object":   `status 500; json {"error":{"message":{"a":[1]},"code":{"b":2},"type":[3],"param":false}}`,
		"a message of a megabyte":       `status 500; json {"error":{"message":"` + strings.Repeat("x", mib) + `"}}`,
		"deep nesting":                  `status 500; json {"error":` + strings.Repeat(`{"error":`, 5000) + `1` + strings.Repeat("}", 5000) + `}`,
		"invalid UTF-8 in a body":       "json {\"id\":\"\xff\",\"choices\":[{",
		"half an object":                `status 500; json {"error":{"message":"x"`,
		"NUL where an answer should be": "json \x00\x00\x00",
		"an error event of binary":      "role; event {\"error\":{\"message\":\"\xff\x01\",\"code\":\"server_error\"}}",
	}
	for name, upstream := range tests {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				one := w.provider("one", models)
				one.Script("", upstream)
				r := w.ask("one/m", streamed)
				f := r.fault()
				if r.status < 500 || !utf8.ValidString(r.body) || strings.ContainsAny(f.Message+f.Code+f.Type, "\x00\r\n\x01") || len(r.body) > 10_000 {
					w.t.Errorf("status %d, %d bytes: %s", r.status, len(r.body), tail(r.body))
				}
				for path := range map[string]bool{"/api/v1/requests": true, "/api/v1/breakers": true, "/api/v1/stats": true} {
					if text := w.must(http.MethodGet, path, "").body; !json.Valid([]byte(text)) {
						w.t.Errorf("%s is no JSON: %s", path, tail(text))
					}
				}
			})
		})
	}
}

func TestABinaryErrorInAStreamIsToldInOneValidEvent(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models)
		for _, message := range []string{"a\xff\xfeb", `a\u0000b`, `a\n\ndata: {}\n\nb`, `\ud800`, strings.Repeat("x", mib)} {
			w.reset()
			one.Script("", script("role", "chunk Hello", `event {"error":{"message":"`+message+`","code":"server_error"}}`))
			r := w.ask("one/m", true)
			r.broke("Hello", "truncated")
			if !utf8.ValidString(r.body) || len(r.body) > 20_000 {
				w.t.Errorf("%d bytes: %q", len(r.body), tail(r.body))
			}
		}
	})
}

func TestContentPassesAsItIsHoweverOdd(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models)
		for _, content := range []string{`\u0000`, "\x7f", `\ud83d\ude00`, `data: [DONE]\n\n`, `{\"error\":{\"code\":\"rate_limit_exceeded\"}}`, "\u2028", strings.Repeat(`\\\"`, 1000)} {
			stream := roleEvent + strings.Replace(helloEvent, "Hello", content, 1) + finishEvent + doneEvent
			one.Script("", raw(stream))
			if r := w.ask("one/m", true); r.body != stream || !r.whole {
				w.t.Errorf("%q: whole %v, got %q", content, r.whole, tail(r.body))
			}
			answer := `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"` + content + `"},"finish_reason":"stop"}]}`
			one.Script("", "header Content-Type: application/json\nraw "+fmt.Sprintf("%q", answer))
			if r := w.ask("one/m", false); r.body != answer || r.status != http.StatusOK {
				w.t.Errorf("%q: status %d, got %q", content, r.status, tail(r.body))
			}
		}
		if got := w.charged(); got != "" {
			w.t.Errorf("charged is %q", got)
		}
	})
}

func TestHalfWrittenEventsAreNeverPassedOn(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models, calm)
		for _, half := range []string{
			"d", "data", "data:", "data: ", "data: {", `data: {"id":"x","choices":[{"index":0,"delta":{"content":"wor`,
			strings.TrimSuffix(worldEvent, "\n\n"), strings.TrimSuffix(worldEvent, "\n"), "event: x\n", ": comm",
			strings.ReplaceAll(strings.TrimSuffix(worldEvent, "\n"), "\n", "\r\n"), "data: [DO", "data: [DONE]",
		} {
			for _, ending := range []string{"cut", "end", "hang"} {
				one.Script("", script(raw(roleEvent+helloEvent), raw(half), ending))
				r := w.ask("one/m", true)
				if half == "data: [DONE]" && ending == "end" {
					if !r.whole || !strings.HasSuffix(r.body, doneEvent) {
						w.t.Errorf("an end without its line end: whole %v, %q", r.whole, r.body)
					}
					continue
				}
				r.broke("Hello", "truncated")
				if !strings.HasPrefix(r.body, roleEvent+helloEvent+`data: {"error":`) {
					w.t.Errorf("%q, %s: %q", half, ending, r.body)
				}
			}
		}
	})
}

func TestAnUpstreamThatAnswersBeforeItWasAskedIsNoneOfTheNextRequest(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models)
		second := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{\"x\":\"y\"}"
		answer := `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`
		one.Script("", fmt.Sprintf("wire %q", fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s%s", len(answer), answer, second)), "chat mine")
		w.ask("one/m", streamed).ok("hello")
		for range 3 {
			w.ask("one/m", streamed).ok("mine")
		}
	})
}
