package rules

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// row is one of failures.md 1, with upstreams that fail in its way.
type row struct {
	preset string
	script string // a status that says it
	plain  string // the same under 200, or "": nothing under 200 says it
	event  string // the same in a stream, before any content
	as     string // who is charged: provider, key, target, "scope", "rate" (the key, the target if there is one), "": nobody
	next   bool
	open   time.Duration // opens at once, for so long
	park   time.Duration // stays closed, parked for so long
	status int           // what the client gets if that was the last; 0: the answer itself
	code   string
	waits  bool // with Retry-After
}

var rows = map[string]row{
	"rate_limit": {
		script: "error 429 rate_limit_exceeded slow down", as: "rate", next: true, park: 5 * time.Second,
		plain: inBody("rate_limit_exceeded"), event: inEvent("rate_limit_exceeded"),
		status: 429, code: "rate_limit_exceeded", waits: true,
	},
	"quota_exhausted": {
		preset: "zai", script: "error 429 1308 the limit of five hours is reached", as: "key", next: true, open: time.Hour,
		plain: inBody("1308"), event: inEvent("1308"),
		status: 429, code: "insufficient_quota", waits: true,
	},
	"billing": {
		script: "error 429 insufficient_quota no credit", as: "key", next: true, open: 30 * time.Minute,
		plain: inBody("insufficient_quota"), event: inEvent("insufficient_quota"),
		status: 429, code: "insufficient_quota",
	},
	"auth": {
		script: "error 401 invalid_api_key no such key", as: "key", next: true, open: 30 * time.Minute,
		plain: inBody("invalid_api_key"), event: inEvent("invalid_api_key"),
		status: 502, code: "upstream_auth",
	},
	"permission": {
		script: "error 403 - not in your region", as: "target", next: true, open: 10 * time.Minute,
		status: 502, code: "upstream_permission",
	},
	"model_not_found": {
		script: "error 404 model_not_found it is gone", as: "target", next: true, open: 10 * time.Minute,
		plain: inBody("model_not_found"), event: inEvent("model_not_found"),
		status: 404, code: "model_not_found",
	},
	"context_length": {
		script: "error 400 context_length_exceeded too long", next: true,
		plain: inBody("context_length_exceeded"), event: inEvent("context_length_exceeded"),
		status: 400, code: "context_length_exceeded",
	},
	"content_policy": {script: "error 400 content_filter no", code: "content_filter"},
	"unsupported":    {script: "error 400 unsupported_parameter no top_k here", next: true, code: "unsupported_parameter"},
	"client_error":   {script: "error 422 - temperature must be a number"},
	"overloaded": {
		script: "error 503 - busy", as: "scope", next: true, park: 10 * time.Second,
		plain: inBody("server_is_overloaded"), event: inEvent("server_is_overloaded"),
		status: 503, code: "overloaded", waits: true,
	},
	"server_error": {
		script: "error 500 - it broke", as: "scope", next: true, park: 5 * time.Second,
		plain: inBody("server_error"), event: inEvent("server_error"),
		status: 503, code: "server_error", waits: true,
	},
	"timeout": {
		script: "error 504 - too slow", as: "scope", next: true, park: 5 * time.Second,
		status: 504, code: "timeout", waits: true,
	},
	"connection": {
		script: "cut", as: "provider", next: true, park: 5 * time.Second,
		status: 502, code: "connection", waits: true,
	},
	"malformed": {
		script: "header Content-Type: text/html; body <html>hello</html>", as: "scope", next: true, park: 5 * time.Second,
		plain: inBody("nobody_knows"), event: inEvent("nobody_knows"),
		status: 502, code: "malformed", waits: true,
	},
	"model_fault": {
		preset: "groq", script: "error 400 tool_use_failed broken call", next: true, event: inEvent("tool_use_failed"),
		status: 502, code: "model_fault", waits: true,
	},
}

// inBody and inEvent say an error under 200: in a whole answer, and in a stream that has begun without content.
func inBody(code string) string {
	return `json {"error":{"message":"it says","type":"test","param":null,"code":` + quote(code) + `}}`
}

func inEvent(code string) string {
	return `role; event {"error":{"message":"it says","type":"test","param":null,"code":` + quote(code) + `}}`
}

// ways are the upstream's ways to fail so, plain or streamed.
func (r *row) ways(streamed bool) []string {
	all := []string{r.script}
	if under200 := map[bool]string{false: r.plain, true: r.event}[streamed]; under200 != "" {
		all = append(all, under200)
	}
	if streamed && r.plain != "" {
		all = append(all, r.plain) // JSON where a stream was asked for
	}
	return all
}

// eachRow runs a test for each row, plain and streamed.
func eachRow(t *testing.T, test func(w *world, kind string, r row, streamed bool)) {
	t.Helper()
	for kind, r := range rows {
		t.Run(kind, func(t *testing.T) {
			both(t, func(w *world, streamed bool) { test(w, kind, r, streamed) })
		})
	}
}

func (r *row) presetMember(scope string) string {
	return `"preset":` + quote(r.preset) + `,"breaker_scope":` + quote(scope)
}

// keys are n keys named a, b and so on.
func keys(n int) string {
	var all []string
	for i := range n {
		name := string(rune('a' + i))
		all = append(all, `{"name":"`+name+`","value":"sk-secret-`+name+`"}`)
	}
	return `"keys":[` + strings.Join(all, ",") + `]`
}

// TestEachKindIsChargedToWhomItsRowNames: the named breaker gets the failure, with one key or none the exceptions
// hold, and every other breaker gets no verdict.
func TestEachKindIsChargedToWhomItsRowNames(t *testing.T) {
	eachRow(t, func(w *world, kind string, r row, streamed bool) {
		for _, scope := range []string{"provider", "target"} {
			for n := range 3 {
				id := scope + strconv.Itoa(n)
				h := w.provider(id, models, keys(n), r.presetMember(scope))
				for _, script := range r.ways(streamed) {
					w.reset()
					h.Script("", script)
					w.ask(id+"/m", streamed)
					if got, want := w.charged(), r.chargedTo(id, scope, n); got != want {
						w.t.Errorf("%d keys, scope %s, %q: charged is %q, want %q", n, scope, script, got, want)
					}
					for _, a := range w.last().Attempts {
						if a.Kind != kind {
							w.t.Errorf("%q: kind %s", script, a.Kind)
						}
					}
				}
			}
		}
	})
}

// chargedTo lists the breakers of a provider with so many keys that are charged when all its keys fail so.
func (r *row) chargedTo(id, scope string, keys int) string {
	as := r.as
	switch {
	case as == "scope":
		as = scope
	case as == "rate" && keys < 2:
		as = "target"
	case as == "rate":
		as = "key"
	case as == "key" && keys == 0:
		as = "provider"
	}
	switch as {
	case "key":
		return strings.Join([]string{"key:" + id + "/a", "key:" + id + "/b"}[:keys], ", ")
	case "target":
		return "target:" + id + "/m"
	case "provider":
		return "provider:" + id
	}
	return ""
}

// TestEachKindGoesOnToTheNextTargetOrNotAsItsRowSays: what the client gets is the next target's answer, or the last
// upstream's own.
func TestEachKindGoesOnToTheNextTargetOrNotAsItsRowSays(t *testing.T) {
	eachRow(t, func(w *world, kind string, r row, streamed bool) {
		one, two := w.provider("one", models, oneKey("one"), r.presetMember("provider")), w.provider("two", `"models":["n"]`)
		w.combo("c", "one/m two/n")
		two.Script("", "chat hello")
		for _, script := range r.ways(streamed) {
			w.reset()
			one.Script("", script)
			two.Forget()
			reply := w.ask("c", streamed)
			if reply.took != 0 {
				w.t.Errorf("%q: it took %s", script, reply.took)
			}
			if !r.next {
				if n := len(two.Requests()); n != 0 {
					w.t.Errorf("%q: the next target was asked", script)
				}
				w.triedIs("one/m " + kind)
				continue
			}
			reply.ok("hello")
			reply.from("two/n", 2)
			w.triedIs("one/m " + kind + ", two/n ok")
		}
	})
}

// TestEachKindTellsTheClientWhatItsRowSays: status, code, Retry-After, x-should-retry, the attempts, and the text
// marked with the target; or the upstream's answer untouched. A stream gets the same, with a real status.
func TestEachKindTellsTheClientWhatItsRowSays(t *testing.T) {
	eachRow(t, func(w *world, kind string, r row, streamed bool) {
		h := w.provider("one", models, oneKey("one"), r.presetMember("provider"))
		w.combo("c", "one/m")
		for _, script := range r.ways(streamed) {
			w.reset()
			h.Script("", script)
			reply := w.ask("c", streamed)
			reply.from("one/m", 1)
			if reply.header.Get("X-Ohmroute-Combo") != "c" || reply.header.Get("X-Request-Id") == "" {
				w.t.Errorf("headers %v", reply.header)
			}
			if r.status == 0 {
				r.untouched(reply)
				continue
			}
			f := reply.failed(r.status, r.code)
			if got := attempts(f.Attempts).String(); got != "one/m "+kind {
				w.t.Errorf("%q: attempts %q", script, got)
			}
			if kind != "context_length" && !strings.HasPrefix(f.Message, "one/m: ") {
				w.t.Errorf("%q: the text is not marked with the target: %q", script, f.Message)
			}
			if want := typeOf(r.status); f.Type != want {
				w.t.Errorf("%q: type %q, want %q", script, f.Type, want)
			}
			r.retries(reply, script)
		}
	})
}

// retries checks what the reply says about trying again.
func (r *row) retries(reply *reply, script string) {
	reply.t.Helper()
	if r.status == 429 || r.status >= 500 {
		if got := reply.header.Get("X-Should-Retry"); got != "false" {
			reply.t.Errorf("%q: x-should-retry %q", script, got)
		}
	}
	after := reply.header.Get("Retry-After")
	if n, err := strconv.Atoi(after); r.waits && (err != nil || n < 1 || n > 60) {
		reply.t.Errorf("%q: Retry-After %q", script, after)
	}
}

// untouched checks that the reply is the upstream's own answer, byte for byte.
func (r *row) untouched(reply *reply) {
	reply.t.Helper()
	var status, code, text string
	parts := strings.SplitN(r.script, " ", 4)
	status, code, text = parts[1], quote(parts[2]), parts[3]
	if parts[2] == "-" {
		code = "null"
	}
	want := `{"error":{"message":` + quote(text) + `,"type":"test_error","param":null,"code":` + code + `}}`
	if strconv.Itoa(reply.status) != status || reply.body != want || reply.header.Get("Content-Type") != "application/json" {
		reply.t.Errorf("status %d, want %s; body %q, want %q", reply.status, status, reply.body, want)
	}
}

// typeOf is error.type by status (api.md).
func typeOf(status int) string {
	switch status {
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return "overloaded_error"
	}
	return "invalid_request_error"
}

// TestEachKindOpensAtOnceOrCountsAsItsRowSays: with the base wait of the row, or with its park.
func TestEachKindOpensAtOnceOrCountsAsItsRowSays(t *testing.T) {
	eachRow(t, func(w *world, kind string, r row, streamed bool) {
		h := w.provider("one", models, keys(1), r.presetMember("provider"))
		w.combo("c", "one/m")
		name := r.chargedTo("one", "provider", 1)
		if name == "" {
			h.Script("", r.script)
			for range 20 {
				w.ask("c", streamed)
			}
			if got := w.charged(); got != "" || len(h.Requests()) != 20 {
				w.t.Errorf("charged is %q after %d calls", got, len(h.Requests()))
			}
			return
		}
		for _, script := range r.ways(streamed) {
			w.reset()
			h.Script("", script)
			w.ask("c", streamed)
			b := w.breaker(name)
			if r.open > 0 {
				if b.State != "OPEN" || b.openFor() != r.open || b.parkedFor() != 0 || b.LastFailureKind != kind {
					w.t.Errorf("%q: %s for %s, parked for %s, want OPEN for %s", script, b.State, b.openFor(), b.parkedFor(), r.open)
				}
				continue
			}
			if b.State != "CLOSED" || b.parkedFor() != r.park || b.FailureCount != 1 || b.KindCounts[kind] != 1 {
				w.t.Errorf("%q: %s, parked for %s, %d failures, %v; want CLOSED, %s and 1", script, b.State, b.parkedFor(), b.FailureCount, b.KindCounts, r.park)
			}
			for range 4 {
				w.ask("c", streamed) // forced: parked, not open
			}
			if b := w.breaker(name); b.State != "OPEN" || b.openFor() != 30*time.Second {
				w.t.Errorf("%q: after five failures %s for %s", script, b.State, b.openFor())
			}
		}
	})
}

// TestAKeyThatIsAddedEndsWhatItsLackWasChargedFor: without keys, a refused credential is charged to the provider, "or
// until the key is changed" (failures.md 1); a model's name that changes changes nothing.
func TestAKeyThatIsAddedEndsWhatItsLackWasChargedFor(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models)
		one.Script("", "error 401 invalid_api_key x", "chat hello")
		w.combo("c", "one/m", `"when_exhausted":{"do":"reject"}`)
		w.ask("c", false)
		document := func(members ...string) string {
			return object(append([]string{`"id":"one","kind":"openai","base_url":` + quote(one.base)}, members...)...)
		}
		w.must(http.MethodPut, "/api/v1/providers/one", document(`"models":["m","n"]`))
		if b := w.breaker("provider:one"); b.State != "OPEN" || b.LastFailureKind != "auth" {
			t.Fatalf("%+v", b)
		}
		w.must(http.MethodPut, "/api/v1/providers/one", document(models, keys(1)))
		if b := w.breaker("provider:one"); b.State != "CLOSED" || b.Reason != "key-changed" {
			t.Errorf("%s, %s", b.State, b.Reason)
		}
		w.ask("c", false).ok("hello")
	})
}
