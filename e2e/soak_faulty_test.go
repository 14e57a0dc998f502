package e2e

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// faulty is a target that fails at random, with a certain share of its calls.
type faulty struct {
	share   float64
	handled atomic.Int64
	server  *httptest.Server
	meeting atomic.Pointer[sync.WaitGroup]
}

func newFaulty(t *testing.T, share float64) *faulty {
	t.Helper()
	f := &faulty{share: share}
	f.server = httptest.NewServer(f)
	t.Cleanup(func() {
		f.server.CloseClientConnections()
		f.server.Close()
	})
	return f
}

// meet makes the next calls, so many, wait for each other and fail no more.
func (f *faulty) meet(calls int) {
	var all sync.WaitGroup
	all.Add(calls)
	f.meeting.Store(&all)
}

const (
	soakWord  = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Hello "},"finish_reason":null}]}` + "\n\n"
	soakLast  = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	soakWhole = `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`
)

// soakFaults are the ways to fail; each is as likely.
var soakFaults = []func(w http.ResponseWriter, r *http.Request){
	func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusInternalServerError)
	},
	func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"busy"}}`, http.StatusServiceUnavailable)
	},
	func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0.1")
		http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
	},
	func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"error":{"message":"no","type":"server_error","code":"server_error"}}`)
	},
	func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	func(w http.ResponseWriter, _ *http.Request) { // in mid-stream, or in the middle of a document
		w.Header().Set("Content-Type", "text/event-stream")
		soakSay(w, soakWord)
		panic(http.ErrAbortHandler)
	},
	func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		soakSay(w, soakWord)
		<-r.Context().Done()
	},
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	f.handled.Add(1)
	if all := f.meeting.Load(); all != nil {
		all.Done()
		all.Wait()
	} else if rand.Float64() < f.share {
		soakFaults[rand.IntN(len(soakFaults))](w, r)
		return
	}
	if !bytes.Contains(body, []byte(`"stream":true`)) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, soakWhole)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for range 3 {
		soakSay(w, soakWord)
		if rand.IntN(8) == 0 {
			<-time.After(time.Millisecond)
		}
	}
	soakSay(w, soakLast)
}

func soakSay(w http.ResponseWriter, text string) {
	_, _ = io.WriteString(w, text)
	_ = http.NewResponseController(w).Flush()
}
