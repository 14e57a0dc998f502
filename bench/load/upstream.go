package main

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	chatPath    = "/v1/chat/completions"
	releasePath = "/release" // ends the streams that are held
	failBase    = "/fail/v1" // below it every request fails
)

// bodies are reused from request to request.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// upstream is a provider that costs as little as one can. What it answers is ordered by the request, see order.
type upstream struct {
	mu      sync.Mutex
	release chan struct{}
}

func serveUpstream(listen string) error {
	u := &upstream{release: make(chan struct{})}
	server := &http.Server{Addr: listen, Handler: http.HandlerFunc(u.answer), ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}

var (
	wholeAnswer = []byte(`{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"m","choices":[{"index":0,` +
		`"message":{"role":"assistant","content":"` + strings.Repeat("all work and no play ", 40) + `"},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":9,"completion_tokens":160,"total_tokens":169}}`)
	contentEvent = []byte(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m",` +
		`"choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n")
	finalEvents = []byte(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m",` +
		`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
)

func (u *upstream) answer(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == releasePath {
		u.mu.Lock()
		defer u.mu.Unlock()
		close(u.release)
		u.release = make(chan struct{})
		return
	}
	body := bodies.Get().(*bytes.Buffer)
	defer bodies.Put(body)
	body.Reset()
	if _, err := body.ReadFrom(r.Body); err != nil {
		return
	}
	if strings.HasPrefix(r.URL.Path, failBase) {
		http.Error(w, `{"error":{"message":"out of order","type":"server_error"}}`, http.StatusInternalServerError)
		return
	}
	o := orderIn(body.Bytes())
	switch {
	case o.hold:
		u.hold(w, r)
	case o.events > 0:
		stream(w, r, o.events, o.pace)
	default:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(wholeAnswer)))
		_, _ = w.Write(wholeAnswer)
	}
}

// hold sends one event, and the end of the stream when all that are held are released.
func (u *upstream) hold(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	release := u.release
	u.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	if _, err := w.Write(contentEvent); err != nil || http.NewResponseController(w).Flush() != nil {
		return
	}
	select {
	case <-release:
		_, _ = w.Write(finalEvents)
	case <-r.Context().Done():
	}
}

func stream(w http.ResponseWriter, r *http.Request, events int, pace time.Duration) {
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	var tick <-chan time.Time
	if pace > 0 {
		ticker := time.NewTicker(pace)
		defer ticker.Stop()
		tick = ticker.C
	}
	for range events {
		if tick != nil {
			select {
			case <-tick:
			case <-r.Context().Done():
				return
			}
		}
		if _, err := w.Write(contentEvent); err != nil {
			return
		}
		if control.Flush() != nil {
			return
		}
	}
	_, _ = w.Write(finalEvents)
}
