package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// chat asks the demo and gives the request's id.
func (r *running) chat(t *testing.T) (id string) {
	t.Helper()
	conn, err := net.Dial("tcp", r.listeners.Client.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := `{"model":"demo/steady","messages":[{"role":"user","content":"the-prompt"}]}`
	fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.0\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(answer), "X-Request-Id: ")
	if !found || !strings.HasPrefix(string(answer), "HTTP/1.0 200 OK") {
		t.Fatalf("answered %s", answer)
	}
	id, _, _ = strings.Cut(after, "\r\n")
	return id
}

// requests lists the log's ids, the newest first.
func (r *running) requests(t *testing.T, query string) (ids []string) {
	t.Helper()
	_, answer := r.get(t, "/api/v1/requests"+query, r.secrets.AdminToken)
	_, body, _ := strings.Cut(answer, "\r\n\r\n")
	var page struct {
		Requests []struct {
			ID string `json:"id"`
		} `json:"requests"`
	}
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	for _, row := range page.Requests {
		ids = append(ids, row.ID)
	}
	return ids
}

func TestTheRequestLogIsInTheDatabase(t *testing.T) {
	dir := t.TempDir()
	var want []string
	for range 3 {
		r, err := begin(t, nil, "server: {request_log: {max_rows: 4}}", "data-dir="+dir)
		if err != nil {
			t.Fatal(err)
		}
		want = append([]string{r.chat(t)}, want...)
		want = append([]string{r.chat(t)}, want...)
		want = want[:min(len(want), 4)]
		if got := r.requests(t, "?limit=4&combo=demo/steady&outcome=ok"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("listed %v, want %v", got, want)
		}
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
	}
	r, err := begin(t, nil, "server: {request_log: 4}", "data-dir="+dir)
	if err != nil {
		t.Fatal(err)
	}
	oldest := want[len(want)-1]
	if status, body := r.get(t, "/api/v1/requests/"+oldest, r.secrets.AdminToken); status != "HTTP/1.0 200 OK" {
		t.Errorf("%s %s", status, body)
	}
	if got := r.requests(t, "?limit=4&outcome=failed"); got != nil {
		t.Errorf("listed %v", got)
	}
}
