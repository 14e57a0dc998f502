package clients

import (
	"encoding/json"
	"fmt"
	"strings"
)

// object is a JSON object that an upstream sends.
type object = map[string]any

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // only values of this package's own making come here
	}
	return string(text)
}

// speech is what a scripted model says in one turn: text, or calls of the weather tool for the cities.
type speech struct {
	text        string
	cities      []string
	interleaved bool // the arguments of parallel calls come in turns
}

const (
	inputTokens  = 11
	outputTokens = 3
)

// callID is the id of the n-th call of a turn, in a form that every dialect takes.
func callID(n int) string { return fmt.Sprintf("call_%d", n+1) }

func argumentsFor(city string) string { return asJSON(object{"city": city}) }

// words are a text in the pieces that it is streamed in.
func words(text string) []string { return strings.SplitAfter(text, " ") }

// transcript is a streamed turn as lines of a script.
type transcript struct {
	opening []string // says nothing yet
	first   string   // the first event that means something
	rest    []string
}

func (s transcript) whole() []string {
	lines := append([]string{}, s.opening...)
	return append(append(lines, s.first), s.rest...)
}

// dialect is how a target's host speaks.
type dialect struct {
	kind    string // of the provider that is configured
	path    string // where such a host is asked
	answer  func(speech) string
	stream  func(speech) transcript
	failure func(status int, code, message string) []string
}

var dialects = map[string]dialect{
	"chat":      {"openai", "/v1/chat/completions", chatAnswer, chatStream, openAIFailure},
	"responses": {"openai", "/v1/responses", responsesAnswer, responsesStream, openAIFailure},
	"messages":  {"anthropic", "/v1/messages", messagesAnswer, messagesStream, anthropicFailure},
}

func openAIFailure(status int, code, message string) []string {
	return []string{fmt.Sprintf("error %d %s %s", status, code, message)}
}

// anthropicTypes are what an Anthropic host calls what OpenAI calls by these codes.
var anthropicTypes = map[string]string{
	"invalid_value": "invalid_request_error", "context_length_exceeded": "invalid_request_error",
	"rate_limit_exceeded": "rate_limit_error", "insufficient_quota": "billing_error", "-": "api_error",
}

func anthropicFailure(status int, code, message string) []string {
	if code == "context_length_exceeded" {
		message = "prompt is too long: 9000 tokens > 8192 maximum"
	}
	if code == "insufficient_quota" {
		status = 402
	}
	return []string{
		fmt.Sprintf("status %d", status),
		"json " + asJSON(object{"type": "error", "error": object{"type": anthropicTypes[code], "message": message}, "request_id": "req_1"}),
	}
}
