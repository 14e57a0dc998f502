package providers

import (
	"strings"
	"testing"
)

func TestStreamOfOtherDialects(t *testing.T) {
	typed := func(events ...string) string {
		var b strings.Builder
		for i := 0; i < len(events); i += 2 {
			b.WriteString("event: " + events[i] + "\ndata: {\"type\":\"" + events[i] + "\"" + events[i+1] + "}\n\n")
		}
		return b.String()
	}
	created := typed("response.created", `,"response":{"id":"r","status":"in_progress","output":[]}`, "response.output_item.added", `,"item":{"type":"message"}`)
	said := typed("response.output_text.delta", `,"delta":"x"`)
	completed := typed("response.completed", `,"response":{"id":"r","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"x"}]}],"usage":{"input_tokens":3,"output_tokens":4}}`)
	cut := typed("response.incomplete", `,"response":{"id":"r","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}`)
	refused := typed("response.incomplete", `,"response":{"id":"r","status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}`)
	failed := typed("response.failed", `,"response":{"id":"r","status":"failed","error":{"code":"rate_limit_exceeded","message":"slow down"}}`)

	start := typed("message_start", `,"message":{"id":"m","type":"message","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}`, "content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`, "ping", "")
	text := typed("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":"x"}`)
	stopped := typed("content_block_stop", `,"index":0`, "message_delta", `,"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":5}`)
	last := typed("message_stop", "")
	overloaded := typed("error", `,"error":{"type":"overloaded_error","message":"Overloaded"}`)

	tests := map[string]struct {
		endpoint Endpoint
		stream   string
		text     string
		kind     Kind
		usage    Usage
	}{
		"a response":                              {Responses, created + said + completed, created + said + completed, "", Usage{InputTokens: 3, OutputTokens: 4}},
		"a response without deltas":               {Responses, created + completed, created + completed, "", Usage{InputTokens: 3, OutputTokens: 4}},
		"a response that reached its limit":       {Responses, created + said + cut, created + said + cut, "", Usage{}},
		"a response that is refused":              {Responses, created + refused, "", ContentPolicy, Usage{}},
		"a response that is refused later":        {Responses, created + said + refused, created + said + refused, "", Usage{}},
		"a response that fails":                   {Responses, created + failed, "", RateLimit, Usage{}},
		"a response that fails later":             {Responses, created + said + failed, created + said, Truncated, Usage{}},
		"a response without an end":               {Responses, created + said, created + said, Truncated, Usage{}},
		"a response that never begins":            {Responses, created, "", Malformed, Usage{}},
		"a message":                               {Messages, start + text + stopped + last, start + text + stopped + last, "", Usage{InputTokens: 9, OutputTokens: 5}},
		"a message without its last event":        {Messages, start + text + stopped, start + text + stopped + "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", "", Usage{InputTokens: 9, OutputTokens: 5}},
		"a message without an end":                {Messages, start + text, start + text, Truncated, Usage{InputTokens: 9, OutputTokens: 1}},
		"a message that fails":                    {Messages, start + overloaded, "", Overloaded, Usage{InputTokens: 9, OutputTokens: 1}},
		"a message that fails later":              {Messages, start + text + overloaded, start + text, Truncated, Usage{InputTokens: 9, OutputTokens: 1}},
		"events of an endpoint that nobody knows": {Images, "event: image_generation.completed\ndata: {\"b64_json\":\"x\"}\n\n", "event: image_generation.completed\ndata: {\"b64_json\":\"x\"}\n\n", "", Usage{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 1 << 20} {
				got := receive(t, upstreamOf("text/event-stream", &pieces{[]byte(test.stream), size}), test.endpoint, `,"stream":true`)
				if kindOf(got.failure) != test.kind || got.text != test.text {
					t.Errorf("reads of %d: %v, the client gets\n%s\nwant %q\n%s", size, got.failure, got.text, test.kind, test.text)
				}
				usage := Usage{}
				if got.usage != nil {
					usage = *got.usage
				}
				if usage != test.usage {
					t.Errorf("reads of %d: usage %+v, want %+v", size, usage, test.usage)
				}
			}
		})
	}
}
