package main

import (
	"strconv"
	"strings"
	"time"
)

// scenario is one kind of work: so many connections, each sending the next request when the last was answered whole.
type scenario struct {
	name      string
	conns     int
	bodyBytes int
	events    int           // 0: a plain JSON answer
	pace      time.Duration // between two events
}

var scenarios = []scenario{
	{name: "json-1", conns: 1, bodyBytes: 1 << 10},
	{name: "json-32", conns: 32, bodyBytes: 1 << 10},
	{name: "json-256", conns: 256, bodyBytes: 1 << 10},
	{name: "big-16", conns: 16, bodyBytes: 100 << 10},
	{name: "stream-1", conns: 1, bodyBytes: 1 << 10, events: 50},
	{name: "stream-32", conns: 32, bodyBytes: 1 << 10, events: 50},
	{name: "paced-200", conns: 200, bodyBytes: 1 << 10, events: 50, pace: 10 * time.Millisecond},
}

// path is what is asked of the upstream, in the query that every gateway passes on.
func (s scenario) path() string {
	if s.events == 0 {
		return "/v1/chat/completions"
	}
	return "/v1/chat/completions?events=" + strconv.Itoa(s.events) + "&pace=" + s.pace.String()
}

// body is a chat request of about bodyBytes.
func (s scenario) body() string {
	head := `{"model":"bench","messages":[{"role":"user","content":"`
	tail := `"}],"stream":` + strconv.FormatBool(s.events > 0) + `}`
	return head + strings.Repeat("x", max(0, s.bodyBytes-len(head)-len(tail))) + tail
}
