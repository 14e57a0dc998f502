package clients

import (
	"testing"
)

// party is a client library, and what the tests know of it.
type party struct {
	name      string
	packages  []string // as they are called where they are pinned; those of PyPI begin with pypi:
	endpoints []string // of chat, Responses and Messages, those that it speaks
	start     func(t *testing.T, gateway string) client
	classes   map[int]string // its error class for a status; 0 is for all others
	tooLong   string         // its class for what is too long for the model, if it has one of its own
	others    []string       // the columns of otherScenarios that it can do
	hides     []string       // endpoint and scenario of the errors in a stream whose words it doesn't show
	base64    bool           // it asks for embeddings in base64
}

func (p party) class(status int) string {
	if class := p.classes[status]; class != "" {
		return class
	}
	return p.classes[0]
}

// node starts a client of npm.
func node(name string) func(*testing.T, string) client {
	return func(t *testing.T, gateway string) client {
		t.Helper()
		return startWorker(t, name, gateway)
	}
}

// The error classes of the SDKs of OpenAI and of Anthropic for JavaScript and for Python.
var (
	openAIClasses = map[int]string{
		400: "BadRequestError", 401: "AuthenticationError", 404: "NotFoundError", 429: "RateLimitError", 503: "InternalServerError",
	}
	anthropicClasses = map[int]string{
		400: "BadRequestError", 401: "AuthenticationError", 402: "PaymentRequiredError", 404: "NotFoundError", 429: "RateLimitError",
		503: "ServiceUnavailableError",
	}
)

var parties = []party{
	{
		name: "openai-js", packages: []string{"openai"}, endpoints: []string{"chat", "responses"}, start: node("openai"), classes: openAIClasses, base64: true,
		others: []string{"models", "embeddings", "completions", "moderations", "images", "speech", "transcription"},
	},
	{
		name: "anthropic-js", packages: []string{"@anthropic-ai/sdk"}, endpoints: []string{"messages", "beta"}, start: node("anthropic"), classes: anthropicClasses,
		others: []string{"models", "count_tokens"},
	},
	{
		name: "ai-openai", packages: []string{"ai", "@ai-sdk/openai"}, endpoints: []string{"responses", "chat"}, start: node("ai-openai"),
		classes: map[int]string{0: "AI_APICallError"}, others: []string{"embeddings"},
	},
	{
		name: "ai-compatible", packages: []string{"ai", "@ai-sdk/openai-compatible"}, endpoints: []string{"chat"}, start: node("ai-compatible"),
		classes: map[int]string{0: "AI_APICallError"}, others: []string{"embeddings"},
	},
	{
		name: "ai-anthropic", packages: []string{"ai", "@ai-sdk/anthropic"}, endpoints: []string{"messages"}, start: node("ai-anthropic"),
		classes: map[int]string{0: "AI_APICallError"},
	},
	{
		name: "langchain", packages: []string{"@langchain/openai", "@langchain/core"}, endpoints: []string{"chat", "responses"}, start: node("langchain"), classes: openAIClasses,
		tooLong: "ContextOverflowError", others: []string{"embeddings"}, base64: true,
	},
	{
		name: "agents", packages: []string{"@openai/agents"}, endpoints: []string{"responses", "chat"}, start: node("agents"), classes: openAIClasses,
		hides: []string{"responses cut", "responses ended-early", "responses late-failure"},
	},
	{
		name: "openai-python", packages: []string{"pypi:openai"}, endpoints: []string{"chat", "responses"}, start: python("openai"), classes: openAIClasses, base64: true,
		others: []string{"models", "embeddings", "completions", "moderations", "images", "speech", "transcription"},
	},
	{
		name: "anthropic-python", packages: []string{"pypi:anthropic"}, endpoints: []string{"messages", "beta"}, start: python("anthropic"), classes: anthropicClasses,
		others: []string{"models", "count_tokens"},
	},
	{
		name: "openai-go", packages: []string{"github.com/openai/openai-go/v3"}, endpoints: []string{"chat", "responses"},
		start: openaiGo, classes: map[int]string{0: "*openai.Error"}, others: []string{"models", "embeddings"},
	},
	{
		name: "go-openai", packages: []string{"github.com/sashabaranov/go-openai"}, endpoints: []string{"chat"},
		start: goOpenAI, classes: map[int]string{0: "*openai.APIError"}, others: []string{"models", "embeddings"},
		hides: []string{"chat late-failure"}, // it reads the comments before the error as a part of it
	},
	{
		name: "anthropic-go", packages: []string{"github.com/anthropics/anthropic-sdk-go/v2"}, endpoints: []string{"messages"},
		start: anthropicGo, classes: map[int]string{0: "*anthropic.Error"},
		others: []string{"models", "count_tokens"},
	},
}
