package providertest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// ask sends a body to the upstream and returns the answer's status, headers and what came of its body.
func ask(ctx context.Context, t *testing.T, u *Upstream, body string) (int, http.Header, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.URL()+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0, nil, "", err
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(resp.Body)
	return resp.StatusCode, resp.Header, b.String(), err
}

func TestScripts(t *testing.T) {
	recorded := filepath.Join(t.TempDir(), "stream.sse")
	if err := os.WriteFile(recorded, []byte("data: recorded\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const head = `{"id":"chatcmpl-test","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[`
	chunk := func(delta, finish string) string {
		return "data: " + head + `{"index":0,"delta":` + delta + `,"logprobs":null,"finish_reason":` + finish + "}]}\n\n"
	}
	tests := map[string]struct {
		script string
		body   string // of the request
		status int
		header string // "Name: value" that the answer has
		want   string
		broken bool
	}{
		"nothing":              {"", "", 200, "", "", false},
		"status and header":    {"status 418; header X-A: b", "", 418, "X-A: b", "", false},
		"a body of lines":      {"status 500\nbody a; b", "", 500, "Content-Length: 4", "a; b", false},
		"json":                 {`json {"a":1}`, "", 200, "Content-Type: application/json", `{"a":1}`, false},
		"error":                {"error 429 rate_limit_exceeded slow down", "", 429, "", `{"error":{"message":"slow down","type":"test_error","param":null,"code":"rate_limit_exceeded"}}`, false},
		"error without a code": {"error 500 - oh", "", 500, "", `{"error":{"message":"oh","type":"test_error","param":null,"code":null}}`, false},
		"chat":                 {"chat a b", `{"model":"m"}`, 200, "Content-Type: application/json", `{"id":"chatcmpl-test","object":"chat.completion","created":1700000000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"a b","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`, false},
		"chat as a stream": {
			"chat a b", `{"model":"m","stream":true,"stream_options":{"include_usage":true}}`, 200, "Content-Type: text/event-stream",
			chunk(`{"role":"assistant","content":""}`, "null") + chunk(`{"content":"a "}`, "null") + chunk(`{"content":"b"}`, "null") + chunk(`{}`, `"stop"`) +
				"data: " + head + `],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}` + "\n\ndata: [DONE]\n\n", false,
		},
		"all kinds of events": {
			"event {}; typed x {}; comment c; reason r; tool f {}; finish length; done", `{"model":"m"}`, 200, "Content-Type: text/event-stream",
			"data: {}\n\nevent: x\ndata: {}\n\n: c\n\n" + chunk(`{"reasoning_content":"r"}`, "null") +
				chunk(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]}`, "null") + chunk(`{}`, `"length"`) + "data: [DONE]\n\n", false,
		},
		"raw bytes":                {`raw "a\x00\r\n"`, "", 200, "", "a\x00\r\n", false},
		"a file":                   {"events " + recorded, "", 200, "", "data: recorded\n\n", false},
		"only the first bytes":     {"upto 5; raw \"abc\"; raw \"def\"; end", "", 200, "", "abcde", false},
		"pieces":                   {"split 1; raw \"abc\"", "", 200, "", "abc", false},
		"a cut":                    {"raw \"abc\"; cut", "", 200, "", "abc", true},
		"an end":                   {"raw \"abc\"; end; raw \"def\"", "", 200, "", "abc", false},
		"garbage":                  {"garbage", "", 0, "", "", true},
		"a connection's own words": {`wire "HTTP/1.1 299 Odd\r\nX-A: b\r\n\r\nabc"`, "", 299, "X-A: b", "abc", false},
		"a delay":                  {"delay 1ms; raw \"abc\"", "", 200, "", "abc", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			u := NewUpstream(t)
			u.Script("", test.script)
			status, header, got, err := ask(t.Context(), t, u, test.body)
			if status != test.status || got != test.want || (err != nil) != test.broken {
				t.Errorf("got %d %q and %v, want %d %q", status, got, err, test.status, test.want)
			}
			if key, value, ok := strings.Cut(test.header, ": "); ok && header.Get(key) != value {
				t.Errorf("%s is %q, want %q", key, header.Get(key), value)
			}
		})
	}
}

func TestScriptErrors(t *testing.T) {
	for script, want := range map[string]string{
		"dance": "unknown command dance", "done now": "done takes nothing", "wait": "wait takes one word", "flood sea": "flood takes one word",
		"status ok": "invalid syntax", "usage 1": "invalid syntax", "delay soon": "invalid duration", "raw abc": "invalid syntax", "events /nowhere": "no such file",
	} {
		if _, err := parse(script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", script, err, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Script took what is none")
		}
	}()
	newUpstream().Script("m", "dance")
}

func TestScriptsOfModels(t *testing.T) {
	u := NewUpstream(t)
	u.Script("a", "times 2; status 201", "status 202")
	u.Script("", "status 203", "status 204")
	var got []int
	for _, model := range []string{"a", "x", "a", "y", "a", "a", "x"} {
		status, _, _, err := ask(t.Context(), t, u, `{"model":"`+model+`"}`)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, status)
	}
	want := []int{201, 203, 201, 204, 202, 202, 204}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	if u.Count("a") != 4 || u.Count("x") != 2 || len(u.Requests()) != 7 {
		t.Errorf("counted %d, %d, %d", u.Count("a"), u.Count("x"), len(u.Requests()))
	}
	if u.Forget(); len(u.Requests()) != 0 {
		t.Error("requests were not forgotten")
	}
}

func TestGates(t *testing.T) {
	u := NewUpstream(t)
	u.Script("", "wait go; status 204", "hang")
	var asked sync.WaitGroup
	asked.Go(func() {
		if status, _, _, err := ask(t.Context(), t, u, ""); status != http.StatusNoContent {
			t.Errorf("released: %d and %v", status, err)
		}
	})
	if _, err := u.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	u.Release("go")
	u.Release("go")
	asked.Wait()

	ctx, cancel := context.WithCancel(t.Context())
	asked.Go(func() {
		if _, _, _, err := ask(ctx, t, u, ""); err == nil {
			t.Error("an answer to a client that left")
		}
	})
	if _, err := u.Await(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := u.AwaitGone(t.Context(), 1); err != nil || u.Gone() != 1 {
		t.Errorf("%d gone, %v", u.Gone(), err)
	}
	asked.Wait()
	ended, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if _, err := u.Await(ended, 99); err == nil {
		t.Error("waited for ever")
	}
	if err := u.AwaitGone(ended, 99); err == nil {
		t.Error("waited for ever")
	}
}

func TestFloodsEndWithTheClient(t *testing.T) {
	for _, what := range []string{"headers", "body", "events", "line"} {
		u := NewUpstream(t)
		u.Script("", "flood "+what)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.URL(), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			continue // headers without an end
		}
		if _, err := io.CopyN(io.Discard, resp.Body, 1<<20); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		resp.Body.Close()
	}
}
