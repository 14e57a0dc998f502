package server

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

// withoutCounts is a provider that serves Messages and can't count their tokens.
func withoutCounts(p *combo.Provider) {
	p.Endpoints = map[providers.Endpoint]bool{providers.Messages: true}
}

func TestACountOfTokensThatNobodyAnswersIsEstimated(t *testing.T) {
	failure := func(kind providers.Kind) target {
		return failing(0, &providers.Failure{Kind: kind, Status: 500, Message: "it failed"})
	}
	tests := map[string]struct {
		change  func(*combo.Provider)
		targets []target
		asked   string // x-ohmroute-attempts
	}{
		"no target serves it":                {withoutCounts, []target{plain("{}"), plain("{}")}, "0"},
		"all targets fail":                   {nil, []target{failure(providers.ServerError), failure(providers.ModelNotFound)}, "2"},
		"the only target times out":          {nil, []target{failure(providers.Timeout)}, "1"},
		"one key is bad, and a host is down": {nil, []target{failure(providers.Auth), failure(providers.ServerError)}, "2"},
		"one key is bad, and another target can't count": {
			func(p *combo.Provider) {
				if p.ID != "a" {
					withoutCounts(p)
				}
			}, []target{failure(providers.Auth), plain("{}")}, "1",
		},
		"a host has no such path": {nil, []target{failing(0, &providers.Failure{
			Kind: providers.Unsupported, Status: 404, Message: "no such path", Body: []byte("{}"), ContentType: "application/json",
		})}, "1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, false)
			g.routeWith(test.change, test.targets...)
			re := g.ask(http.MethodPost, countPath, messagesBody)
			if re.Code != http.StatusOK || re.Body.String() != "{\"input_tokens\":18}\n" || re.Header().Get("X-Ohmroute-Estimated") != "true" {
				t.Errorf("status %d, %v: %s", re.Code, re.Header(), re.Body)
			}
			if h := re.Header(); h.Get("X-Ohmroute-Attempts") != test.asked || h.Get("X-Ohmroute-Combo") != "c" || h.Get("X-Ohmroute-Target") != "" || h.Get("Retry-After") != "" {
				t.Errorf("%v", h)
			}
			row := g.must(http.MethodGet, "/api/v1/requests", "").json()["requests"].([]any)[0].(map[string]any)
			if row["outcome"] != "ok" || row["status"] != 200.0 || row["code"] != nil || row["usage"] != nil {
				t.Errorf("the log says %v", row)
			}
		})
	}
	t.Run("nobody is charged for a question that no target takes", func(t *testing.T) {
		g := newGateway(t, false)
		g.routeWith(withoutCounts, plain("{}"))
		g.ask(http.MethodPost, countPath, messagesBody)
		for _, b := range g.must(http.MethodGet, "/api/v1/breakers", "").json()["breakers"].([]any) {
			if b := b.(map[string]any); b["state"] != "CLOSED" || b["failure_count"] != 0.0 {
				t.Errorf("%v", b)
			}
		}
	})
}

func TestWhatIsNotEstimated(t *testing.T) {
	t.Run("an answer", func(t *testing.T) {
		g := newGateway(t, false)
		g.route(failing(0, serverError()), plain(`{"input_tokens":7}`))
		re := g.ask(http.MethodPost, countPath, messagesBody)
		if re.Code != http.StatusOK || re.Body.String() != `{"input_tokens":7}` || re.Header().Get("X-Ohmroute-Estimated") != "" {
			t.Errorf("status %d, %v: %s", re.Code, re.Header(), re.Body)
		}
	})
	t.Run("for a model that is not there", func(t *testing.T) {
		g := newGateway(t, false)
		g.routeWith(withoutCounts, plain("{}"))
		re := g.ask(http.MethodPost, countPath, `{"model":"nobody","messages":[]}`)
		wantAnthropic(t, re.Code, re.Header(), re.Body.String(), 404, "not_found_error", "model_not_found")
	})
	t.Run("what the client did wrong", func(t *testing.T) {
		g := newGateway(t, false)
		g.route(failing(0, &providers.Failure{Kind: providers.ClientError, Status: 400, Message: "bad tool"}))
		re := g.ask(http.MethodPost, countPath, messagesBody)
		wantAnthropic(t, re.Code, re.Header(), re.Body.String(), 400, "invalid_request_error", "client_error")
	})
	t.Run("a key that no target takes", func(t *testing.T) {
		for _, kind := range []providers.Kind{providers.Auth, providers.Billing, providers.Permission} {
			g := newGateway(t, false)
			refused := failing(0, &providers.Failure{Kind: kind, Status: 401, Message: "bad key"})
			g.route(refused, refused)
			re := g.ask(http.MethodPost, countPath, messagesBody)
			same := g.ask(http.MethodPost, messagesPath, messagesBody)
			var told, want anthropicReply
			_, _ = json.Unmarshal(re.Body.Bytes(), &told), json.Unmarshal(same.Body.Bytes(), &want)
			wantAnthropic(t, re.Code, re.Header(), re.Body.String(), same.Code, want.Error.Type, want.Error.Code)
			if len(told.Error.Attempts) != 2 || re.Header().Get("X-Ohmroute-Estimated") != "" {
				t.Errorf("%s: %v: %s", kind, re.Header(), re.Body)
			}
		}
	})
	t.Run("a message", func(t *testing.T) {
		g := newGateway(t, false)
		g.route(failing(0, serverError()))
		re := g.ask(http.MethodPost, messagesPath, messagesBody)
		wantAnthropic(t, re.Code, re.Header(), re.Body.String(), 503, "overloaded_error", "server_error")
	})
}
