package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

const (
	messagesPath = "/v1/messages"
	countPath    = "/v1/messages/count_tokens"
	messagesBody = `{"model":"c","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`
)

// anthropicError is an error as Anthropic's SDKs read it.
type anthropicReply struct {
	Type  string `json:"type"`
	Error struct {
		Type     string `json:"type"`
		Message  string `json:"message"`
		Code     string `json:"code"`
		RetryAt  string `json:"retry_at"`
		Attempts []struct {
			Provider string `json:"provider"`
		} `json:"attempts"`
	} `json:"error"`
	RequestID string `json:"request_id"`
}

// wantAnthropic checks the form that every error has on the paths of Messages.
func wantAnthropic(tb testing.TB, status int, h http.Header, body string, wantStatus int, wantType, wantCode string) anthropicReply {
	tb.Helper()
	var e anthropicReply
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		tb.Fatalf("status %d, %v: %q", status, err, body)
	}
	if status != wantStatus || e.Type != "error" || e.Error.Type != wantType || e.Error.Code != wantCode || e.Error.Message == "" {
		tb.Errorf("status %d: %s\nwant %d %s %s", status, body, wantStatus, wantType, wantCode)
	}
	if id := h.Get("Request-Id"); id == "" || id != e.RequestID || id != h.Get("X-Request-Id") {
		tb.Errorf("request-id %q, x-request-id %q, request_id %q", id, h.Get("X-Request-Id"), e.RequestID)
	}
	return e
}

func TestDialectOfAPath(t *testing.T) {
	for path, want := range map[string]dialect{
		"/v1/messages": dialectMessages, "/messages": dialectMessages, "/openai/v1/messages/": dialectMessages,
		"/v1/messages/count_tokens": dialectMessages, "/v1/messages/batches": dialectMessages, "/v1/messagesx": dialectOpenAI,
		"/v1/responses": dialectResponses, "/responses/r/cancel": dialectResponses, "/v1/chat/completions": dialectOpenAI,
		"/": dialectOpenAI, "": dialectOpenAI, "/api/v1/messages": dialectOpenAI,
	} {
		if got := dialectOf(path, nil); got != want {
			t.Errorf("%q: %d, want %d", path, got, want)
		}
	}
}

// Clients of both dialects ask for models under the same path.
func TestModelsAreToldInTheDialectOfTheClientThatAsks(t *testing.T) {
	g := newGateway(t, false)
	for path, status := range map[string]int{"/v1/models?limit=1000": 200, "/models/none": 404, "/openai/v1/models/none": 404} {
		re := g.ask(http.MethodGet, path, "", "Anthropic-Version", "2023-06-01")
		if id := re.Header().Get("Request-Id"); re.Code != status || id == "" || id != re.Header().Get("X-Request-Id") {
			t.Errorf("%s: status %d, %v", path, re.Code, re.Header())
		}
		if status != 200 {
			wantAnthropic(t, re.Code, re.Header(), re.Body.String(), status, "not_found_error", "model_not_found")
		}
		re = g.ask(http.MethodGet, path, "")
		if re.Code != status || re.Header().Get("Request-Id") != "" {
			t.Errorf("%s without a version: status %d, %v", path, re.Code, re.Header())
		}
		if status != 200 {
			re.wantError(status, "model_not_found")
		}
	}
	if re := g.ask(http.MethodGet, "/v1/modelsx", "", "Anthropic-Version", "2023-06-01"); re.Header().Get("Request-Id") != "" {
		t.Errorf("a path beside: %v", re.Header())
	}
}

// TestErrorsOfMessagesAreAnthropics holds that whatever goes wrong before a walk is told in Anthropic's envelope.
func TestErrorsOfMessagesAreAnthropics(t *testing.T) {
	g := newGateway(t, true, func(o *Options) { o.Settings.MaxBody = 4 << 10 })
	tests := map[string]struct {
		method, path, body string
		headers            []string
		status             int
		typ, code          string
	}{
		"broken JSON":        {body: `{"model":`, status: 400, typ: "invalid_request_error", code: "invalid_json"},
		"a wrong type":       {body: `{"model":"demo","messages":"hi"}`, status: 400, typ: "invalid_request_error", code: "invalid_type"},
		"no model":           {body: `{"messages":[]}`, status: 400, typ: "invalid_request_error", code: "missing_required_parameter"},
		"no messages":        {body: `{"model":"demo"}`, status: 400, typ: "invalid_request_error", code: "missing_required_parameter"},
		"two models":         {body: `{"model":"demo","model":"x","messages":[]}`, status: 400, typ: "invalid_request_error", code: "duplicate_parameter"},
		"a model not there":  {body: `{"model":"nobody","messages":[]}`, status: 404, typ: "not_found_error", code: "model_not_found"},
		"a body too large":   {body: `{"model":"demo","messages":["` + strings.Repeat("x", 5<<10) + `"]}`, status: 413, typ: "request_too_large", code: "request_too_large"},
		"an encoded body":    {body: "{}", headers: []string{"Content-Encoding", "gzip"}, status: 415, typ: "invalid_request_error", code: "unsupported_content_encoding"},
		"another method":     {method: http.MethodGet, status: 405, typ: "invalid_request_error", code: "method_not_allowed"},
		"a page of somebody": {body: messagesBody, headers: []string{"Origin", "https://evil.example"}, status: 403, typ: "permission_error", code: "cross_origin"},
	}
	for name, tt := range tests {
		for _, path := range []string{messagesPath, countPath, "/messages", "/openai/v1/messages", messagesPath + "/"} {
			t.Run(name+" on "+path, func(t *testing.T) {
				method := tt.method
				if method == "" {
					method = http.MethodPost
				}
				re := g.ask(method, path, tt.body, tt.headers...)
				wantAnthropic(t, re.Code, re.Header(), re.Body.String(), tt.status, tt.typ, tt.code)
			})
		}
	}
	t.Run("paths that are none", func(t *testing.T) {
		for _, path := range []string{"/v1/messages/batches", "/messages/x/y", "/v1/messages//count_tokens"} {
			re := g.ask(http.MethodPost, path, messagesBody)
			wantAnthropic(t, re.Code, re.Header(), re.Body.String(), 404, "not_found_error", "unknown_url")
		}
	})
	t.Run("a bug", func(t *testing.T) {
		w := httptest.NewRecorder()
		g.server.serve(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("bug") }), w, httptest.NewRequest(http.MethodPost, messagesPath, http.NoBody))
		wantAnthropic(t, w.Code, w.Header(), w.Body.String(), 500, "api_error", "local")
	})
	t.Run("a client without a key", func(t *testing.T) {
		g.must(http.MethodPost, "/api/v1/keys", `{"name":"one"}`)
		re := g.ask(http.MethodPost, messagesPath, messagesBody)
		wantAnthropic(t, re.Code, re.Header(), re.Body.String(), 401, "authentication_error", "missing_api_key")
		re = g.ask(http.MethodPost, countPath, messagesBody, "X-Api-Key", "wrong")
		wantAnthropic(t, re.Code, re.Header(), re.Body.String(), 401, "authentication_error", "invalid_api_key")
	})
	t.Run("other paths have no request-id", func(t *testing.T) {
		re := g.ask(http.MethodPost, "/v1/chat/completions", "{")
		if re.Header().Get("Request-Id") != "" || re.json()["type"] != nil {
			t.Errorf("%v: %s", re.Header(), re.Body)
		}
	})
}

// TestFailuresOfMessagesHaveAnthropicsStatuses walks the kinds of failures (spec: failures.md 1).
func TestFailuresOfMessagesHaveAnthropicsStatuses(t *testing.T) {
	for _, kind := range providers.Kinds() {
		rule, _ := providers.RuleOf(kind)
		if kind == providers.Canceled || kind == providers.Truncated || kind == providers.Local {
			continue // no answer is made of these
		}
		t.Run(string(kind), func(t *testing.T) {
			inBubble(t, func(r *running) {
				t := r.t
				r.route(failing(0, &providers.Failure{Kind: kind, Status: rule.Client.Status, Message: "it failed"}))
				resp, err := r.postTo(t.Context(), messagesPath, messagesBody)
				if err != nil {
					t.Fatal(err)
				}
				body, whole := readAll(t, resp)
				status := rule.Client.AnthropicStatus
				e := wantAnthropic(t, resp.StatusCode, resp.Header, body, status, providers.AnthropicErrorType(status), rule.Client.Code)
				if !whole || len(e.Error.Attempts) != 1 || e.Error.Attempts[0].Provider != "a" {
					t.Errorf("whole %v, attempts in %s", whole, body)
				}
				row := r.must(http.MethodGet, "/api/v1/requests", "").json()["requests"].([]any)[0].(map[string]any)
				if row["status"] != float64(status) || row["endpoint"] != "messages" {
					t.Errorf("the log says %v", row)
				}
			})
		})
	}
}

func TestAPromptThatIsTooLongIsToldInAnthropicsWords(t *testing.T) {
	long := `{"model":"c","max_tokens":9,"messages":[{"role":"user","content":"` + strings.Repeat("word ", 1000) + `"}]}`
	tests := map[string]struct {
		failure *providers.Failure
		window  int
		body    string
		want    string
	}{
		"the upstream's own words": {
			&providers.Failure{Message: "prompt is too long: 210042 tokens > 200000 maximum", ContextWindow: 200000}, 0, messagesBody,
			"prompt is too long: 210042 tokens > 200000 maximum",
		},
		"the upstream counted": {
			&providers.Failure{Message: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).", ContextWindow: 8192}, 0, messagesBody,
			"prompt is too long: 9000 tokens > 8192 maximum",
		},
		"the upstream counted in brackets": {
			&providers.Failure{Message: "The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).", ContextWindow: 1048576}, 0, messagesBody,
			"prompt is too long: 1250074 tokens > 1048576 maximum",
		},
		"the upstream counted with commas": {
			&providers.Failure{Message: "Requested token count exceeds the model's maximum context length of 131,072 tokens. You requested a total of 150,001 tokens.", ContextWindow: 131072}, 0, messagesBody,
			"prompt is too long: 150001 tokens > 131072 maximum",
		},
		"the upstream counted, and the window is declared": {
			&providers.Failure{Message: "your prompt has 70 tokens, which is too long"}, 64, messagesBody, "prompt is too long: 70 tokens > 64 maximum",
		},
		"the upstream counted less than is declared": {
			&providers.Failure{Message: "your prompt has 60 tokens, which is too long"}, 64, messagesBody,
			"prompt is too long: 65 tokens > 64 maximum (the gateway's estimate)",
		},
		"numbers that count no prompt": {
			&providers.Failure{Message: "prompt too long; exceeded by 1119046 tokens (ref: 96164522-08b2-4cbf-886e-e5a38961a688), 99999999999999999999 tokens, tokens 1.5, tokens v999"}, 64, messagesBody,
			"prompt is too long: 65 tokens > 64 maximum (the gateway's estimate)",
		},
		"the window is known, and the estimate is longer": {
			&providers.Failure{Message: "maximum context length is 1000 tokens", ContextWindow: 1000}, 0, long,
			"prompt is too long: 1267 tokens > 1000 maximum (the gateway's estimate)",
		},
		"the window is known, and the estimate would fit": {
			&providers.Failure{Message: "maximum context length is 1000 tokens", ContextWindow: 1000}, 0, messagesBody,
			"prompt is too long: 1001 tokens > 1000 maximum (the gateway's estimate)",
		},
		"the window is declared": {
			&providers.Failure{Message: "too many tokens"}, 64, messagesBody,
			"prompt is too long: 65 tokens > 64 maximum (the gateway's estimate)",
		},
		"no window is known": {
			&providers.Failure{Message: "too many tokens"}, 0, messagesBody,
			"prompt is too long: it exceeds the maximum of the model, with 18 tokens by the gateway's estimate",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *running) {
				t := r.t
				test.failure.Kind, test.failure.Status = providers.ContextLength, 400
				r.routeWith(func(p *combo.Provider) {
					p.Models["m"] = combo.Model{Name: "m", ContextWindow: test.window}
				}, failing(0, test.failure))
				resp, err := r.postTo(t.Context(), messagesPath, test.body)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := readAll(t, resp)
				e := wantAnthropic(t, resp.StatusCode, resp.Header, body, 400, "invalid_request_error", "context_length_exceeded")
				if e.Error.Message != test.want {
					t.Errorf("it says %q, want %q", e.Error.Message, test.want)
				}
			})
		})
	}
}

func TestAnUpstreamsOwnErrorIsInTheClientsDialect(t *testing.T) {
	const (
		openAI    = `{"error": {"message":"bad temperature","type":"invalid_request_error","param":"temperature","code":"bad_value"}}`
		anthropic = `{"type":"error", "error":{"type":"invalid_request_error","message":"bad temperature"},"request_id":"req_up"}`
		gemini    = `{"error":{"code":400,"message":"bad temperature","status":"INVALID_ARGUMENT"}}`
		page      = `<html>bad</html>`
	)
	tests := map[string]struct {
		path, dialect, body string
		anthropic, openAI   bool // in whose envelope it is told; neither: untouched
	}{
		"OpenAI's for a chat":                          {"/v1/chat/completions", "", openAI, false, false},
		"Anthropic's for a chat":                       {"/v1/chat/completions", "anthropic", anthropic, false, true},
		"Anthropic's form of a host of chats":          {"/v1/chat/completions", "", anthropic, false, false},
		"Gemini's for a chat":                          {"/v1/chat/completions", "gemini", gemini, false, true},
		"a page of Anthropic's for a chat":             {"/v1/chat/completions", "anthropic", page, false, true},
		"a page for a chat":                            {"/v1/chat/completions", "", page, false, false},
		"Anthropic's for Messages":                     {messagesPath, "anthropic", anthropic, false, false},
		"OpenAI's for Messages":                        {messagesPath, "", openAI, true, false},
		"OpenAI's form of a host of Messages":          {messagesPath, "anthropic", openAI, true, false},
		"Gemini's for Messages":                        {messagesPath, "gemini", gemini, true, false},
		"a page for Messages":                          {messagesPath, "", page, true, false},
		"a page of Anthropic's for Messages":           {messagesPath, "anthropic", page, false, false},
		"Anthropic's for a client of Responses":        {"/v1/responses", "anthropic", anthropic, false, true},
		"OpenAI's for a client who counts his tokens":  {countPath, "", openAI, true, false},
		"Anthropic's for a client who counts likewise": {countPath, "anthropic", anthropic, false, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *running) {
				t := r.t
				r.route(failing(0, &providers.Failure{
					Kind: providers.ClientError, Status: 422, Message: "bad temperature", Type: "invalid_request_error", Code: "bad_value",
					Param: "temperature", Body: []byte(test.body), ContentType: "text/x-own", Dialect: test.dialect,
				}))
				ask := messagesBody
				if test.path == "/v1/responses" {
					ask = `{"model":"c","input":"hi"}`
				}
				resp, err := r.postTo(t.Context(), test.path, ask)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := readAll(t, resp)
				switch {
				case test.anthropic:
					e := wantAnthropic(t, resp.StatusCode, resp.Header, body, 422, "invalid_request_error", "bad_value")
					if e.Error.Message != "bad temperature" || len(e.Error.Attempts) != 1 {
						t.Errorf("got %s", body)
					}
				case test.openAI:
					var e struct{ Error map[string]any }
					if err := json.Unmarshal([]byte(body), &e); err != nil {
						t.Fatal(err)
					}
					if resp.StatusCode != http.StatusUnprocessableEntity || e.Error["message"] != "bad temperature" || e.Error["type"] != "invalid_request_error" ||
						e.Error["code"] != "bad_value" || e.Error["param"] != "temperature" {
						t.Errorf("status %d: %s", resp.StatusCode, body)
					}
				default:
					if resp.StatusCode != http.StatusUnprocessableEntity || body != test.body || resp.Header.Get("Content-Type") != "text/x-own" {
						t.Errorf("status %d, %s: %s", resp.StatusCode, resp.Header.Get("Content-Type"), body)
					}
				}
			})
		})
	}
}

func TestAnUpstreamsCodeThatIsANumberIsNoWordForAClient(t *testing.T) {
	for path, ask := range map[string]string{
		"/v1/chat/completions": messagesBody, messagesPath: messagesBody, "/v1/responses": `{"model":"c","input":"hi"}`,
	} {
		inBubble(t, func(r *running) {
			t := r.t
			r.route(failing(0, &providers.Failure{
				Kind: providers.ClientError, Status: 400, Message: "bad temperature", Type: "INVALID_ARGUMENT", Code: "400",
				Body: []byte(`{"error":{"code":400,"message":"bad temperature","status":"INVALID_ARGUMENT"}}`), Dialect: "gemini",
			}))
			resp, err := r.postTo(t.Context(), path, ask)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := readAll(t, resp)
			var e struct{ Error map[string]any }
			if err := json.Unmarshal([]byte(body), &e); err != nil {
				t.Fatal(err)
			}
			if code, said := e.Error["code"]; resp.StatusCode != http.StatusBadRequest || !said || code != nil {
				t.Errorf("%s: status %d: %s", path, resp.StatusCode, body)
			}
		})
	}
}

func TestAnthropicsClientsAreToldWhenToComeBack(t *testing.T) {
	inBubble(t, func(r *running) {
		t := r.t
		r.route(failing(0, &providers.Failure{Kind: providers.Overloaded, Status: 529, Hint: 2 * time.Hour, Message: "busy"}))
		resp, err := r.postTo(t.Context(), messagesPath, messagesBody)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := readAll(t, resp)
		e := wantAnthropic(t, resp.StatusCode, resp.Header, body, 529, "overloaded_error", "overloaded")
		if resp.Header.Get("Retry-After") != "60" || resp.Header.Get("X-Should-Retry") != "false" || e.Error.RetryAt == "" {
			t.Errorf("%v: %s", resp.Header, body)
		}
		if resp.Header.Get("X-Ohmroute-Target") != "a/m" || resp.Header.Get("X-Ohmroute-Combo") != "c" {
			t.Errorf("%v", resp.Header)
		}
	})
	t.Run("also where nobody can be asked", func(t *testing.T) {
		g := newGateway(t, false)
		g.routeWith(func(p *combo.Provider) { p.Enabled = false }, plain("{}"))
		re := g.ask(http.MethodPost, messagesPath, messagesBody)
		e := wantAnthropic(t, re.Code, re.Header(), re.Body.String(), 503, "overloaded_error", "all_targets_unavailable")
		if len(e.Error.Attempts) != 1 || re.Header().Get("Retry-After") == "" {
			t.Errorf("%v: %s", re.Header(), re.Body)
		}
	})
	t.Run("also while the gateway shuts down", func(t *testing.T) {
		g := newGateway(t, false)
		g.route(func(context.Context, *providers.Attempt) (*providers.Answer, error) { panic("asked") })
		g.server.traffic.drain()
		re := g.ask(http.MethodPost, messagesPath, messagesBody)
		wantAnthropic(t, re.Code, re.Header(), re.Body.String(), 503, "overloaded_error", "shutting_down")
	})
}
