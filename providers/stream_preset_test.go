package providers

import (
	"strings"
	"testing"
)

// TestStreamOfPresets: what one provider says in its own way within a stream.
func TestStreamOfPresets(t *testing.T) {
	finish := func(reason, members string) string {
		return `data: {"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]` + members + "}\n\n"
	}
	const sensitive, flat = `,"base_resp":{"status_code":1027,"status_msg":"output new_sensitive"}`, `{"code":"Throttling.RateQuota","message":"x","request_id":"r"}`
	tests := map[string]struct {
		preset, stream string
		text           string // that the client gets; empty: none
		kind           Kind
	}{
		"MiniMax's refusal":                 {"minimax", role + finish("stop", sensitive) + theEnd, "", ContentPolicy},
		"MiniMax's refusal behind text":     {"minimax", wordA + finish("stop", sensitive) + theEnd, wordA + finish("stop", sensitive) + theEnd, ""},
		"MiniMax's limit with nothing":      {"minimax", `data: {"choices":null,"base_resp":{"status_code":1002}}` + "\n\n", "", RateLimit},
		"DashScope's error":                 {"dashscope", "id:1\nevent:error\n:HTTP_STATUS/429\ndata:" + flat + "\n\n", "", RateLimit},
		"DashScope's error without a type":  {"dashscope", "data: " + flat + "\n\n", "", RateLimit},
		"DashScope's error, unended":        {"dashscope", "data: " + flat, "", RateLimit},
		"Z.ai's network error":              {"zai", role + finish("network_error", "") + theEnd, "", ServerError},
		"Z.ai's network error behind text":  {"zai", wordA + finish("network_error", "") + theEnd, wordA, Truncated},
		"Z.ai's sensitive":                  {"zai", role + finish("sensitive", "") + theEnd, "", ContentPolicy},
		"Z.ai's sensitive behind text":      {"zai", wordA + finish("sensitive", "") + theEnd, wordA + finish("sensitive", "") + theEnd, ""},
		"OpenRouter's limit beside a cut":   {"openrouter", role + finish("length", `,"error":{"code":400,"message":"Token limit reached"}`) + theEnd, role + finish("length", `,"error":{"code":400,"message":"Token limit reached"}`) + theEnd, ""},
		"an error beside a late filter":     {"openrouter", wordA + finish("content_filter", `,"error":{"code":429}`) + theEnd, wordA + finish("content_filter", `,"error":{"code":429}`) + theEnd, ""},
		"an error beside an orderly finish": {"openrouter", role + finish("stop", `,"error":{"code":429}`) + theEnd, "", RateLimit},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			u := upstreamOf("text/event-stream", strings.NewReader(test.stream))
			u.preset = test.preset
			got := receive(t, u, Chat, `,"stream":true`)
			if kindOf(got.failure) != test.kind || got.text != test.text {
				t.Errorf("%v\n%s\nwant %q\n%s", got.failure, got.text, test.kind, test.text)
			}
		})
	}
}
