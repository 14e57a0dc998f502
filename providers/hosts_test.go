package providers_test

import (
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/providers"
	"github.com/ohmroute/ohmroute/providers/providertest"
)

// open makes a host of a kind of a base URL of an upstream of OpenAI's form.
func open(kind string, dialects ...providers.Endpoint) func(string) (providers.Provider, error) {
	return func(baseURL string) (providers.Provider, error) {
		return providers.NewHost(providers.HostConfig{Kind: kind, BaseURL: baseURL, Dialects: dialects, Now: func() time.Time { return time.Unix(1_800_000_000, 0) }})
	}
}

// The suites of the hosts that aren't OpenAI's, and of clients that speak another dialect than their host.
func TestHosts(t *testing.T) {
	const messagesBody = `"max_tokens":100,"messages":[{"role":"user","content":"hi"}]`
	const responsesBody = `"input":"hi"`
	stopped, closing := `"stop_reason":"end_turn"`, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	for name, suite := range map[string]providertest.Suite{
		"Anthropic's": {Open: open("anthropic"), Endpoint: providers.Messages, Body: messagesBody, Finish: stopped, Closing: closing},
		"a host of OpenAI's kind that speaks Messages": {
			Open: open("openai", providers.Messages), Endpoint: providers.Messages, Body: messagesBody, Finish: stopped, Closing: closing,
		},
		"a host of OpenAI's kind that speaks Responses": {
			Open: open("openai", providers.Responses), Endpoint: providers.Responses, Body: responsesBody, Finish: `"response.completed"`,
		},
		"Azure's":                       {Open: open("azure"), Kinds: map[int]providers.Kind{403: providers.Auth}},
		"Anthropic's, for chat":         {Open: open("anthropic"), Foreign: true, Finish: stopped, Closing: closing},
		"Gemini's, for chat":            {Open: open("gemini"), Foreign: true, Finish: `"finishReason":"STOP"`},
		"a host of Responses, for chat": {Open: open("openai", providers.Responses), Foreign: true, Finish: `"response.completed"`},
		"OpenAI's, for Messages":        {Open: open("openai", providers.Chat), Endpoint: providers.Messages, Body: messagesBody, Foreign: true},
		"Gemini's, for Messages":        {Open: open("gemini"), Endpoint: providers.Messages, Body: messagesBody, Foreign: true, Finish: `"finishReason":"STOP"`},
		"OpenAI's, for Responses":       {Open: open("openai", providers.Chat), Endpoint: providers.Responses, Body: responsesBody, Foreign: true},
		"Anthropic's, for Responses":    {Open: open("anthropic"), Endpoint: providers.Responses, Body: responsesBody, Foreign: true, Finish: stopped, Closing: closing},
		"Gemini's, for Responses":       {Open: open("gemini"), Endpoint: providers.Responses, Body: responsesBody, Foreign: true, Finish: `"finishReason":"STOP"`},
	} {
		t.Run(name, func(t *testing.T) { providertest.Run(t, suite) })
	}
}
