package translate

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

func TestUsageOfChatHosts(t *testing.T) {
	for name, test := range map[string]struct {
		body string
		want usage
	}{
		"OpenAI": {
			`{"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":3}}}`,
			usage{input: 10, output: 5, cacheRead: 4, reasoning: 3},
		},
		"details that are null": {
			`{"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_tokens_details":null,"completion_tokens_details":null}}`,
			usage{input: 10, output: 5},
		},
		"Groq":     {`{"usage":null,"x_groq":{"usage":{"prompt_tokens":10,"completion_tokens":5}}}`, usage{input: 10, output: 5}},
		"DeepSeek": {`{"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_cache_hit_tokens":6,"prompt_cache_miss_tokens":4}}`, usage{input: 10, output: 5, cacheRead: 6}},
		"Moonshot": {`{"usage":{"prompt_tokens":10,"completion_tokens":5,"cached_tokens":2}}`, usage{input: 10, output: 5, cacheRead: 2}},
		"a router": {
			`{"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":2,"cache_write_tokens":3}}}`,
			usage{input: 10, output: 5, cacheRead: 2, cacheWrite: 3},
		},
		"reasoning beside the answer": {
			`{"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":22,"completion_tokens_details":{"reasoning_tokens":7}}}`,
			usage{input: 10, output: 12, reasoning: 7},
		},
		"reasoning that doesn't add up": {
			`{"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"completion_tokens_details":{"reasoning_tokens":7}}}`,
			usage{input: 10, output: 5, reasoning: 5},
		},
	} {
		if got := readChatUsage(gjson.Parse(test.body)); got == nil || *got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
	for _, body := range []string{`{}`, `{"usage":null}`, `{"x_groq":{"id":"r"}}`} {
		if got := readChatUsage(gjson.Parse(body)); got != nil {
			t.Errorf("%s: got %+v", body, got)
		}
	}
}

func TestTheLastUsageOfAChatStreamCounts(t *testing.T) {
	said := readChat(chatEvents(
		`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":1,"completion_tokens":2}}}`,
		`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":3}}`, `{"choices":[],"usage":null}`, chatDone,
	))
	if u := said[len(said)-1].usage; u == nil || u.output != 3 {
		t.Errorf("got %+v", u)
	}
}

// OpenRouter tells what was counted in the event of an error behind a whole answer.
func TestTheUsageBesideAnErrorBehindAWholeAnswerIsTold(t *testing.T) {
	stream := chatEvents(`"delta":{"role":"assistant","content":"a"},"finish_reason":"length"`,
		`{"id":"c1","error":{"code":400,"message":"Token limit reached"},"object":"chat.completion.chunk","created":1,"model":"m",`+
			`"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],`+
			`"usage":{"prompt_tokens":43,"completion_tokens":10,"total_tokens":53}}`, chatDone)
	for client, told := range map[Dialect]string{
		Chat: `"prompt_tokens":43,"completion_tokens":10`, Responses: `"output_tokens":10`, Messages: `"output_tokens":10`,
	} {
		if got := string(streamed(Chat, client, reply(nil), slices.Values([][]byte{stream}))); !strings.Contains(got, told) || strings.Contains(got, "Token limit") {
			t.Errorf("for %s:\n%s", client, got)
		}
	}
}
