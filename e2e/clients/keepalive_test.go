package clients

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestKeepalivesAreOnTheWire: the scenarios with keepalives prove something only if there are some.
func TestKeepalivesAreOnTheWire(t *testing.T) {
	s := newStage(t)
	bodies := map[string]string{
		"chat/completions": `{"model":"keepalive@chat","stream":true,"messages":[{"role":"user","content":"Say hello."}]}`,
		"responses":        `{"model":"keepalive@responses","stream":true,"input":"Say hello."}`,
		"messages":         `{"model":"keepalive@messages","stream":true,"max_tokens":9,"messages":[{"role":"user","content":"Say hello."}]}`,
	}
	for _, host := range s.hosts {
		host.Script("keepalive", "delay 200ms; chat "+hello)
	}
	for path, body := range bodies {
		t.Run(path, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.gateway.URL+"/v1/"+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", "Bearer "+s.key)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil || !strings.HasPrefix(string(text), ": keepalive\n") || strings.HasPrefix(string(text), ": keepalive\n\n") {
				t.Errorf("error %v, and the stream is\n%s", err, text)
			}
		})
	}
}
