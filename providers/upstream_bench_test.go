package providers

import (
	"net/http"
	"strings"
	"testing"
)

// BenchmarkSend is what an attempt costs beside the network and the request's parsing.
func BenchmarkSend(b *testing.B) {
	const answer = `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello there"},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`
	for name, test := range map[string]struct{ contentType, body, members string }{
		"plain":    {"application/json", answer, ""},
		"streamed": {"text/event-stream", role + wordA + wordB + stop + theEnd, `,"stream":true`},
	} {
		b.Run(name, func(b *testing.B) {
			r, err := ParseRequest(Chat, []byte(`{"model":"combo"`+test.members+`,"messages":[{"role":"user","content":"hi"}]}`))
			if err != nil {
				b.Fatal(err)
			}
			r.Header = http.Header{
				"Accept": {"application/json"}, "Content-Type": {"application/json"}, "User-Agent": {"OpenAI/JS 7.59.0"}, "X-Stainless-Lang": {"js"},
				"X-Stainless-Os": {"Linux"}, "X-Stainless-Arch": {"x64"}, "X-Stainless-Runtime": {"node"}, "X-Stainless-Retry-Count": {"0"},
			}
			attempt := &Attempt{Request: r, Model: "m", Key: Key{Secret: "sk-1234567890"}, Limits: Limits{Connect: 1e10, FirstToken: 1e11, Idle: 1e11, Response: 1e11}}
			b.ReportAllocs()
			for b.Loop() {
				got, err := upstreamOf(test.contentType, strings.NewReader(test.body)).send(b.Context(), attempt)
				if err != nil {
					b.Fatal(err)
				}
				for err == nil {
					_, err = got.Events.Next()
				}
				got.Events.Close()
			}
		})
	}
}
