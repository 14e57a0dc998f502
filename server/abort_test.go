package server

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// TestClientsThatLeaveAtAnyMomentLeaveNothingBehind holds that no abort keeps a permit, a slot, a stream or a
// goroutine, or charges a target. The harness checks permits and goroutines at the end.
func TestClientsThatLeaveAtAnyMomentLeaveNothingBehind(t *testing.T) {
	inBubble(t, func(r *running) {
		t := r.t
		var open sync.WaitGroup
		r.route(failing(20*time.Millisecond, &providers.Failure{Kind: providers.ContentPolicy, Status: 400}), // never charged
			func(ctx context.Context, a *providers.Attempt) (*providers.Answer, error) {
				open.Add(1)
				answer, err := streaming(chunk{after: 30 * time.Millisecond, data: hello}, chunk{after: 50 * time.Millisecond, data: world + done})(ctx, a)
				answer.Events.(*events).closed = open.Done
				return answer, err
			})
		rnd := rand.New(rand.NewPCG(1, 2))
		var clients sync.WaitGroup
		for range 200 {
			patience := time.Duration(rnd.IntN(120)) * time.Millisecond
			clients.Go(func() {
				ctx, leave := context.WithTimeout(t.Context(), patience)
				defer leave()
				resp, err := r.post(ctx, streamBody)
				if err != nil {
					return
				}
				buf := make([]byte, 16)
				for err == nil {
					_, err = resp.Body.Read(buf)
				}
				resp.Body.Close()
			})
		}
		clients.Wait()
		synctest.Wait()
		open.Wait()
		for _, b := range r.must(http.MethodGet, "/api/v1/breakers", "").json()["breakers"].([]any) {
			b := b.(map[string]any)
			if b["state"] != "CLOSED" || b["failure_count"] != 0.0 || b["probes_in_flight"] != 0.0 {
				t.Errorf("%v", b)
			}
		}
		if n := r.server.traffic.n; n != 0 {
			t.Errorf("%d requests are still counted as under way", n)
		}
	})
}

func TestASlowBodyIsGivenUp(t *testing.T) {
	inBubble(t, func(r *running) {
		t := r.t
		r.route(plain("{}"))
		conn, err := r.Dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		begin := time.Now()
		if _, err := conn.Write([]byte("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 1<<12)
		n, err := conn.Read(buf)
		if waited := time.Since(begin); err != nil || waited != bodyPatience {
			t.Errorf("after %s: %v", waited, err)
		}
		if got := string(buf[:n]); len(got) < 12 || got[9:12] != "408" {
			t.Errorf("answered %q", got)
		}
	})
}

// TestALongAnswerAfterABodyIsNotTakenForASlowBody holds that the deadline of the body is lifted once it was read.
func TestALongAnswerAfterABodyIsNotTakenForASlowBody(t *testing.T) {
	inBubble(t, func(r *running) {
		t := r.t
		r.route(func(ctx context.Context, a *providers.Attempt) (*providers.Answer, error) {
			select {
			case <-time.After(5 * bodyPatience):
				return plain("{}")(ctx, a)
			case <-ctx.Done():
				return nil, &providers.Failure{Kind: providers.Canceled}
			}
		})
		resp, err := r.post(t.Context(), plainBody)
		if err != nil {
			t.Fatal(err)
		}
		if body, whole := readAll(t, resp); body != "{}" || !whole {
			t.Errorf("got %q, whole %v", body, whole)
		}
	})
}
