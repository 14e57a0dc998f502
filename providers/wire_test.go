package providers_test

import (
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/providers"
	"github.com/ohmroute/ohmroute/providers/providertest"
)

// sent is what an upstream gets of a client's request.
func sent(t *testing.T, c providers.HostConfig, e providers.Endpoint, body string) (providertest.Request, *providers.Answer, error) {
	t.Helper()
	up := providertest.NewUpstream(t)
	up.Script("target", "chat hello")
	c.BaseURL = up.URL()
	p := host(t, c)
	r, err := providers.ParseRequest(e, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := p.Send(t.Context(), &providers.Attempt{Request: r, Model: "target", MaxOutput: 1234})
	if err != nil {
		return providertest.Request{}, nil, err
	}
	_ = answer.Events.Close()
	return up.Requests()[0], answer, nil
}

func TestReasoningOfAnotherDialectStaysHereAndAllElseGoesUpAsItCame(t *testing.T) {
	const sealed = `{"type":"thinking","thinking":"hm","signature":"responses~ohmroute~abc"},`
	body := `{"x":1.50,"model":"combo","max_tokens":9,"messages":[{"role":"user","content":"a"},` +
		`{"role":"assistant","content":[` + sealed + `{"type":"text","text":"b"}]},{"role":"user","content":"c"}]}`
	got, _, err := sent(t, providers.HostConfig{Kind: "anthropic"}, providers.Messages, body)
	want := strings.Replace(strings.Replace(body, sealed, "", 1), "combo", "target", 1)
	if err != nil || string(got.Body) != want {
		t.Errorf("%v, sent\n%s\nwant\n%s", err, got.Body, want)
	}
}

func TestWhatATargetCanNotBeToldIsDroppedByNameOrRefused(t *testing.T) {
	const body = `{"model":"combo","messages":[{"role":"user","content":"a"}],"logit_bias":{"1":2},"temperature":1.7}`
	got, answer, err := sent(t, providers.HostConfig{Kind: "anthropic"}, providers.Chat, body)
	if err != nil || answer.DroppedCount != 1 || strings.Join(answer.Dropped, " ") != "logit_bias" {
		t.Errorf("%v: dropped %+v", err, answer)
	}
	if got.Path != "/v1/messages" || got.Header.Get("Anthropic-Version") == "" ||
		!strings.Contains(string(got.Body), `"max_tokens":1234`) || !strings.Contains(string(got.Body), `"temperature":1`) {
		t.Errorf("sent to %s: %s", got.Path, got.Body)
	}
	f := failureOf(t, providers.HostConfig{Kind: "anthropic", Strict: true}, providers.Chat, body)
	if f.Kind != providers.Unsupported || f.Status != 0 || f.Param != "logit_bias" {
		t.Errorf("a strict provider: %+v", f)
	}
	f = failureOf(t, providers.HostConfig{Kind: "gemini"}, providers.Responses, `{"model":"combo","input":"a","previous_response_id":"r1"}`)
	if f.Kind != providers.Unsupported || f.Param != "previous_response_id" {
		t.Errorf("state of another provider: %+v", f)
	}
}

// failureOf is that of a request that nobody may be asked.
func failureOf(t *testing.T, c providers.HostConfig, e providers.Endpoint, body string) *providers.Failure {
	t.Helper()
	_, _, err := sent(t, c, e, body)
	f, ok := err.(*providers.Failure)
	if !ok {
		t.Fatalf("got %v", err)
	}
	return f
}

func TestAHostWithoutAPathForCountsSaysNothingAboutItsModel(t *testing.T) {
	const body = `{"model":"combo","messages":[{"role":"user","content":"a"}]}`
	for script, want := range map[string]providers.Kind{
		"error 404 - Not Found":                                   providers.Unsupported,
		"error 405 - Method Not Allowed":                          providers.Unsupported,
		"error 404 model_not_found The model is not here":         providers.ModelNotFound,
		"error 500 - x":                                           providers.ServerError,
		"header Content-Type: text/html; status 404; body <html>": providers.Unsupported,
	} {
		up := providertest.NewUpstream(t)
		up.Script("", script)
		p := host(t, providers.HostConfig{BaseURL: up.URL()})
		r, err := providers.ParseRequest(providers.CountTokens, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = p.Send(t.Context(), &providers.Attempt{Request: r, Model: "target"}); err.(*providers.Failure).Kind != want {
			t.Errorf("%s: %v, want %s", script, err, want)
		}
	}
}

func TestAClientsQueryDoesNotRepeatTheKindsOwn(t *testing.T) {
	const own = "api-version=2024-10-21"
	for query, want := range map[string]string{
		"":                                own,
		"beta=true":                       own + "&beta=true",
		"api-version=2023-05-15":          own,
		"a=1&api-version=x&b=%20&c":       own + "&a=1&b=%20&c",
		"api%2Dversion=x&b=1":             own + "&b=1",
		"Api-Version=x":                   own,
		"api-version=x&api-version=y&a=1": own + "&a=1",
		"api-version":                     own,
		"my-api-version=1":                own + "&my-api-version=1",
		"%zz=1&api-version=x":             own + "&%zz=1",
	} {
		up := providertest.NewUpstream(t)
		up.Script("target", "chat hello")
		p := host(t, providers.HostConfig{Kind: "azure", BaseURL: up.URL()})
		r, err := providers.ParseRequest(providers.Chat, []byte(`{"model":"combo","messages":[{"role":"user","content":"a"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Query = query
		answer, err := p.Send(t.Context(), &providers.Attempt{Request: r, Model: "target"})
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Events.Close()
		if got := up.Requests()[0].Query; got != want {
			t.Errorf("%q: sent %q, want %q", query, got, want)
		}
	}
}

func TestAddressesOfHosts(t *testing.T) {
	const chat = `{"model":"combo","messages":[{"role":"user","content":"a"}]}`
	for name, test := range map[string]struct {
		config      providers.HostConfig
		path, query string
	}{
		"Anthropic": {providers.HostConfig{Kind: "anthropic"}, "/v1/messages", ""},
		"Gemini":    {providers.HostConfig{Kind: "gemini"}, "/v1/models/target:generateContent", ""},
		"Azure":     {providers.HostConfig{Kind: "azure"}, "/v1/openai/deployments/target/chat/completions", "api-version=2024-10-21"},
		"Azure of a version": {
			providers.HostConfig{Kind: "azure", APIVersion: "2025-01-01-preview"}, "/v1/openai/deployments/target/chat/completions", "api-version=2025-01-01-preview",
		},
		"Azure's Responses": {
			providers.HostConfig{Kind: "azure", Dialects: []providers.Endpoint{providers.Responses}}, "/v1/openai/v1/responses", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := sent(t, test.config, providers.Chat, chat)
			if err != nil || got.Path != test.path || got.Query != test.query {
				t.Errorf("%v: %s?%s, want %s?%s", err, got.Path, got.Query, test.path, test.query)
			}
		})
	}
}
