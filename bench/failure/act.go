package main

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	word = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n"
	last = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	full = `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"word"},` +
		`"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`
)

// wait is false if the caller left meanwhile.
func wait(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

func answerWell(w http.ResponseWriter, r *http.Request, streamed bool) {
	if !streamed {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, full)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for range wordsStream {
		if !say(w, word) || !wait(r, wordsApart) {
			return
		}
	}
	say(w, last)
}

func say(w http.ResponseWriter, text string) bool {
	_, err := io.WriteString(w, text)
	return err == nil && http.NewResponseController(w).Flush() == nil
}

func refuse(w http.ResponseWriter, _ *http.Request, _ bool) {
	fail(w, http.StatusServiceUnavailable, "server_error", "out of order")
}

func hang(_ http.ResponseWriter, r *http.Request, _ bool) { <-r.Context().Done() }

func hangInStream(w http.ResponseWriter, r *http.Request, _ bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	if say(w, word) {
		<-r.Context().Done()
	}
}

// limited refuses for the rate, with a hint that is scaled as everything is; 0 is none.
func limited(scale float64) act {
	return func(w http.ResponseWriter, _ *http.Request, _ bool) {
		if scale > 0 {
			w.Header().Set("Retry-After", strconv.FormatFloat(retryAfter.Seconds()*scale, 'f', -1, 64))
		}
		fail(w, http.StatusTooManyRequests, "rate_limit_exceeded", "slow down")
	}
}

func lie(w http.ResponseWriter, _ *http.Request, _ bool) {
	fail(w, http.StatusOK, "server_error", "no")
}

func fail(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"message":%q,"type":%q,"code":%q,"param":null}}`, message, code, code)
}
