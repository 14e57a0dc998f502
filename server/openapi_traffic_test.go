package server

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker/storetest"
	"github.com/ohmroute/ohmroute/sse"
)

const detailedAnswer = `header X-Request-Id: up-1; json {"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":2}}}`

// requestsAndBreakers makes requests of all sorts, so that the log, the totals and the breakers have all that they can show.
func requestsAndBreakers(t *testing.T, all *contract) {
	s := newStack(t)
	c := all.with(s.gateway)
	chat := func(want int, body string, headers ...string) {
		t.Helper()
		if re := c.ask(http.MethodPost, "/v1/chat/completions", body, headers...); re.Code != want {
			t.Errorf("status %d, want %d: %s", re.Code, want, re.Body)
		}
	}
	breaker := func(method, name, action, body string) {
		t.Helper()
		c.must(method, "/api/v1/breakers/"+url.PathEscape(name)+action, body)
	}
	s.one.Script("", "times 2; "+detailedAnswer, "times 5; error 500 - it broke", "times 2; chat hello")
	s.two.Script("", "times 5; header Retry-After: 2; error 429 rate_limit_exceeded slow down", "chat hello")
	c.must(http.MethodPost, "/api/v1/providers", `{"id":"watched","kind":"demo","breaker":{"enforce":false}}`)

	chat(200, plainBody)
	chat(200, `{"model":"one/m","messages":[]}`)
	chat(429, plainBody) // both fail
	for range 4 {
		chat(503, `{"model":"one/m","messages":[]}`)
	}
	breaker(http.MethodGet, "provider:one", "", "")
	breaker(http.MethodGet, "target:two/m", "", "")
	c.must(http.MethodGet, "/api/v1/breakers?state=OPEN&scope=provider", "")
	c.must(http.MethodGet, "/api/v1/breakers", "")
	c.must(http.MethodGet, "/api/v1/breaker-state", "")
	c.must(http.MethodPost, "/api/v1/combos/c/explain", plainBody)
	c.must(http.MethodPost, "/api/v1/providers/two/test", "")
	breaker(http.MethodPost, "provider:one", "/isolate", `{"by":"me","reason":"why not"}`)
	breaker(http.MethodPost, "target:one/m", "/isolate", "")
	chat(429, plainBody) // one is passed over, two is forced
	c.admin(http.MethodPost, "/api/v1/breakers/target%3Atwo%2Fm/release", "").wantError(http.StatusConflict, "not_isolated")
	breaker(http.MethodPost, "target:one/m", "/release", "{}")
	breaker(http.MethodPost, "provider:one", "/release", "")
	chat(200, streamBody) // a probe
	breaker(http.MethodPost, "target:two/m", "/reset", "")
	c.must(http.MethodPost, "/api/v1/breakers/reset", `{"include_isolated":true}`)

	key := c.must(http.MethodPost, "/api/v1/keys", `{"name":"mine"}`).json()["key"].(string)
	chat(200, plainBody, "X-Api-Key", key)
	c.ask(http.MethodGet, "/v1/models", "").wantError(http.StatusUnauthorized, "missing_api_key")
	c.ask(http.MethodGet, "/v1/models", "", "X-Api-Key", key)
	c.ask(http.MethodGet, "/v1/models/c", "", "X-Api-Key", key)
	c.ask(http.MethodGet, "/v1/models/nobody", "", "X-Api-Key", key).wantError(http.StatusNotFound, "model_not_found")

	page := c.must(http.MethodGet, "/api/v1/requests?limit=1&combo=c&outcome=ok", "").json()
	c.must(http.MethodGet, "/api/v1/requests?before="+page["next"].(string), "")
	c.must(http.MethodGet, "/api/v1/requests/"+page["requests"].([]any)[0].(map[string]any)["id"].(string), "")
	c.must(http.MethodGet, "/api/v1/stats", "")
}

func loggedInBrowsers(t *testing.T, all *contract) {
	c := all.with(newGateway(t, false))
	const path, wrong = "/api/v1/session", `{"token":"not-this-one"}`
	opened := c.ask(http.MethodPost, path, `{"token":"`+testAdminToken+`"}`)
	cookie, _, _ := strings.Cut(opened.Header().Get("Set-Cookie"), ";")
	c.ask(http.MethodPost, path, wrong).wantError(http.StatusUnauthorized, "invalid_admin_token")
	c.crowded(func() {
		c.ask(http.MethodPost, path, wrong).wantError(http.StatusTooManyRequests, "too_many_wrong_tokens")
	})
	scheme := c.doc.root.in("components", "securitySchemes", "session", "name").text()
	if name, _, _ := strings.Cut(cookie, "="); name != scheme {
		t.Errorf("the cookie is %s, in openapi.json %s", name, scheme)
	}
	if re := c.ask(http.MethodGet, "/api/v1/providers", "", "Cookie", cookie); re.Code != http.StatusOK {
		t.Errorf("with the session: %d %s", re.Code, re.Body)
	}
	c.ask(http.MethodGet, path, "", "Cookie", cookie)
	c.ask(http.MethodDelete, path, "", "Cookie", cookie)
	if re := c.ask(http.MethodGet, path, "", "Cookie", cookie); re.json()["open"] != false {
		t.Errorf("after logging out: %s", re.Body)
	}
}

func watchingMachines(t *testing.T, all *contract) {
	c := all.with(newGateway(t, true))
	c.ask(http.MethodGet, "/healthz", "")
	if re := c.ask(http.MethodGet, "/readyz", ""); re.Code != http.StatusServiceUnavailable {
		t.Errorf("ready before it serves: %s", re.Body)
	}
	c.server.traffic.ready()
	c.ask(http.MethodGet, "/readyz", "")
	c.ask(http.MethodGet, "/metrics", "")
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody) // from elsewhere
	c.served(r, "").wantError(http.StatusUnauthorized, "admin_token_required")
	c.crowded(func() {
		r.RemoteAddr = localAddr.String() + ":1"
		r.Header.Set("Authorization", "Bearer not-this-one")
		r.Header.Set("X-Forwarded-For", "192.0.2.1")
		c.served(r, "").wantError(http.StatusTooManyRequests, "too_many_wrong_tokens")
	})
}

// describedEvents follows the event stream while everything happens that it tells.
func describedEvents(t *testing.T, all *contract) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewMemory()
		c := all.with(newStoredGateway(t, true, store))
		const path = "/api/v1/events"
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
		r.Host, r.RemoteAddr = "localhost:4700", "127.0.0.1:40000"
		r.Header.Set("Authorization", "Bearer "+testAdminToken)
		r.Header.Set("Last-Event-ID", "1")
		ctx, leave := context.WithCancel(t.Context())
		w := &watcherWriter{header: http.Header{}, body: &logBuffer{}}
		var watching sync.WaitGroup
		watching.Go(func() { c.handler.ServeHTTP(w, r.WithContext(ctx)) })
		synctest.Wait()
		c.must(http.MethodPost, "/api/v1/combos", `{"name":"new","targets":[{"provider":"demo","model":"steady"}]}`)
		c.ask(http.MethodPost, "/v1/chat/completions", `{"model":"demo/steady","messages":[]}`)
		store.Fail(errDiskFull)
		c.must(http.MethodPost, breakerPath+"/isolate", `{"by":"me"}`)
		time.Sleep(3 * time.Second) // the bubble's clock
		store.Fail(nil)
		time.Sleep(time.Minute)
		leave()
		watching.Wait()

		told := w.body.String()
		answer := httptest.NewRecorder()
		maps.Copy(answer.Header(), w.header)
		answer.Body.WriteString(told)
		c.held(reply{answer, t}, http.MethodGet, path, "")
		schema := c.doc.called(t, "streamEvents").in("responses", "200", "content", "text/event-stream", "x-itemSchema")
		seen := map[string]bool{}
		for _, event := range eventsIn(told) {
			seen[event["event"].(string)] = true
			event["data"] = c.parsed(event["data"].(string))
			c.fits("the event", schema, event)
		}
		for typ := range schema.in("discriminator", "mapping").object() {
			if !seen[typ] {
				t.Errorf("no event %s: %s", typ, told)
			}
		}
		if !seen[sse.GapEvent] {
			t.Errorf("no %s", sse.GapEvent)
		}
	})
}

// eventsIn are the fields of each event of a stream; comments are left out.
func eventsIn(stream string) (events []map[string]any) {
	for block := range strings.SplitSeq(stream, "\n\n") {
		event := map[string]any{}
		for line := range strings.SplitSeq(block, "\n") {
			if name, value, ok := strings.Cut(line, ": "); ok && name != "" {
				event[name] = value
			}
		}
		if len(event) > 0 {
			events = append(events, event)
		}
	}
	return events
}
