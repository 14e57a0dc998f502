package server

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/providers/providertest"
)

// stack is a gateway over TCP with two real providers, "one" and "two", of one scripted upstream each, and the
// combo "c" that asks them in this order.
type stack struct {
	*gateway
	url      string
	one, two *providertest.Upstream
	client   *http.Client
}

func newStack(t *testing.T, change ...func(*Options)) *stack {
	t.Helper()
	s := &stack{
		gateway: newGateway(t, false, change...), one: providertest.NewUpstream(t), two: providertest.NewUpstream(t),
		client: &http.Client{Transport: &http.Transport{DisableCompression: true}},
	}
	for id, up := range map[string]*providertest.Upstream{"one": s.one, "two": s.two} {
		s.must(http.MethodPost, "/api/v1/providers", `{"id":"`+id+`","kind":"openai","base_url":"`+up.URL()+`","models":["m"],
			"keys":[{"name":"k","value":"sk-secret-of-`+id+`"}],"breaker":{"cooldown":"0s"}}`)
	}
	s.must(http.MethodPost, "/api/v1/combos", `{"name":"c","targets":[{"provider":"one","model":"m"},{"provider":"two","model":"m"}]}`)
	s.url = s.listen()
	t.Cleanup(s.client.CloseIdleConnections)
	return s
}

// chat sends a request and returns the answer, its body and whether it ended in order.
func (s *stack) chat(body string) (*http.Response, string, bool) {
	s.t.Helper()
	resp, err := s.client.Post(s.url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err == nil
}

func (s *stack) state(name string) string {
	s.t.Helper()
	return s.must(http.MethodGet, "/api/v1/breakers/"+name, "").json()["state"].(string)
}

// TestTheNextTargetAnswersUnseen holds that whatever the first target does before it has said something, the client
// gets the second one's answer whole, plain and streamed alike.
func TestTheNextTargetAnswersUnseen(t *testing.T) {
	for name, script := range map[string]string{
		"an error":                             "error 500 - it broke",
		"overload":                             "error 503 - busy",
		"a rate limit":                         "header Retry-After: 1; error 429 rate_limit_exceeded slow down",
		"a bad key":                            "error 401 invalid_api_key no",
		"a model that is gone":                 "error 404 model_not_found gone",
		"a page of HTML":                       "header Content-Type: text/html; body <html>hello</html>",
		"nothing at all":                       "status 200; end",
		"a connection that is cut at once":     "cut",
		"no HTTP":                              "garbage",
		"an error under 200":                   `json {"error":{"message":"no","code":"server_error"}}`,
		"headers of a stream, then a cut":      "header Content-Type: text/event-stream; comment hi; cut",
		"a role, then an error event":          `header Content-Type: text/event-stream; role; event {"error":{"message":"no","code":"server_error"}}`,
		"a role, then an end without a finish": "header Content-Type: text/event-stream; role; end",
	} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			s.one.Script("", script)
			s.two.Script("", "chat Hello there")
			for _, body := range []string{plainBody, streamBody} {
				s.must(http.MethodPost, "/api/v1/breakers/reset", "")
				resp, text, whole := s.chat(body)
				if resp.StatusCode != http.StatusOK || !whole || !strings.Contains(text, "Hello") {
					t.Errorf("status %d, whole %v: %s", resp.StatusCode, whole, text)
				}
				if resp.Header.Get("X-Ohmroute-Target") != "two/m" || resp.Header.Get("X-Ohmroute-Attempts") != "2" {
					t.Errorf("headers %v", resp.Header)
				}
			}
			if n := len(s.one.Requests()); n != 2 {
				t.Errorf("the first target was asked %d times, want 2", n)
			}
		})
	}
}

func TestABreakerOpensWhileEveryClientGetsItsAnswer(t *testing.T) {
	s := newStack(t)
	s.one.Script("", "error 500 - it broke")
	s.two.Script("", "chat Hello there")
	want := []string{"CLOSED", "CLOSED", "DEGRADED", "DEGRADED", "OPEN", "OPEN"}
	for i, state := range want {
		if resp, text, whole := s.chat(streamBody); resp.StatusCode != http.StatusOK || !whole || !strings.HasSuffix(text, done) {
			t.Fatalf("request %d: status %d, whole %v: %s", i+1, resp.StatusCode, whole, text)
		}
		if got := s.state("provider%3Aone"); got != state {
			t.Errorf("after %d failures: %s, want %s", i+1, got, state)
		}
	}
	if n := len(s.one.Requests()); n != 5 {
		t.Errorf("the target was asked %d times, want 5: the sixth must not reach it", n)
	}
	s.must(http.MethodPost, "/api/v1/breakers/reset", "")
	if got := s.state("provider%3Aone"); got != "CLOSED" {
		t.Errorf("after a reset: %s", got)
	}
}

func TestATargetThatDiesInMidStreamIsToldAndCharged(t *testing.T) {
	for name, script := range map[string]string{
		"by a cut":          "header Content-Type: text/event-stream; role; chunk Hello; cut",
		"within an event":   `header Content-Type: text/event-stream; role; chunk Hello; raw "data: {\"cho"; cut`,
		"by an orderly end": "header Content-Type: text/event-stream; role; chunk Hello; end",
		"by an error event": `header Content-Type: text/event-stream; role; chunk Hello; event {"error":{"message":"no","code":"server_error"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			s.one.Script("", script)
			s.two.Script("", "chat other")
			_, text, whole := s.chat(streamBody)
			if whole || !strings.Contains(text, "Hello") || strings.Contains(text, "[DONE]") || strings.Contains(text, "other") {
				t.Fatalf("whole %v: %s", whole, text)
			}
			cut := strings.LastIndex(text, "data: ")
			eventError(t, text[cut:])
			if strings.Count(text, `"error"`) != 1 {
				t.Errorf("more than one error event: %s", text)
			}
			if strings.Contains(text, "sk-secret") || strings.Contains(text, s.one.URL()) {
				t.Errorf("the error tells a secret or an address: %s", text)
			}
			b := s.must(http.MethodGet, "/api/v1/breakers/provider%3Aone", "").json()
			if b["failure_count"] != 1.0 || b["last_failure_kind"] != "truncated" {
				t.Errorf("the breaker says %v", b)
			}
			if n := len(s.two.Requests()); n != 0 {
				t.Errorf("the second target was asked %d times", n)
			}
		})
	}
}

func TestUpstreamsSeeTheirOwnKeyAndModelOnly(t *testing.T) {
	s := newStack(t)
	s.one.Script("", "chat Hello")
	body := `{"seed":9007199254740993,"model":"c","x":{"unknown":[1,2.50]},"messages":[{"role":"user","content":"hi"}]}`
	if resp, text, _ := s.chat(body); resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", resp.StatusCode, text)
	}
	got := s.one.Requests()[0]
	if want := strings.Replace(body, `"c"`, `"m"`, 1); string(got.Body) != want {
		t.Errorf("body %s\nwant %s", got.Body, want)
	}
	if auth := got.Header.Get("Authorization"); auth != "Bearer sk-secret-of-one" {
		t.Errorf("authorization %q", auth)
	}
	if got.Path != "/v1/chat/completions" || got.Header.Get("Accept-Encoding") != "" {
		t.Errorf("path %s, headers %v", got.Path, got.Header)
	}
}
