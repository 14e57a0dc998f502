package providers

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// told is how the demo fails with a kind: an answer as OpenAI gives it, or an error of the network.
type told struct {
	status             int
	typ, code, message string
	answer             string // instead of an error object
	err                error
}

// failures has a row for every kind that an upstream can cause.
var failures = map[Kind]told{
	RateLimit:      {status: http.StatusTooManyRequests, typ: "requests", code: "rate_limit_exceeded", message: "Rate limit reached for requests"},
	QuotaExhausted: {status: http.StatusTooManyRequests, typ: "quota", code: "quota_exceeded", message: "The daily quota is used up"},
	Billing:        {status: http.StatusPaymentRequired, typ: "insufficient_quota", code: "insufficient_quota", message: "You exceeded your current quota, please check your plan and billing details"},
	Auth:           {status: http.StatusUnauthorized, typ: "invalid_request_error", code: "invalid_api_key", message: "Incorrect API key provided"},
	Permission:     {status: http.StatusForbidden, typ: "invalid_request_error", message: "You have no access to this model"},
	ModelNotFound:  {status: http.StatusNotFound, typ: "invalid_request_error", code: "model_not_found", message: "The model does not exist"},
	ContextLength:  {status: http.StatusBadRequest, typ: "invalid_request_error", code: "context_length_exceeded", message: "This model's maximum context length is 8192 tokens"},
	ContentPolicy:  {status: http.StatusBadRequest, typ: "invalid_request_error", code: "content_policy_violation", message: "The request was refused by the content policy"},
	Unsupported:    {status: http.StatusBadRequest, typ: "invalid_request_error", code: "unsupported_parameter", message: "The parameter is not supported with this model"},
	ClientError:    {status: http.StatusUnprocessableEntity, typ: "invalid_request_error", message: "The request is not right"},
	Overloaded:     {status: http.StatusServiceUnavailable, typ: "service_unavailable_error", code: "server_is_overloaded", message: "The server is overloaded"},
	ServerError:    {status: http.StatusInternalServerError, typ: "server_error", code: "server_error", message: "The server had an error"},
	Timeout:        {status: http.StatusGatewayTimeout, typ: "timeout", message: "The upstream timed out"},
	Connection:     {err: syscall.ECONNREFUSED},
	Malformed:      {status: http.StatusOK, answer: "<html><body>It works!</body></html>"},
	ModelFault:     {status: http.StatusOK, answer: brokenCall},
}

// brokenCall is an answer whose tool call can't be used.
const brokenCall = `{"id":"chatcmpl-demo","object":"chat.completion","created":0,"model":"demo","choices":[{"index":0,"message":` +
	`{"role":"assistant","content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":"f","arguments":"{\"a\":"}}]},` +
	`"finish_reason":"tool_calls"}]}`

func failingKinds() []string {
	var names []string
	for kind := range failures {
		names = append(names, string(kind))
	}
	slices.Sort(names)
	return names
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func failureBody(message, typ, code string) []byte {
	quoted := "null"
	if code != "" {
		quoted = jsonString(code)
	}
	return []byte(`{"error":{"message":` + jsonString(message) + `,"type":` + jsonString(typ) + `,"param":null,"code":` + quoted + `}}`)
}

// speech is what the demo says, over and over.
var speech = strings.Fields(`Hello! This answer was made inside the gateway, word by word, without any network.
	Point a combo at real providers and it will come from them instead. Until then, watch the breakers: open the
	dashboard, send a few more requests, and see which target answers.`)

// spoken are the words of the answer.
func (p *part) spoken() []string {
	n := p.words
	switch p.act {
	case "die", "stall":
		n = p.after
	case "empty", "refuse":
		n = 0
	}
	words := make([]string, n)
	for i := range words {
		words[i] = speech[i%len(speech)]
		if i > 0 {
			words[i] = " " + words[i]
		}
	}
	return words
}

func (p *part) id() string {
	return "chatcmpl-demo-" + strconv.FormatUint(uint64(draw(p.model, p.number)), 36)
}

// finish is the finish reason of the answer.
func (p *part) finish() string {
	if p.act == "refuse" {
		return finishContentFilter
	}
	return "stop"
}

// events are the bytes of a streamed answer, in the pieces in which they are sent.
func (p *part) events() [][]byte {
	chunk := func(choice string) []byte {
		return []byte(`data: {"id":"` + p.id() + `","object":"chat.completion.chunk","created":` + strconv.FormatInt(p.created, 10) +
			`,"model":` + jsonString(p.model) + `,"choices":[` + choice + `]`)
	}
	end := func(b []byte, more string) []byte { return append(b, more+"}\n\n"...) }
	delta := func(delta, finish string) []byte {
		return end(chunk(`{"index":0,"delta":{`+delta+`},"logprobs":null,"finish_reason":`+finish+`}`), "")
	}
	events := [][]byte{delta(`"role":"assistant","content":""`, "null")}
	for _, word := range p.spoken() {
		events = append(events, delta(`"content":`+jsonString(word), "null"))
	}
	if p.act == "die" || p.act == "stall" {
		return events
	}
	last := delta("", jsonString(p.finish()))
	if p.usage {
		last = append(last, end(chunk(""), `,"usage":`+p.counted())...)
	}
	return append(events, append(last, dialectChat.closing()...))
}

// whole is a plain answer.
func (p *part) whole() []byte {
	text := strings.Join(p.spoken(), "")
	return []byte(`{"id":"` + p.id() + `","object":"chat.completion","created":` + strconv.FormatInt(p.created, 10) +
		`,"model":` + jsonString(p.model) + `,"choices":[{"index":0,"message":{"role":"assistant","content":` + jsonString(text) +
		`,"refusal":null},"logprobs":null,"finish_reason":` + jsonString(p.finish()) + `}],"usage":` + p.counted() + `}`)
}

func (p *part) counted() string {
	in, out := p.input, len(p.spoken())
	return `{"prompt_tokens":` + strconv.Itoa(in) + `,"completion_tokens":` + strconv.Itoa(out) + `,"total_tokens":` + strconv.Itoa(in+out) + `}`
}

func jsonString(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // no string fails
	}
	return string(b)
}
