package hostile

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Depths of JSON: one that a reader without a bound survives and a reader with one refuses, and one at which the stack of
// anything that recurses is over, which no recover stops.
const (
	deep    = 100_000
	deadly  = 7_000_000
	allowed = 9_000 // what encoding/json still takes
)

// nests are texts of a depth, closed and not.
func nests(depth int) map[string]string {
	all := map[string]string{"lists": strings.Repeat("[", depth) + strings.Repeat("]", depth)}
	if depth < deadly {
		all["objects"] = strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
		all["open objects"] = strings.Repeat(`{"a":`, depth)
		all["closing braces"] = strings.Repeat("]", depth)
	}
	return all
}

// TestADeepRequestIsRefusedAtEveryEndpoint: also at those of the admin side.
func TestADeepRequestIsRefusedAtEveryEndpoint(t *testing.T) {
	w := onNetwork(t)
	w.providers()
	w.logIn()
	ask := func(path, name, body string) {
		token, method := w.clientKey, http.MethodPost
		if strings.HasPrefix(path, "/api") {
			token = adminToken
		}
		if strings.HasSuffix(path, "/openai") || strings.HasSuffix(path, "/none") {
			method = http.MethodPut
		}
		r := w.call(method, path, body, "Authorization", "Bearer "+token)
		if r.err != nil || r.status < 400 || r.status >= 500 || len(r.body) > 10_000 {
			t.Errorf("%s, %s of %d bytes: %d, %d bytes, %v", path, name, len(body), r.status, len(r.body), r.err)
		}
	}
	for _, path := range []string{
		"/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens",
		"/v1/moderations", "/v1/images/generations", "/v1/audio/speech", "/v1/rerank", "/v1/audio/transcriptions",
		"/api/v1/providers", "/api/v1/providers/openai", "/api/v1/combos", "/api/v1/combos/none", "/api/v1/combos/none/explain",
		"/api/v1/keys", "/api/v1/session", "/api/v1/breakers/reset", "/api/v1/breakers/provider:openai/isolate", "/api/v1/providers/openai/test",
	} {
		for name, nest := range nests(deep) {
			ask(path, name, nest)
			for _, member := range []string{"messages", "tools", "headers"} {
				ask(path, name+" in "+member, `{"model":"gemini/m","max_tokens":1,"`+member+`":`+nest+`}`)
			}
		}
	}
	for _, e := range endpoints {
		for name, nest := range nests(deadly) {
			ask(e.path, name, nest)
			ask(e.path, name, `{"model":"gemini/m",`+e.head+`,"metadata":`+nest+`}`)
		}
	}
	w.lives()
}

// TestADeepAnswerOfAnUpstreamEndsInAnAnswer: for each dialect of the upstream and of the client, in errors,
// answers, events and the arguments of tools.
func TestADeepAnswerOfAnUpstreamEndsInAnAnswer(t *testing.T) {
	w := onNetwork(t)
	w.providers()
	w.logIn()
	for _, depth := range []int{allowed, deep, deadly} {
		for name, nest := range nests(depth) {
			for what, script := range map[string]string{
				"a 400":         "status 400\njson {\"error\":{\"message\":\"no\",\"details\":" + nest + "}}",
				"a 500":         "status 500\njson " + nest,
				"an answer":     "json " + nest,
				"a choice":      `json {"id":"x","choices":` + nest + `,"content":` + nest + `,"output":` + nest + `,"candidates":` + nest + `}`,
				"an event":      "role\nevent " + nest,
				"a later event": "role\nchunk a\nevent " + nest + "\nfinish stop\ndone",
				"a typed event": "role\nchunk a\ntyped content_block_delta {\"type\":\"content_block_delta\",\"index\":0,\"delta\":" + nest + "}\nfinish stop\ndone",
				"a tool's call": "role\ntool f " + nest + "\nfinish tool_calls\ndone",
			} {
				for i, kind := range kinds {
					w.upstreams[kind].Script("", script)
					for j, e := range endpoints {
						if depth != allowed && i%3 != j {
							continue // each dialect is still read, and each written
						}
						w.admin(http.MethodPost, "/api/v1/breakers/reset", "{}")
						r := w.ask(e, kind, strings.HasPrefix(script, "role"))
						if r.status < 200 || r.status == 0 {
							t.Errorf("%s as %s of depth %d from %s to %s: %d %v", name, what, depth, kind, e.path, r.status, r.err)
						}
					}
				}
			}
		}
	}
	w.lives()
}

// lives checks that a plain request is still answered.
func (w *world) lives() {
	w.t.Helper()
	w.admin(http.MethodPost, "/api/v1/breakers/reset", "{}")
	for _, kind := range kinds {
		w.upstreams[kind].Script("", "chat hello")
		for _, e := range endpoints {
			if r := w.ask(e, kind, true); r.status != http.StatusOK || !strings.Contains(r.body, "hello") {
				w.t.Error(fmt.Sprint(kind, e.path, r.status, r.body))
			}
		}
	}
}
