package sse

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gosse "github.com/tmaxmax/go-sse"
)

// screen is a watcher's side of a stream, for tests in a synctest bubble.
type screen struct {
	mu       sync.Mutex
	header   http.Header
	text     bytes.Buffer
	flushes  int
	deadline time.Time
	stuck    bool   // writes wait for the deadline
	opened   func() // called when the headers went out; nil: nothing
}

func (s *screen) Header() http.Header { return s.header }
func (s *screen) WriteHeader(int)     {}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stuck {
		wait := time.Until(s.deadline)
		s.mu.Unlock()
		time.Sleep(wait)
		s.mu.Lock()
		return 0, os.ErrDeadlineExceeded
	}
	return s.text.Write(p)
}

func (s *screen) FlushError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flushes++
	if s.flushes == 1 && s.opened != nil {
		s.opened()
	}
	return nil
}

func (s *screen) SetWriteDeadline(t time.Time) error {
	s.deadline = t
	return nil
}

func (s *screen) read() string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// watch opens a stream in its own goroutine; done is closed when the handler returns.
func watch(ctx context.Context, b *Broker, lastID string, s *screen) (done chan struct{}) {
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/events", nil)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	s.header = http.Header{}
	done = make(chan struct{})
	go func() {
		defer close(done)
		b.ServeHTTP(s, r)
	}()
	synctest.Wait()
	return done
}

// inBubble runs a test of a broker whose first id is known: synctest starts its clock at a fixed time.
func inBubble(t *testing.T, replay int, test func(ctx context.Context, b *Broker, id func(n int) string)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		first := time.Now().UnixMicro()
		b := NewBroker(replay)
		test(ctx, b, func(n int) string { return strconv.FormatInt(first+int64(n), 10) })
		cancel()
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestBroker(t *testing.T) {
	t.Run("a watcher without an id gets what comes from now on, with increasing ids", func(t *testing.T) {
		inBubble(t, 10, func(ctx context.Context, b *Broker, id func(int) string) {
			b.Publish("old", []byte(`{}`))
			var s screen
			watch(ctx, b, "", &s)
			b.Publish("a", []byte(`{"n":1}`))
			b.Publish("b", []byte("two\nlines"))
			want := "id: " + id(1) + "\nevent: a\ndata: {\"n\":1}\n\nid: " + id(2) + "\nevent: b\ndata: two\ndata: lines\n\n"
			if got := s.read(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if s.header.Get("Content-Type") != "text/event-stream" || s.header.Get("Cache-Control") != "no-cache" {
				t.Errorf("headers %v", s.header)
			}
		})
	})
	t.Run("headers go out before the first event", func(t *testing.T) {
		inBubble(t, 10, func(ctx context.Context, b *Broker, _ func(int) string) {
			var s screen
			watch(ctx, b, "", &s)
			if s.read(); s.flushes != 1 {
				t.Errorf("%d flushes", s.flushes)
			}
		})
	})
	t.Run("what is published when they have gone out is not missed", func(t *testing.T) {
		inBubble(t, 10, func(ctx context.Context, b *Broker, _ func(int) string) {
			s := screen{opened: func() { b.Publish("a", nil) }}
			watch(ctx, b, "", &s)
			if got := s.read(); !strings.Contains(got, "event: a") {
				t.Errorf("got %q", got)
			}
		})
	})
	t.Run("a burst is flushed once", func(t *testing.T) {
		inBubble(t, 100, func(ctx context.Context, b *Broker, id func(int) string) {
			for range 50 {
				b.Publish("a", nil)
			}
			var s screen
			watch(ctx, b, id(0), &s)
			if got := strings.Count(s.read(), "event: a"); got != 49 || s.flushes != 2 {
				t.Errorf("%d events, %d flushes", got, s.flushes)
			}
		})
	})
	t.Run("a quiet stream gets a comment", func(t *testing.T) {
		inBubble(t, 10, func(ctx context.Context, b *Broker, _ func(int) string) {
			var s screen
			watch(ctx, b, "", &s)
			time.Sleep(watcherQuiet)
			if got := s.read(); got != ": keepalive\n\n" {
				t.Errorf("got %q", got)
			}
		})
	})
}

func TestBrokerReplay(t *testing.T) {
	tests := map[string]struct {
		lastID func(id func(int) string) string
		gap    bool
		events []int
	}{
		"from the middle":         {func(id func(int) string) string { return id(7) }, false, []int{8, 9}},
		"from the newest":         {func(id func(int) string) string { return id(9) }, false, nil},
		"from before the oldest":  {func(id func(int) string) string { return id(4) }, false, []int{5, 6, 7, 8, 9}},
		"from what is gone":       {func(id func(int) string) string { return id(3) }, true, []int{5, 6, 7, 8, 9}},
		"from an earlier process": {func(func(int) string) string { return "17" }, true, []int{5, 6, 7, 8, 9}},
		"from a later clock":      {func(id func(int) string) string { return id(10) }, true, []int{5, 6, 7, 8, 9}},
		"from nonsense":           {func(func(int) string) string { return "<x>" }, true, []int{5, 6, 7, 8, 9}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 5, func(ctx context.Context, b *Broker, id func(int) string) {
				for n := range 10 {
					b.Publish("n", fmt.Append(nil, n))
				}
				var s screen
				watch(ctx, b, test.lastID(id), &s)
				got := s.read()
				var want strings.Builder
				for _, n := range test.events {
					fmt.Fprintf(&want, "id: %s\nevent: n\ndata: %d\n\n", id(n), n)
				}
				head, isGap := strings.CutPrefix(got, "event: replay.gap\n")
				if isGap != test.gap {
					t.Fatalf("got %q", got)
				}
				if isGap {
					data, rest, _ := strings.Cut(head, "\n\n")
					if !strings.Contains(data, `"oldest":"`+id(5)+`"`) {
						t.Errorf("gap says %q", data)
					}
					got = rest
				}
				if got != want.String() {
					t.Errorf("got %q, want %q", got, want.String())
				}
			})
		})
	}
}

func TestBrokerSlowWatcher(t *testing.T) {
	t.Run("is cut by its write deadline and delays nobody", func(t *testing.T) {
		inBubble(t, 10, func(ctx context.Context, b *Broker, _ func(int) string) {
			slow, quick := screen{stuck: true}, screen{}
			done := watch(ctx, b, "", &slow)
			watch(ctx, b, "", &quick)
			begin := time.Now()
			b.Publish("a", nil)
			if got := quick.read(); !strings.Contains(got, "event: a") || time.Since(begin) != 0 {
				t.Errorf("the quick one has %q after %s", got, time.Since(begin))
			}
			<-done
			if waited := time.Since(begin); waited != watcherWrite {
				t.Errorf("cut after %s", waited)
			}
		})
	})
	t.Run("that falls behind is told", func(t *testing.T) {
		inBubble(t, 3, func(_ context.Context, b *Broker, id func(int) string) {
			at := b.position(gosse.EventID{})
			for range 10 {
				b.Publish("a", nil)
			}
			events, _, _ := b.after(&at)
			if len(events) != 4 || events[0].Type.String() != GapEvent || events[3].ID.String() != id(9) {
				t.Errorf("got %v", events)
			}
		})
	})
}

func TestBrokerClose(t *testing.T) {
	t.Run("sends what was published and ends all streams", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := NewBroker(10)
			var s screen
			done := watch(t.Context(), b, "", &s)
			b.Publish("last", nil)
			if err := b.Close(t.Context()); err != nil {
				t.Error(err)
			}
			<-done
			if !strings.Contains(s.read(), "event: last") {
				t.Errorf("got %q", s.read())
			}
			b.Publish("later", nil)
			if err := b.Close(t.Context()); err != nil {
				t.Errorf("closing again: %v", err)
			}
		})
	})
	t.Run("waits no longer than its context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := NewBroker(10)
			s := screen{stuck: true}
			done := watch(t.Context(), b, "", &s)
			b.Publish("a", nil)
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := b.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			<-done
		})
	})
	t.Run("refuses watchers that come later", func(t *testing.T) {
		b := NewBroker(10)
		if err := b.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		b.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		if w.Code != http.StatusServiceUnavailable {
			t.Errorf("got %d", w.Code)
		}
	})
}

func TestBrokerOverHTTP(t *testing.T) {
	b := NewBroker(100)
	server := httptest.NewServer(b)
	defer server.Close()
	resp, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var publishers sync.WaitGroup
	for range 4 {
		publishers.Go(func() {
			for range 20 {
				b.Publish("a", []byte("{}"))
			}
		})
	}
	publishers.Wait()
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	last, events := "", 0
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			if id <= last {
				t.Errorf("id %s follows %s", id, last)
			}
			last = id
			events++
		}
	}
	if events != 80 {
		t.Errorf("%d events", events)
	}
}
