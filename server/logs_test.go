package server

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// lines are the log's lines of a message, as objects.
func (l *logBuffer) lines(t *testing.T, message string) (found []map[string]any) {
	t.Helper()
	for scan := bufio.NewScanner(strings.NewReader(l.String())); scan.Scan(); {
		var line map[string]any
		if err := json.Unmarshal(scan.Bytes(), &line); err != nil {
			t.Fatalf("%v in %s", err, scan.Text())
		}
		if line["msg"] == message {
			found = append(found, line)
		}
	}
	return found
}

func TestEachChangeOfABreakerIsOneLine(t *testing.T) {
	s := newStack(t)
	s.one.Script("", "error 500 - it broke")
	s.two.Script("", "chat Hello there")
	for range 5 {
		s.chat(plainBody)
	}
	s.must(http.MethodPost, "/api/v1/breakers/reset", "")
	s.must(http.MethodPost, "/api/v1/breakers/provider:one/isolate", "{}")
	if err := s.server.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, line := range s.logs.lines(t, "circuit breaker transition") {
		got.WriteString(fmt.Sprint(line["level"], " ", line["breaker"], " ", line["from"], " ", line["to"], " ", line["kind"], "\n"))
	}
	const want = `WARN provider:one CLOSED DEGRADED server_error
WARN provider:one DEGRADED OPEN server_error
INFO provider:one OPEN CLOSED 
WARN provider:one CLOSED ISOLATED 
`
	if got.String() != want {
		t.Errorf("logged\n%s", got.String())
	}
}

func TestEachRequestIsOneLineWithItsIDAndWhatBecameOfIt(t *testing.T) {
	s := newStack(t)
	s.one.Script("", "error 500 - it broke")
	s.two.Script("", "chat Hello there")
	resp, _, _ := s.chat(streamBody)
	if err := s.server.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var found []map[string]any
	for _, line := range s.logs.lines(t, "request") {
		if line["path"] == "/v1/chat/completions" {
			found = append(found, line)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d lines", len(found))
	}
	line := found[0]
	for member, want := range map[string]any{
		"level": "INFO", "request_id": resp.Header.Get("X-Request-Id"), "combo": "c", "target": "two/m", "attempts": 2.0, "outcome": "ok", "status": 200.0,
	} {
		if line[member] != want {
			t.Errorf("%s is %v, want %v", member, line[member], want)
		}
	}
}
