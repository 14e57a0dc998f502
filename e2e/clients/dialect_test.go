package clients

import (
	"encoding/json"
	"fmt"
	"strings"
)

// object is a JSON object that is sent.
type object = map[string]any

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // only values of this package's own making come here
	}
	return string(text)
}

// dialect is what a target's host says that the words of providertest's scripts don't: several calls of a tool in one
// turn, and errors by the names that they have there.
type dialect struct {
	kind     string               // of the provider that is configured
	calls    func() string        // a whole answer that calls the tool for Paris and for Rome
	streamed func() string        // the same, streamed
	codes    map[string]string    // what such a host calls what OpenAI calls so
	tooLong  func() (text string) // how it says that the prompt doesn't fit
}

var dialects = map[string]dialect{
	"chat":      {"openai", chatCalls, chatCallsStreamed, nil, openAITooLong},
	"responses": {"openai", responsesCalls, responsesCallsStreamed, nil, openAITooLong},
	"messages":  {"anthropic", messagesCalls, messagesCallsStreamed, anthropicTypes, anthropicTooLong},
}

var anthropicTypes = map[string]string{
	"invalid_value": "invalid_request_error", "context_length_exceeded": "invalid_request_error",
	"rate_limit_exceeded": "rate_limit_error", "insufficient_quota": "billing_error", "server_error": "api_error",
}

func openAITooLong() string {
	return "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
}

func anthropicTooLong() string { return "prompt is too long: 9000 tokens > 8192 maximum" }

// failure is a script that answers with an error, named as OpenAI does.
func (d dialect) failure(status int, code, message string) string {
	if named, ok := d.codes[code]; ok {
		code = named
	}
	return fmt.Sprintf("error %d %s %s", status, code, message)
}

var cities = []string{"Paris", "Rome"}

// callID is the id of the n-th call, in a form that every dialect takes.
func callID(n int) string { return fmt.Sprintf("call_%d", n+1) }

// arguments are those of a call, whole and in the two pieces that they are streamed in.
func arguments(city string) (whole, one, two string) {
	whole = asJSON(object{"city": city})
	return whole, whole[:len(whole)/2], whole[len(whole)/2:]
}

func script(lines ...string) string { return strings.Join(lines, "\n") }
