package providertest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/providers"
)

// splitScript cuts a script in one line into its commands.
func splitScript(script string) []string { return strings.Split(script, "; ") }

// secrets are upstreams that tell what they were sent.
var secrets = []string{
	"status 400\necho",
	"status 401\nheader Content-Type: application/json\njson {\"error\":{\"message\":\"Incorrect API key provided: " + secret + "\",\"type\":\"" + secret + "\",\"code\":\"" + secret + "\",\"param\":\"" + secret + "\"}}",
	"status 422\njson {\"error\":{\"message\":\"bad\"},\"headers\":\"Bearer " + secret + "\"}",
	"status 500\nheader X-Request-Id: " + secret + "\nbody " + secret,
	"status 200\nbody <html>" + secret + "</html>",
	"role\nevent {\"error\":{\"message\":\"no such key " + secret + "\"}}",
	"role\nchunk a\nevent {\"error\":{\"message\":\"no such key " + secret + "\"}}",
	"typed error {\"message\":\"" + secret + "\"}",
	"wire \"" + secret + "\\r\\n\\r\\n\"",
	"header Location: http://127.0.0.1:9/?key=" + secret + "\nstatus 302",
	"header X-Request-Id: " + secret + "\nchat hello",
}

func proveSecrets(t *testing.T, b *bench) {
	t.Helper()
	for _, script := range secrets {
		for _, streamed := range []bool{true, false} {
			b.up.Script("model", script)
			o := b.send(t.Context(), t, streamed, providers.Limits{})
			var all strings.Builder
			if f := o.failure; f != nil {
				fmt.Fprintf(&all, "%s %s %s %s %s %s %s %s", f.Error(), f.Message, f.Type, f.Code, f.Param, f.UpstreamID, f.Body, f.ContentType)
				if f.Err != nil {
					all.WriteString(f.Err.Error())
				}
			}
			if o.answer != nil {
				all.WriteString(o.answer.UpstreamID + o.answer.ContentType)
			}
			if strings.Contains(all.String(), secret) {
				t.Errorf("%q, streamed %v, tells the key: %s", script, streamed, all.String())
			}
		}
	}
}

func proveFloods(t *testing.T, b *bench) {
	t.Helper()
	tests := map[string][]providers.Kind{
		"flood headers":             {providers.Connection, providers.Malformed},
		"flood events":              {providers.Malformed},
		"flood line":                {providers.Malformed},
		"status 500; flood body":    {providers.ServerError},
		"status 429; flood line":    {providers.RateLimit},
		"role; chunk a; flood line": {providers.Truncated, providers.Malformed},
	}
	for script, kinds := range tests {
		b.script(splitScript(script)...)
		o := b.send(t.Context(), t, true, providers.Limits{})
		known := false
		for _, kind := range kinds {
			known = known || o.kind() == kind
		}
		if !known || o.took > patience {
			t.Errorf("%s: %v after %s, want one of %s", script, o.failure, o.took, kinds)
		}
	}
}

func proveHostile(t *testing.T, b *bench) {
	t.Helper()
	b.script("header Set-Cookie: a=b", b.suite.Answer)
	for range 2 {
		if o := b.send(t.Context(), t, true, providers.Limits{}); !o.whole {
			t.Fatal(o.failure)
		}
	}
	for _, r := range b.up.Requests() {
		if r.Header.Get("Cookie") != "" {
			t.Error("a cookie went back")
		}
	}
	b.up.Forget()
	tests := map[string]providers.Kind{
		"header Location: /v1/other; status 307":    providers.Malformed,
		"header Content-Encoding: gzip; chat hello": providers.Malformed,
		"garbage":    providers.Connection,
		"cut":        providers.Connection,
		"status 204": providers.Malformed,
		"wire \"HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: x\\r\\nConnection: upgrade\\r\\n\\r\\n{}\"": providers.Malformed,
		"wire \"HTTP/1.1 042 No Status\\r\\nContent-Length: 2\\r\\n\\r\\n{}\"":                             providers.Malformed,
		"wire \"HTTP/1.1 000 No Status\\r\\nContent-Length: 2\\r\\n\\r\\n{}\"":                             providers.Malformed,
		"header Content-Length: 100; body short":                                                           providers.Malformed,
		"body \x00\xff\xfe":                                                                                providers.Malformed,
		"json {}":                                                                                          providers.Malformed,
		"json []":                                                                                          providers.Malformed,
		"header Content-Type: text/html; body <html>":                                                      providers.Malformed,
		"raw \"data: \\xff\\x00\\n\\n\"":                                                                   providers.Malformed,
	}
	for script, want := range tests {
		for _, streamed := range []bool{true, false} {
			b.up.Forget()
			b.script(splitScript(script)...)
			o := b.send(t.Context(), t, streamed, providers.Limits{})
			if o.kind() != want {
				t.Errorf("%q, streamed %v: %v, want %s", script, streamed, o.failure, want)
			}
			if n := len(b.up.Requests()); n != 1 {
				t.Errorf("%q, streamed %v: sent %d times", script, streamed, n)
			}
		}
	}
}

func proveRequests(t *testing.T, b *bench) {
	t.Helper()
	b.script(b.suite.Answer)
	r := b.request(t, true)
	r.Header = http.Header{
		"Authorization": {"Bearer client"}, "X-Api-Key": {"client"}, "Cookie": {"a=b"}, "Idempotency-Key": {"1"},
		"X-Idempotency-Key": {"1"}, "Accept-Encoding": {"gzip"}, "X-Other": {"1"}, "Connection": {"close"}, "Expect": {"100-continue"},
		"Traceparent": {"00-1-2-01"}, "X-Client-Request-Id": {"c1"}, "Openai-Beta": {"b"}, "Anthropic-Beta": {"a", "b"},
	}
	r.Query = "beta=true"
	before := string(r.Body)
	o := b.attempt(t.Context(), &providers.Attempt{Request: r, Model: "model", Key: providers.Key{Secret: secret}})
	if !o.whole {
		t.Fatal(o.failure)
	}
	got := b.up.Requests()[0]
	for _, name := range []string{"Cookie", "Idempotency-Key", "X-Idempotency-Key", "Accept-Encoding", "X-Other", "Expect"} {
		if got.Header.Get(name) != "" {
			t.Errorf("%s went up: %q", name, got.Header.Get(name))
		}
	}
	for name, want := range map[string]string{"Traceparent": "00-1-2-01", "X-Client-Request-Id": "c1", "Content-Type": "application/json"} {
		if got.Header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Header.Get(name), want)
		}
	}
	if strings.Contains(fmt.Sprint(got.Header), "client") {
		t.Errorf("the client's credential went up: %v", got.Header)
	}
	if !strings.Contains(fmt.Sprint(got.Header), secret) {
		t.Error("the key did not go up")
	}
	if b.suite.Foreign {
		if strings.Contains(got.Query, "beta") || got.Model != "model" || string(r.Body) != before {
			t.Errorf("query %q, model %q, body %s", got.Query, got.Model, r.Body)
		}
		return
	}
	if !strings.Contains(got.Query, "beta=true") || got.Model != "model" || string(r.Body) != before {
		t.Errorf("query %q, model %q, body %s", got.Query, got.Model, r.Body)
	}
	if want := strings.Replace(before, "combo", "model", 1); string(got.Body) != want {
		t.Errorf("the body is %s, want %s", got.Body, want)
	}
}

// proveBodies: an upstream answers before it has read the request, whose memory is used for something else when the
// attempt is over.
func proveBodies(t *testing.T, b *bench) {
	t.Helper()
	body := `{"model":"combo",` + b.suite.Body + `,"filler":"` + strings.Repeat("x", 2<<20) + `"}`
	r, err := providers.ParseRequest(b.suite.Endpoint, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	b.up.Hasty()
	b.up.Script("", b.suite.Error(http.StatusServiceUnavailable))
	for range 10 {
		o := b.attempt(t.Context(), &providers.Attempt{Request: r, Model: "model"})
		if kind := o.kind(); kind != providers.Overloaded && kind != providers.Connection || o.took > patience {
			t.Fatalf("got %v after %s", o.failure, o.took)
		}
	}
}
