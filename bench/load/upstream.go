package main

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// serveUpstream is a provider that costs as little as one can: what it answers is written in the request's x-bench-* query.
// events=N streams N events, each after pace; otherwise a JSON answer of about 1 KB is sent.
func serveUpstream(listen string) error {
	server := &http.Server{Addr: listen, Handler: http.HandlerFunc(answer), ReadHeaderTimeout: 10 * time.Second}
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

func answer(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	query := r.URL.Query()
	events, _ := strconv.Atoi(query.Get("events"))
	if events == 0 {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(wholeAnswer)))
		_, _ = w.Write(wholeAnswer)
		return
	}
	pace, _ := time.ParseDuration(query.Get("pace"))
	stream(w, r, events, pace)
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
