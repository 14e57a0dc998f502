package server

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/ohmroute/ohmroute/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// watch opens the event stream and returns what reads its next event of a type: its id and data.
func watch(t *testing.T, url, lastID string) (next func(typ string) (id, data string), leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/v1/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testAdminToken)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	transport := &http.Transport{}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if ct := resp.Header.Get("Content-Type"); !strings.HasPrefix(ct, "text/event-stream") {
		t.Fatalf("content-type %q", ct)
	}
	lines := bufio.NewScanner(resp.Body)
	next = func(want string) (id, data string) {
		t.Helper()
		typ := ""
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				id = value
			case "event":
				typ = value
			case "data":
				data = value
			case "":
				if typ == want {
					return id, data
				}
			}
		}
		t.Fatalf("the stream ended before a %s: %v", want, lines.Err())
		return "", ""
	}
	leave = func() {
		cancel()
		resp.Body.Close()
		transport.CloseIdleConnections()
	}
	t.Cleanup(leave)
	return next, leave
}

func TestEvents(t *testing.T) {
	g := newGateway(t, true)
	url := g.listen()
	next, leave := watch(t, url, "")

	g.must(http.MethodPost, breakerPath+"/isolate", `{"by":"me","reason":"test"}`)
	id, data := next("breaker.transition")
	if id == "" || !strings.Contains(data, `"name":"target:demo/steady"`) || !strings.Contains(data, `"to":"ISOLATED"`) {
		t.Errorf("id %q, data %s", id, data)
	}
	g.must(http.MethodPost, "/api/v1/combos", `{"name":"new","targets":[{"provider":"demo","model":"flaky"}]}`)
	if _, data := next("config.changed"); !strings.Contains(data, `"id":"new"`) || !strings.Contains(data, `"action":"created"`) {
		t.Errorf("config.changed says %s", data)
	}
	leave()

	t.Run("a watcher that comes back gets what it missed", func(t *testing.T) {
		g.ask(http.MethodPost, "/v1/chat/completions", `{"model":"demo/steady","messages":[]}`)
		next, _ := watch(t, url, id)
		next("config.changed")
		if _, data := next("request.finished"); !strings.Contains(data, `"combo":"demo/steady"`) {
			t.Errorf("request.finished says %s", data)
		}
	})
}

func TestFrequentEventsAreMadeForWatchersOnly(t *testing.T) {
	var f feed
	if f.watched() {
		t.Error("watched before anybody came")
	}
	f.watchers.Add(1)
	if !f.watched() {
		t.Error("not watched by one who is there")
	}
}

func TestAWatcherSeesARequestAsSoonAsItEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGateway(t, false, stored(&requestMemory{}, config.RequestLog{}))
		g.route(plain(helloAnswer))
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/events", http.NoBody)
		r.Host, r.RemoteAddr = "localhost:4700", "127.0.0.1:40000"
		r.Header.Set("Authorization", "Bearer "+testAdminToken)
		ctx, leave := context.WithCancel(t.Context())
		w := &logBuffer{}
		var watching sync.WaitGroup
		watching.Go(func() { g.handler.ServeHTTP(&watcherWriter{header: http.Header{}, body: w}, r.WithContext(ctx)) })
		defer watching.Wait()
		defer leave()
		synctest.Wait()
		began := time.Now()
		for _, id := range g.talk(3) {
			synctest.Wait()
			if !strings.Contains(w.String(), id) || time.Since(began) != 0 {
				t.Errorf("after %s the watcher has not seen %s", time.Since(began), id)
			}
		}
	})
}

// watcherWriter takes an event stream.
type watcherWriter struct {
	header http.Header
	body   *logBuffer
}

func (w *watcherWriter) Header() http.Header              { return w.header }
func (w *watcherWriter) Write(b []byte) (int, error)      { return w.body.Write(b) }
func (w *watcherWriter) WriteHeader(int)                  {}
func (w *watcherWriter) FlushError() error                { return nil }
func (w *watcherWriter) SetWriteDeadline(time.Time) error { return nil }
func (w *watcherWriter) SetReadDeadline(time.Time) error  { return nil }
