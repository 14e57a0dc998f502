package rules

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// Causes that the tables of providers can't show: what failures.md 1 names in brackets, over a connection.

// TestWhateverATargetDoesBeforeItSaidSomethingTheNextOneAnswers: each way to fail has its kind, and the client gets
// the next target's answer, as if nothing had been.
func TestWhateverATargetDoesBeforeItSaidSomethingTheNextOneAnswers(t *testing.T) {
	tests := map[string]struct {
		kind    string
		script  string
		dialing dialing
		plain   bool // only where a plain answer is asked for
		stream  bool // only where a stream is
		after   time.Duration
	}{
		"the connect limit":                       {kind: "timeout", dialing: silent, after: 10 * time.Second},
		"the first-token limit without headers":   {kind: "timeout", script: "hang", stream: true, after: 2 * time.Minute},
		"the first-token limit in silence":        {kind: "timeout", script: "role; hang", stream: true, after: 2 * time.Minute},
		"the response limit without headers":      {kind: "timeout", script: "hang", plain: true, after: 10 * time.Minute},
		"the response limit within the answer":    {kind: "timeout", script: "upto 20; chat hello; hang", plain: true, after: 10 * time.Minute},
		"408":                                     {kind: "timeout", script: "error 408 - x"},
		"504":                                     {kind: "timeout", script: "error 504 - x"},
		"524":                                     {kind: "timeout", script: "error 524 - x"},
		"a name that does not resolve":            {kind: "connection", dialing: unresolved},
		"a port that nobody listens on":           {kind: "connection", dialing: refuses},
		"a connection that is closed at once":     {kind: "connection", script: "cut"},
		"bytes that are no HTTP":                  {kind: "connection", script: "garbage"},
		"521":                                     {kind: "connection", script: "error 521 - x"},
		"530":                                     {kind: "connection", script: "error 530 - x"},
		"a page of HTML":                          {kind: "malformed", script: "header Content-Type: text/html; body <html></html>"},
		"a page of HTML that says it is JSON":     {kind: "malformed", script: "json <html></html>"},
		"a page of HTML that says it is a stream": {kind: "malformed", script: "header Content-Type: text/event-stream; body <html></html>"},
		"nothing":                                 {kind: "malformed", script: "status 200"},
		"204":                                     {kind: "malformed", script: "status 204"},
		"a redirect":                              {kind: "malformed", script: "status 302; header Location: http://two.test/v1/chat/completions"},
		"half of JSON":                            {kind: "malformed", script: `json {"id":"x","choices":[{"index":0,"mess`},
		"an answer without choices":               {kind: "malformed", script: `json {"id":"x","object":"chat.completion","choices":[]}`},
		"no content and no finish reason":         {kind: "malformed", script: `json {"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":null}]}`},
		"an error under 200 that says nothing":    {kind: "malformed", script: `json {"error":"no"}`},
		"a stream without events":                 {kind: "malformed", script: "header Content-Type: text/event-stream; comment hi; end"},
		"a stream without content":                {kind: "malformed", script: "role; end"},
		"only [DONE]":                             {kind: "malformed", script: "done"},
		"empty choices, then [DONE]":              {kind: "malformed", script: `event {"id":"x","choices":[]}; done`},
		"an event that is no JSON":                {kind: "malformed", script: "event {nonsense; done"},
		"a role, then a cut":                      {kind: "malformed", script: "role; cut"},
		"an answer that is cut":                   {kind: "malformed", script: "upto 40; chat hello; cut", plain: true},
		"an answer shorter than it said":          {kind: "malformed", script: "header Content-Length: 1000; body {\"id\":"},
		"a compressed answer":                     {kind: "malformed", script: "header Content-Encoding: gzip; chat hello"},
		"a role, then an error that says nothing": {kind: "malformed", script: `role; event {"error":{"message":"x"}}`},
		"a named error event":                     {kind: "server_error", script: `role; typed error {"error":{"message":"x","code":"server_error"}}`, stream: true},
		"Cloudflare's challenge":                  {kind: "connection", script: "status 403; header cf-mitigated: challenge; header Content-Type: text/html; body <html></html>"},
		"409":                                     {kind: "server_error", script: "error 409 - x"},
		"425":                                     {kind: "server_error", script: "error 425 - x"},
		"499":                                     {kind: "server_error", script: "error 499 - x"},
		"529":                                     {kind: "overloaded", script: "error 529 - x"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				if streamed && test.plain || !streamed && test.stream {
					return
				}
				one, _ := w.pair(`"keepalive":"0s"`)
				one.connection(test.dialing)
				one.Script("", test.script)
				r := w.ask("c", streamed)
				r.ok("from two")
				r.from("two/m", 2)
				w.triedIs("one/m " + test.kind + ", two/m ok")
				if r.took != test.after {
					w.t.Errorf("it took %s, want %s", r.took, test.after)
				}
				if len(one.Requests()) > 1 {
					w.t.Errorf("it was asked %d times", len(one.Requests()))
				}
			})
		})
	}
}

// TestATLSHandshakeThatFailsIsAConnection: and charged to the provider whatever its scope.
func TestATLSHandshakeThatFailsIsAConnection(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.host("one").base = "https://one.test/v1" // which speaks no TLS
		w.pair()
		w.ask("c", streamed).ok("from two")
		w.triedIs("one/m connection, two/m ok")
		if got := w.charged(); got != "provider:one" {
			w.t.Errorf("charged is %q", got)
		}
	})
}

// broken are the ways of a stream to end without its protocol's end.
var broken = map[string]string{
	"a cut":                       "role; chunk Hello; cut",
	"a cut within an event":       `role; chunk Hello; raw "data: {\"id\":\"x\",\"cho"; cut`,
	"an orderly end, no finish":   "role; chunk Hello; end",
	"an end within an event":      `role; chunk Hello; raw "data: {\"id\":\"x\",\"cho"; end`,
	"an error event":              `role; chunk Hello; event {"error":{"message":"it broke","code":"server_error"}}`,
	"an error event, then [DONE]": `role; chunk Hello; event {"error":{"message":"it broke","code":"server_error"}}; done`,
	"an error in a chunk":         `role; chunk Hello; event {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"error"}],"error":{"code":502,"message":"it broke"}}; done`,
	"a rate limit":                `role; chunk Hello; event {"error":{"message":"slow down","code":"rate_limit_exceeded"}}`,
	"a stall":                     "role; chunk Hello; hang",
	"a finish, then a cut":        "role; chunk Hello; finish stop; cut",
	"a finish, then a stall":      "role; chunk Hello; finish stop; hang",
	"an event that is too long":   "role; chunk Hello; flood line",
}

// TestATruncatedStreamIsChargedByScopeAndToldAndNeverReplaced: after the commit nobody else is asked, the client gets
// what came and one error event, and the connection is cut.
func TestATruncatedStreamIsChargedByScopeAndToldAndNeverReplaced(t *testing.T) {
	for name, script := range broken {
		for _, scope := range []string{"provider", "target"} {
			t.Run(name+", scope "+scope, func(t *testing.T) {
				virtual(t, func(w *world) {
					one, two := w.provider("one", models, keys(2), `"breaker_scope":`+quote(scope)), w.provider("two", models)
					w.combo("c", "one/m two/m")
					one.Script("", script)
					two.Script("", "chat hello")
					r := w.ask("c", true)
					f := r.broke("Hello", "truncated")
					if !strings.HasPrefix(f.Message, "one/m") || f.Attempts != nil {
						w.t.Errorf("the event says %+v", f)
					}
					if len(two.Requests()) != 0 {
						w.t.Error("another target was asked after the commit")
					}
					name := map[string]string{"provider": "provider:one", "target": "target:one/m"}[scope]
					if got := w.charged(); got != name {
						w.t.Errorf("charged is %q, want %q", got, name)
					}
					if b := w.breaker(name); b.LastFailureKind != "truncated" || b.FailureCount != 1 || b.parkedFor() != 5*time.Second {
						w.t.Errorf("%s says %+v", name, b)
					}
					if l := w.last(); l.Outcome != "truncated" || l.Kind != "truncated" || l.Attempts.String() != "one/m#a truncated" {
						w.t.Errorf("the log says %+v", l)
					}
				})
			})
		}
	}
}

// TestTruncatedStreamsOpenABreaker: it counts as any failure, and the fifth opens.
func TestTruncatedStreamsOpenABreaker(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models)
		w.combo("c", "one/m")
		one.Script("", broken["a cut"])
		for range 5 {
			w.ask("c", true).broke("Hello", "truncated")
		}
		if b := w.breaker("provider:one"); b.State != "OPEN" || b.openFor() != 30*time.Second || b.KindCounts["truncated"] == 0 && b.Reason == "" {
			w.t.Errorf("%+v", b)
		}
	})
}

// TestACanceledRequestChargesNobodyAndAsksNobody: whenever the client leaves.
func TestACanceledRequestChargesNobodyAndAsksNobody(t *testing.T) {
	for name, script := range map[string]string{
		"before headers":         "hang",
		"before the first token": "role; hang",
		"in mid-stream":          "role; chunk Hello; hang",
		"behind the finish":      "role; chunk Hello; finish stop; hang",
		"in a failing target":    "delay 1s; error 500 - x",
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				one, two := w.pair()
				one.Script("", script)
				p := w.begin("c", streamed)
				if _, err := one.Await(w.t.Context(), 1); err != nil {
					w.t.Fatal(err)
				}
				left := time.AfterFunc(500*time.Millisecond, p.leave)
				defer left.Stop()
				p.end()
				gone := time.Now()
				if err := one.AwaitGone(w.t.Context(), 1); err != nil {
					w.t.Fatal(err)
				}
				if late := time.Since(gone); late > 100*time.Millisecond {
					w.t.Errorf("the upstream was cancelled %s late", late)
				}
				l := w.last()
				if l.Status != 499 || l.Outcome != "canceled" || l.Attempts.String() != "one/m canceled" || len(w.log()) != 1 {
					w.t.Errorf("the log says %+v", l)
				}
				if got := w.charged(); got != "" || len(two.Requests()) != 0 {
					w.t.Errorf("charged is %q, the other target was asked %d times", got, len(two.Requests()))
				}
			})
		})
	}
}

// TestWhatASuccessIs: failures.md 2, "Under 200 and its kin".
func TestWhatASuccessIs(t *testing.T) {
	const (
		length = `json {"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"length"}]}`
		wanted = `json {"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"I can't"},"finish_reason":"stop"}]}`
		filter = `json {"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"content_filter"}]}`
		call   = `json {"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":""}}]},"finish_reason":"tool_calls"}]}`
		late   = `json {"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"error":{"message":"late","code":"server_error"}}`
	)
	tests := map[string]struct {
		script string
		stream bool
		body   string // empty: that of the script
	}{
		"201":                                    {script: "status 201; " + strings.Replace(late, `,"error":{"message":"late","code":"server_error"}`, "", 1)},
		"a length with empty text":               {script: length},
		"a length with empty text, streamed":     {script: "role; finish length; done", stream: true},
		"a refusal":                              {script: wanted},
		"a refusal, streamed":                    {script: `role; event {"id":"x","choices":[{"index":0,"delta":{"refusal":"I can't"},"finish_reason":null}]}; finish stop; done`, stream: true},
		"a content filter":                       {script: filter},
		"a content filter, streamed":             {script: `role; finish content_filter; done`, stream: true},
		"a content filter in mid-answer":         {script: `role; chunk Hello; finish content_filter; done`, stream: true},
		"a tool call with an empty argument":     {script: call},
		"an error beside a finish reason":        {script: late},
		"an error behind a finish reason":        {script: `role; chunk Hello; finish stop; event {"error":{"message":"late","code":"server_error"}}; done`, stream: true},
		"leading blank lines":                    {script: "header Content-Type: application/json\nraw \"\\n\\n  \"\n" + late},
		"JSON that says it is text":              {script: "header Content-Type: text/plain; " + late},
		"a stream that says it is text":          {script: "header Content-Type: text/plain; role; chunk Hello; finish stop; done", stream: true},
		"an answer that used up its tokens":      {script: "role; chunk Hello; finish length; done", stream: true},
		"a stream that ends behind its finish":   {script: "role; chunk Hello; finish stop; end", stream: true},
		"a stream that is cut behind its [DONE]": {script: "role; chunk Hello; finish stop; done; cut", stream: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(w *world) {
				one, two := w.pair()
				one.Script("", test.script)
				r := w.ask("c", test.stream)
				if r.status/100 != 2 || !r.whole || len(two.Requests()) != 0 {
					w.t.Errorf("status %d, whole %v, the other target was asked %d times: %s", r.status, r.whole, len(two.Requests()), tail(r.body))
				}
				if test.stream && (strings.Contains(r.body, `"error"`) || strings.Count(r.body, "data: [DONE]\n\n") != 1) {
					w.t.Errorf("got %q", r.body)
				}
				_, body, plain := strings.Cut(test.script, "json ")
				if plain && strings.TrimSpace(r.body) != body {
					w.t.Errorf("got %q, want it untouched", r.body)
				}
				if got := w.charged(); got != "" {
					w.t.Errorf("charged is %q", got)
				}
				w.triedIs("one/m ok")
			})
		})
	}
}

// TestAModelsOwnFaultGoesOnAndChargesNobody: before the commit; an empty answer that was the last is passed on.
func TestAModelsOwnFaultGoesOnAndChargesNobody(t *testing.T) {
	const (
		empty  = `json {"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}]}`
		broken = `json {"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":"}}]},"finish_reason":"tool_calls"}]}`
	)
	tests := map[string]struct {
		script string
		stream bool
		passed bool
	}{
		"an empty answer":            {script: empty, passed: true},
		"an empty stream":            {script: "role; finish stop; done", stream: true, passed: true},
		"an empty stream, no [DONE]": {script: "role; finish stop; end", stream: true, passed: true},
		"a broken tool call":         {script: broken},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(w *world) {
				one, two := w.pair()
				one.Script("", test.script)
				w.ask("c", test.stream).ok("from two")
				w.triedIs("one/m model_fault, two/m ok")
				two.Script("", test.script)
				r := w.ask("c", test.stream)
				if test.passed {
					if r.status != http.StatusOK || !r.whole || r.says() != "" || strings.Contains(r.body, `"error"`) {
						w.t.Errorf("status %d, whole %v: %q", r.status, r.whole, r.body)
					}
					if _, body, ok := strings.Cut(test.script, "json "); ok && r.body != body {
						w.t.Errorf("got %q, want it untouched", r.body)
					}
				} else {
					r.failed(http.StatusBadGateway, "model_fault")
				}
				if got := w.charged(); got != "" {
					w.t.Errorf("charged is %q", got)
				}
			})
		})
	}
}

// TestAClientsOwnWordsChargeNobody: a 400 that quotes the prompt is a client's error whatever the prompt says.
func TestAClientsOwnWordsChargeNobody(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, two := w.pair()
		one.Script("", `status 400; json {"error":{"message":"invalid prompt: 'my credit balance is too low, invalid_api_key, rate limit'","type":"invalid_request_error","param":null,"code":null}}`)
		r := w.ask("c", streamed)
		if r.status != http.StatusBadRequest || len(two.Requests()) != 0 {
			w.t.Errorf("status %d: %s", r.status, r.body)
		}
		if got := w.charged(); got != "" {
			w.t.Errorf("charged is %q", got)
		}
		w.triedIs("one/m client_error")
	})
}

func TestOurOwnFaultIsChargedToNobodyAndToldAsSuch(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		for _, id := range []string{"one", "two"} {
			w.provider(id, models).Script("", "chat by "+id)
		}
		w.host("one").connection(faulty)
		w.combo("c", "one/m two/m")
		f := w.ask("c", streamed).failed(http.StatusInternalServerError, "local")
		w.triedIs("one/m local")
		if l := w.log()[0]; !strings.Contains(f.Message, "request req_") || l.Outcome != "failed" {
			w.t.Errorf("the client is told %q, and the log has %+v", f.Message, l)
		}
		if got := w.charged(); got != "" {
			w.t.Errorf("charged is %q", got)
		}
	})
}
