package main

import (
	"strconv"
	"strings"
	"time"
)

// scenario is one kind of work. Closed: so many connections, each sending the next request when the last was answered whole.
// Open: a request at each beat of the rate, whatever became of those before it.
type scenario struct {
	name      string
	conns     int
	open      int // a request at each so-many-th beat of the rate; 0: closed
	bodyBytes int
	events    int           // 0: a plain JSON answer
	pace      time.Duration // between two events
}

const (
	small = 1 << 10
	beat  = 10 * time.Millisecond // between two events of a paced stream
)

var scenarios = []scenario{
	{name: "json-1", conns: 1, bodyBytes: small},
	{name: "json-32", conns: 32, bodyBytes: small},
	{name: "json-256", conns: 256, bodyBytes: small},
	{name: "json-open", open: 1, bodyBytes: small},
	{name: "big-16", conns: 16, bodyBytes: 100 << 10},
	{name: "stream-1", conns: 1, bodyBytes: small, events: 50},
	{name: "stream-32", conns: 32, bodyBytes: small, events: 50},
	{name: "stream-open", open: 10, bodyBytes: small, events: 50},
	{name: "paced-32", conns: 32, bodyBytes: small, events: 50, pace: beat},
	{name: "paced-200", conns: 200, bodyBytes: small, events: 50, pace: beat},
}

// sent is how many events a stream of this scenario has, its last ones included.
func (s scenario) sent() int {
	if s.events == 0 {
		return 0
	}
	return s.events + strings.Count(string(finalEvents), "\n\n")
}

// body is a chat request of about bodyBytes.
func (s scenario) body(model string) string {
	return chat(model, order{events: s.events, pace: s.pace}, s.bodyBytes)
}

func chat(model string, o order, size int) string {
	head := `{"model":` + strconv.Quote(model) + `,"messages":[{"role":"user","content":"` + o.String()
	tail := `"}],"stream":` + strconv.FormatBool(o.events > 0 || o.hold) + `}`
	return head + strings.Repeat("x", max(0, size-len(head)-len(tail))) + tail
}
