package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/ohmroute/ohmroute/server/tracing"
)

// traceSink is a collector of traces that tests make fail and block.
type traceSink struct {
	mu      sync.Mutex
	failure error
	blocked bool // exports last until their context ends
	spans   []sdk.ReadOnlySpan
	closed  int
}

func (c *traceSink) set(failure error, blocked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure, c.blocked = failure, blocked
}

func (c *traceSink) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	c.mu.Lock()
	blocked := c.blocked
	c.mu.Unlock()
	if blocked {
		<-ctx.Done()
		return ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure == nil {
		c.spans = append(c.spans, spans...)
	}
	return c.failure
}

func (c *traceSink) Shutdown(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed++
	return nil
}

// names are the names of the spans that came, and how many came of each.
func (c *traceSink) names() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := map[string]int{}
	for _, s := range c.spans {
		counts[s.Name()]++
	}
	return counts
}

func traced(tb testing.TB, sink *traceSink) func(*Options) {
	tb.Helper()
	tracer, err := tracing.New(tb.Context(), sink, "test")
	if err != nil {
		tb.Fatal(err)
	}
	return func(o *Options) { o.Traces = tracer }
}

const clientTrace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestARequestIsTracedWithItsAttemptsAndWithoutItsText(t *testing.T) {
	sink := &traceSink{}
	s := newStack(t, traced(t, sink))
	s.one.Script("", "error 500 - it broke")
	s.two.Script("", "chat the-answer")
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(`{"model":"c","messages":[{"role":"user","content":"the-prompt"}]}`))
	r.Host, r.RemoteAddr = "localhost:4700", "127.0.0.1:40000"
	r.Header.Set("Traceparent", clientTrace)
	if re := s.serve(r); re.Code != http.StatusOK {
		t.Fatalf("status %d: %s", re.Code, re.Body)
	}
	if err := s.server.Close(t.Context()); err != nil { // what is owed goes out with the end
		t.Fatal(err)
	}
	if got := fmt.Sprint(sink.names()); got != "map[chat c:1 chat m:2]" {
		t.Fatalf("spans %s", got)
	}
	up, err := url.Parse(s.two.URL())
	if err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	for _, span := range sink.spans {
		if id := span.SpanContext().TraceID().String(); !strings.Contains(clientTrace, id) {
			t.Errorf("%s belongs to trace %s", span.Name(), id)
		}
		for _, a := range span.Attributes() {
			seen.WriteString(string(a.Key) + "=" + a.Value.String() + "\n")
		}
	}
	for _, want := range []string{"error.type=server_error", "gen_ai.provider.name=two", "server.address=" + up.Hostname(), "server.port=" + up.Port(), "ohmroute.combo=c"} {
		if !strings.Contains(seen.String(), want+"\n") {
			t.Errorf("no %s in\n%s", want, seen.String())
		}
	}
	for _, secret := range []string{"the-prompt", "the-answer", "sk-secret", "it broke"} {
		if strings.Contains(seen.String(), secret) {
			t.Errorf("%q is in the spans", secret)
		}
	}
	for _, up := range []string{s.one.Requests()[0].Header.Get("Traceparent"), s.two.Requests()[0].Header.Get("Traceparent")} {
		if up != clientTrace {
			t.Errorf("the upstream got traceparent %q", up)
		}
	}
}

// inTracedBubble runs a test on a gateway with a collector, in the bubble's time.
func inTracedBubble(t *testing.T, test func(g *gateway, sink *traceSink)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		sink := &traceSink{}
		g := newGateway(t, false, traced(t, sink))
		g.route(plain(helloAnswer))
		synctest.Wait()
		test(g, sink)
	})
}

var errRefused = &url.Error{Op: "Post", URL: "http://collector", Err: errors.New("connection refused")}

func TestADeadCollectorIsToldOfOnceAndDisturbsNobody(t *testing.T) {
	for name, blocks := range map[string]bool{"by refusing": false, "by hanging": true} {
		t.Run(name, func(t *testing.T) {
			inTracedBubble(t, func(g *gateway, sink *traceSink) {
				t := g.t
				if sink.set(errRefused, false); blocks {
					sink.set(nil, true)
				}
				began := time.Now()
				g.talk(5)
				if waited := time.Since(began); waited != 0 {
					t.Errorf("requests waited %s for the collector", waited)
				}
				time.Sleep(time.Minute)
				if n := strings.Count(g.logs.String(), "collector does not take them"); n != 1 && !blocks {
					t.Errorf("told %d times", n)
				}
				if blocks {
					return // the gateway ends, with the export under way
				}
				sink.set(nil, false)
				time.Sleep(tracesPause)
				synctest.Wait()
				if got := sink.names()["chat m"]; got != 5 {
					t.Errorf("%d attempts arrived later, want 5: %v", got, sink.names())
				}
				if n := strings.Count(g.logs.String(), "collector takes them again"); n != 1 {
					t.Errorf("told %d times that it is well again", n)
				}
			})
		})
	}
}

func TestTracesThatHaveNoRoomAreLostAndCounted(t *testing.T) {
	inTracedBubble(t, func(g *gateway, sink *traceSink) {
		t := g.t
		sink.set(errRefused, false)
		g.talk(1)
		time.Sleep(tracedWithin)
		synctest.Wait()
		g.talk(journalSize + 9)
		sink.set(nil, false)
		time.Sleep(tracesPause)
		synctest.Wait()
		if got := sink.names()["chat m"]; got != journalSize+1 {
			t.Errorf("%d arrived, want those under way and those in the ring", got)
		}
		if page := scrape(g); !strings.Contains(page, "ohmroute_traces_lost_total 9\n") {
			t.Error("the lost ones are not counted")
		}
	})
}

func TestWhatACollectorRefusesIsGivenUpAndCounted(t *testing.T) {
	inTracedBubble(t, func(g *gateway, sink *traceSink) {
		t := g.t
		sink.set(errors.New("failed to send: 400 Bad Request (body: no)"), false)
		g.talk(3)
		time.Sleep(tracedWithin)
		synctest.Wait()
		sink.set(nil, false)
		g.talk(2)
		time.Sleep(tracedWithin)
		synctest.Wait()
		if got := sink.names()["chat m"]; got != 2 {
			t.Errorf("%d arrived, want the later 2", got)
		}
		if page := scrape(g); !strings.Contains(page, "ohmroute_traces_lost_total 3\n") {
			t.Error("the lost ones are not counted")
		}
	})
}
