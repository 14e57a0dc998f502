package e2e

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/providers/providertest"
)

const eventStream = "header Content-Type: text/event-stream; "

func TestAStreamThatDiesBeforeItsFirstWordMovesOnUnseen(t *testing.T) {
	scripts := map[string]string{
		"cut after headers":        eventStream + "comment waking up; cut",
		"cut after the role":       eventStream + "role; cut",
		"ends without a word":      eventStream + "role; end",
		"error event":              eventStream + `role; event {"error":{"message":"boom","type":"server_error","code":null}}; done`,
		"a page of HTML":           "header Content-Type: text/html; body <html><body>Bad gateway</body></html>",
		"200 with an error":        `json {"error":{"message":"boom","type":"server_error","code":"server_error"}}`,
		"an empty stream":          eventStream + "done",
		"closed without an answer": "cut",
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			g, broken := pair(t, t.TempDir(), nil, script)
			a := g.chat("fast", true)
			g.answered(a)
			if !bytes.HasSuffix(a.body, []byte("data: [DONE]\n\n")) || bytes.Contains(a.body, []byte("error")) {
				t.Fatalf("the client saw something of the failover:\n%s", a.body)
			}
			if n := broken.Count("m"); n != 1 {
				t.Fatalf("the first target was asked %d times", n)
			}
			if b := g.Breaker("provider:down"); b["failure_count"] != float64(1) {
				t.Fatalf("its breaker counts %v failures", b["failure_count"])
			}
		})
	}
}

func TestAStreamThatDiesInTheMiddleIsAnErrorAndAnAbortedConnection(t *testing.T) {
	scripts := map[string]string{
		"cut":                    eventStream + "role; chunk Hello; cut",
		"cut within an event":    eventStream + `role; chunk Hello; raw "data: {\"choi"; cut`,
		"orderly end, no finish": eventStream + "role; chunk Hello; end",
		"error event":            eventStream + `role; chunk Hello; event {"error":{"message":"boom","type":"server_error","code":null}}; done`,
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			g, _ := pair(t, t.TempDir(), nil, script)
			a := g.chat("fast", true)
			if !errors.Is(a.err, io.ErrUnexpectedEOF) {
				t.Errorf("reading the body ended with %v: the connection was not aborted", a.err)
			}
			events := strings.Split(strings.TrimSuffix(string(a.body), "\n\n"), "\n\n")
			last := events[len(events)-1]
			if !strings.HasPrefix(last, `data: {"error":{`) || strings.Contains(last, "\n") {
				t.Errorf("the last event is no error event: %q", last)
			}
			if bytes.Contains(a.body, []byte("[DONE]")) || bytes.Contains(a.body, []byte(`"finish_reason":"stop"`)) {
				t.Errorf("a broken stream was given an end:\n%s", a.body)
			}
			if !bytes.Contains(a.body, []byte("Hello")) {
				t.Errorf("what came before the break is missing:\n%s", a.body)
			}
			kinds, _ := g.Breaker("provider:down")["kind_counts"].(object)
			if kinds["truncated"] != float64(1) {
				t.Errorf("the breaker counted %v", kinds)
			}
		})
	}
}

func TestAClientThatLeavesCancelsItsUpstreamAndChargesNobody(t *testing.T) {
	g, broken := pair(t, t.TempDir(), nil, eventStream+"role; chunk Hello; hang")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan answer, 1)
	go func() { done <- g.chatContext(ctx, "fast", true) }()
	if _, err := broken.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	left := time.Now()
	cancel()
	<-done
	if err := broken.AwaitGone(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(left); took > 5*time.Second {
		t.Errorf("the upstream was cancelled after %s", took)
	}
	if b := g.Breaker("provider:down"); b["failure_count"] != float64(0) || b["state"] != "CLOSED" {
		t.Errorf("a client that left was charged: %v", b)
	}
}

func TestDrainingLetsAStreamEndAndExitsWithZero(t *testing.T) {
	broken := providertest.NewUpstream(t)
	broken.Script("m", eventStream+"role; chunk Hello; wait more; chunk World; finish stop; done")
	g := start(t, t.TempDir(), "--no-demo")
	g.Provider("slow", broken.URL(), nil)
	done := make(chan answer, 1)
	go func() { done <- g.chat("slow/m", true) }()
	if _, err := broken.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	code := make(chan int, 1)
	go func() { code <- g.Stop() }()
	for deadline := time.Now().Add(patience); ; {
		resp, err := http.Get(g.URL + "/readyz")
		if err == nil {
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode == http.StatusServiceUnavailable && bytes.Contains(body, []byte("draining")) {
				break
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("/readyz does not say that the gateway is draining: %v", err)
		}
	}
	broken.Release("more")
	if a := <-done; a.err != nil || !bytes.HasSuffix(a.body, []byte("data: [DONE]\n\n")) {
		t.Errorf("the stream was cut: %v\n%s", a.err, a.body)
	}
	if c := <-code; c != 0 {
		t.Errorf("exit code %d, want 0", c)
	}
}
