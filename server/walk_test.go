package server

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

const (
	hello   = "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"}}]}\n\n"
	world   = "data: {\"choices\":[{\"delta\":{\"content\":\" world\"},\"finish_reason\":\"stop\"}]}\n\n"
	done    = "data: [DONE]\n\n"
	comment = ": keepalive\n"
)

func serverError() *providers.Failure {
	return &providers.Failure{Kind: providers.ServerError, Status: 500, Message: "it broke"}
}

// inBubble runs a test against a running gateway whose clock is the bubble's.
func inBubble(t *testing.T, test func(r *running), change ...func(*Options)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newGateway(t, false, change...).run()
		defer r.end()
		synctest.Wait() // it is ready
		test(r)
	})
}

func TestStreamsArriveByteForByte(t *testing.T) {
	inBubble(t, func(r *running) {
		t := r.t
		r.route(streaming(chunk{data: hello}, chunk{after: time.Minute, data: world + done}))
		resp, err := r.post(t.Context(), streamBody)
		if err != nil {
			t.Fatal(err)
		}
		body, whole := readAll(t, resp)
		if body != hello+world+done || !whole {
			t.Errorf("got %q, whole %v", body, whole)
		}
		want := map[string]string{
			"Content-Type": "text/event-stream; charset=utf-8", "X-Ohmroute-Combo": "c", "X-Ohmroute-Target": "a/m",
			"X-Ohmroute-Attempts": "1", "X-Upstream-Request-Id": "up-1",
		}
		for name, value := range want {
			if got := resp.Header.Get(name); got != value {
				t.Errorf("%s: %q, want %q", name, got, value)
			}
		}
		if resp.Header.Get("X-Request-Id") == "" {
			t.Error("no x-request-id")
		}
	})
}

func TestPlainAnswersArriveByteForByte(t *testing.T) {
	inBubble(t, func(r *running) {
		t := r.t
		const answer = `{"choices":[{"message":{"content":"hi"}}],  "seed":9007199254740993 }`
		r.route(failing(0, serverError()), plain(answer))
		resp, err := r.post(t.Context(), plainBody)
		if err != nil {
			t.Fatal(err)
		}
		body, whole := readAll(t, resp)
		if body != answer || !whole || resp.ContentLength != int64(len(answer)) {
			t.Errorf("got %q, whole %v, length %d", body, whole, resp.ContentLength)
		}
		if got := resp.Header.Get("X-Ohmroute-Attempts"); got != "2" {
			t.Errorf("attempts %q, want 2", got)
		}
	})
}

func TestAStreamThatBreaksEndsWithOneErrorEventAndACutConnection(t *testing.T) {
	inBubble(t, func(r *running) {
		t := r.t
		cut := &providers.Failure{Kind: providers.Truncated, Message: "the connection was cut"}
		r.route(streaming(chunk{data: hello}, chunk{after: time.Second, err: cut}), streaming(chunk{data: world + done}))
		resp, err := r.post(t.Context(), streamBody)
		if err != nil {
			t.Fatal(err)
		}
		body, whole := readAll(t, resp)
		if whole {
			t.Error("the connection ended in order, which clients take for success")
		}
		rest, ok := strings.CutPrefix(body, hello)
		if !ok || strings.Contains(body, "[DONE]") || strings.Contains(rest, "event:") {
			t.Fatalf("got %q", body)
		}
		e := eventError(t, rest)
		for _, member := range []string{"message", "type", "param", "code"} {
			if _, ok := e[member]; !ok {
				t.Errorf("the error event has no %s: %s", member, rest)
			}
		}
		if len(e) != 4 {
			t.Errorf("the error event has other members: %s", rest)
		}
	})
}

// eventError reads the one error event of one line of data.
func eventError(tb testing.TB, event string) map[string]any {
	tb.Helper()
	data, ok := strings.CutPrefix(event, "data: ")
	if !ok || strings.Count(event, "\n") != 2 || !strings.HasSuffix(event, "\n\n") {
		tb.Fatalf("not one event of one line: %q", event)
	}
	var v struct {
		Error map[string]any `json:"error"`
	}
	if err := json.Unmarshal([]byte(data), &v); err != nil || v.Error == nil {
		tb.Fatalf("no error in %q: %v", event, err)
	}
	return v.Error
}

func TestAFailureBeforeTheFirstTokenHasARealStatus(t *testing.T) {
	for name, body := range map[string]string{"streamed": streamBody, "plain": plainBody} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *running) {
				t := r.t
				limited := &providers.Failure{Kind: providers.RateLimit, Status: 429, Hint: 2 * time.Hour, Message: "slow down"}
				r.route(failing(0, serverError()), failing(0, limited))
				resp, err := r.post(t.Context(), body)
				if err != nil {
					t.Fatal(err)
				}
				text, _ := readAll(t, resp)
				var told struct {
					Error struct {
						Type     string    `json:"type"`
						Code     string    `json:"code"`
						RetryAt  time.Time `json:"retry_at"`
						Attempts []struct {
							Provider string `json:"provider"`
							Kind     string `json:"kind"`
						} `json:"attempts"`
					} `json:"error"`
				}
				if err := json.Unmarshal([]byte(text), &told); err != nil {
					t.Fatalf("%v in %s", err, text)
				}
				if resp.StatusCode != http.StatusTooManyRequests || told.Error.Code != "rate_limit_exceeded" || told.Error.Type != "rate_limit_error" {
					t.Errorf("status %d: %s", resp.StatusCode, text)
				}
				if got := resp.Header.Get("Retry-After"); got != "60" {
					t.Errorf("Retry-After %q, want the cap of 60", got)
				}
				if got := resp.Header.Get("X-Should-Retry"); got != "false" {
					t.Errorf("x-should-retry %q", got)
				}
				if told.Error.RetryAt.Before(time.Now()) {
					t.Errorf("retry_at %s is past", told.Error.RetryAt)
				}
				if a := told.Error.Attempts; len(a) != 2 || a[0].Provider != "a" || a[1].Kind != "rate_limit" {
					t.Errorf("attempts %+v", a)
				}
				if got := resp.Header.Get("X-Ohmroute-Attempts"); got != "2" {
					t.Errorf("x-ohmroute-attempts %q", got)
				}
			})
		})
	}
}

func TestAClientsOwnErrorPassesUntouched(t *testing.T) {
	const answer = `{"error": {"message":"bad temperature" , "type":"invalid_request_error","param":"temperature","code":null}}`
	refusal := &providers.Failure{
		Kind: providers.ClientError, Status: 400, Message: "bad temperature", Type: "invalid_request_error",
		Body: []byte(answer), ContentType: "application/json; charset=utf-8",
	}
	inBubble(t, func(r *running) {
		t := r.t
		r.route(failing(0, refusal))
		resp, err := r.post(t.Context(), plainBody)
		if err != nil {
			t.Fatal(err)
		}
		body, whole := readAll(t, resp)
		if resp.StatusCode != http.StatusBadRequest || body != answer || !whole || resp.Header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("status %d, type %q, body %q", resp.StatusCode, resp.Header.Get("Content-Type"), body)
		}
	})
}

func TestKeepaliveBeforeTheFirstToken(t *testing.T) {
	start := func(r *running) (*http.Response, time.Duration) {
		r.t.Helper()
		begin := time.Now()
		resp, err := r.post(r.t.Context(), streamBody)
		if err != nil {
			r.t.Fatal(err)
		}
		return resp, time.Since(begin)
	}
	t.Run("headers come after the interval, comments at each, and target and attempts as trailers", func(t *testing.T) {
		inBubble(t, func(r *running) {
			t := r.t
			r.route(failing(20*time.Second, serverError()), streaming(chunk{after: 20 * time.Second, data: hello}, chunk{after: time.Hour, data: done}))
			resp, waited := start(r)
			if waited != 15*time.Second || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
				t.Errorf("after %s: status %d, %v", waited, resp.StatusCode, resp.Header)
			}
			if resp.Header.Get("X-Ohmroute-Combo") != "c" || resp.Header.Get("X-Ohmroute-Target") != "" {
				t.Errorf("early headers %v", resp.Header)
			}
			body, whole := readAll(t, resp)
			if body != comment+comment+hello+done || !whole {
				t.Errorf("got %q, whole %v", body, whole)
			}
			if resp.Trailer.Get("X-Ohmroute-Target") != "b/m" || resp.Trailer.Get("X-Ohmroute-Attempts") != "2" {
				t.Errorf("trailers %v", resp.Trailer)
			}
		})
	})
	t.Run("a final failure is an error event with its own code and a cut connection", func(t *testing.T) {
		inBubble(t, func(r *running) {
			t := r.t
			r.route(failing(20*time.Second, &providers.Failure{Kind: providers.Overloaded, Status: 503, Message: "busy"}))
			resp, _ := start(r)
			body, whole := readAll(t, resp)
			event, ok := strings.CutPrefix(body, comment)
			if !ok || whole {
				t.Fatalf("got %q, whole %v", body, whole)
			}
			if e := eventError(t, event); e["code"] != "overloaded" || e["attempts"] == nil {
				t.Errorf("got %v", e)
			}
		})
	})
	t.Run("so is a client's own error", func(t *testing.T) {
		inBubble(t, func(r *running) {
			t := r.t
			r.route(failing(20*time.Second, &providers.Failure{
				Kind: providers.ContextLength, Status: 400, Code: "context_length_exceeded", Message: "too long",
			}))
			resp, _ := start(r)
			body, whole := readAll(t, resp)
			event, ok := strings.CutPrefix(body, comment)
			if !ok || whole {
				t.Fatalf("got %q, whole %v", body, whole)
			}
			if e := eventError(t, event); e["code"] != "context_length_exceeded" {
				t.Errorf("got %v", e)
			}
		})
	})
	t.Run("a plain request gets none", func(t *testing.T) {
		inBubble(t, func(r *running) {
			t := r.t
			r.route(failing(20*time.Second, serverError()))
			resp, err := r.post(t.Context(), plainBody)
			if err != nil {
				t.Fatal(err)
			}
			if body, _ := readAll(t, resp); resp.StatusCode != http.StatusServiceUnavailable || strings.Contains(body, "keepalive") {
				t.Errorf("status %d, body %q", resp.StatusCode, body)
			}
		})
	})
}

func TestAClientThatLeavesCancelsTheUpstreamAtOnce(t *testing.T) {
	for name, first := range map[string][]chunk{
		"before the first token": {{hang: true}},
		"in mid-stream":          {{data: hello}, {hang: true}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *running) {
				t := r.t
				canceled := make(chan time.Time, 1)
				other := 0
				r.route(func(ctx context.Context, a *providers.Attempt) (*providers.Answer, error) {
					context.AfterFunc(ctx, func() { canceled <- time.Now() })
					return streaming(first...)(ctx, a)
				}, func(ctx context.Context, a *providers.Attempt) (*providers.Answer, error) {
					other++
					return streaming(chunk{data: world + done})(ctx, a)
				})
				ctx, leave := context.WithCancel(t.Context())
				var left time.Time
				time.AfterFunc(time.Second, func() { left = time.Now(); leave() })
				resp, err := r.post(ctx, streamBody)
				if err == nil {
					buf := make([]byte, 1<<10)
					for err == nil {
						_, err = resp.Body.Read(buf)
					}
					resp.Body.Close()
				}
				if late := (<-canceled).Sub(left); late > 100*time.Millisecond {
					t.Errorf("canceled %s after the client left", late)
				}
				synctest.Wait()
				if other != 0 {
					t.Error("another target was asked")
				}
				log := r.admin(http.MethodGet, "/api/v1/requests", "").json()["requests"].([]any)
				if len(log) != 1 || log[0].(map[string]any)["status"] != 499.0 {
					t.Errorf("the log says %v", log)
				}
			})
		})
	}
}

func TestAClientThatStopsReadingIsCut(t *testing.T) {
	inBubble(t, func(r *running) {
		t := r.t
		canceled := make(chan time.Time, 1)
		r.route(func(ctx context.Context, a *providers.Attempt) (*providers.Answer, error) {
			context.AfterFunc(ctx, func() { canceled <- time.Now() })
			many := make([]chunk, 1000)
			for i := range many {
				many[i] = chunk{after: time.Second, data: "data: " + strings.Repeat("x", 1<<10) + "\n\n"}
			}
			return streaming(many...)(ctx, a)
		})
		resp, err := r.post(t.Context(), streamBody)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		stopped := time.Now()
		if after := (<-canceled).Sub(stopped); after > writePatience+10*time.Second {
			t.Errorf("canceled after %s", after)
		}
	})
}

func TestASlowReaderIsNotCut(t *testing.T) {
	inBubble(t, func(r *running) {
		t := r.t
		many := make([]chunk, 100)
		for i := range many {
			many[i] = chunk{data: hello}
		}
		r.route(streaming(many...))
		resp, err := r.post(t.Context(), streamBody)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		got := 0
		buf := make([]byte, 128)
		for {
			time.Sleep(10 * time.Second) // the bubble's clock
			n, err := resp.Body.Read(buf)
			got += n
			if err != nil {
				break
			}
		}
		if got != 100*len(hello) {
			t.Errorf("got %d bytes of %d", got, 100*len(hello))
		}
	})
}

func TestDraining(t *testing.T) {
	t.Run("streams end in their own time, readyz says draining, new requests are refused", func(t *testing.T) {
		inBubble(t, func(r *running) {
			t := r.t
			r.route(streaming(chunk{data: hello}, chunk{after: 10 * time.Second, data: world + done}))
			resp, err := r.post(t.Context(), streamBody)
			if err != nil {
				t.Fatal(err)
			}
			before := r.get("/readyz")
			if text, _ := readAll(t, before); before.StatusCode != http.StatusOK {
				t.Errorf("readyz before: %d %s", before.StatusCode, text)
			}
			r.stop()
			synctest.Wait()
			ready := r.get("/readyz")
			if text, _ := readAll(t, ready); ready.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, `"draining"`) {
				t.Errorf("readyz: %d %s", ready.StatusCode, text)
			}
			late, err := r.post(t.Context(), streamBody)
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := readAll(t, late); late.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "shutting_down") {
				t.Errorf("a late request: %d %s", late.StatusCode, text)
			}
			if body, whole := readAll(t, resp); body != hello+world+done || !whole {
				t.Errorf("the stream was %q, whole %v", body, whole)
			}
		})
	})
	t.Run("after drain_timeout streams are told and cut", func(t *testing.T) {
		inBubble(t, func(r *running) {
			t := r.t
			r.route(streaming(chunk{data: hello}, chunk{hang: true}))
			resp, err := r.post(t.Context(), streamBody)
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			r.stop()
			body, whole := readAll(t, resp)
			if waited := time.Since(begin); waited != 5*time.Second {
				t.Errorf("cut after %s, want drain_timeout", waited)
			}
			event, ok := strings.CutPrefix(body, hello)
			if !ok || whole {
				t.Fatalf("got %q, whole %v", body, whole)
			}
			if e := eventError(t, event); e["code"] != "shutting_down" {
				t.Errorf("got %v", e)
			}
		}, func(o *Options) { o.Settings.DrainTimeout = 5 * time.Second })
	})
}

// TestABodyIsGivenBackWhenItsStreamHasBegun: a stream may last for an hour.
func TestABodyIsGivenBackWhenItsStreamHasBegun(t *testing.T) {
	inBubble(t, func(r *running) {
		var req *providers.Request
		sent := 0
		r.route(func(ctx context.Context, a *providers.Attempt) (*providers.Answer, error) {
			req, sent = a.Request, len(a.Body)
			return streaming(chunk{after: time.Second, data: world}, chunk{after: time.Hour, data: world + done})(ctx, a)
		})
		ctx, leave := context.WithCancel(r.t.Context())
		defer leave()
		resp, err := r.post(ctx, streamBody)
		if err != nil {
			r.t.Fatal(err)
		}
		defer resp.Body.Close()
		synctest.Wait()
		if sent != len(streamBody) || req.Body != nil {
			r.t.Errorf("%d bytes before the stream, %d in it", sent, len(req.Body))
		}
	})
}
