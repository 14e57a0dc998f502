package sdks

import (
	"encoding/json"
	"testing"

	"github.com/openai/openai-go/v3"

	"github.com/ohmroute/ohmroute/sse"
)

// The accumulator of OpenAI's own client refuses what doesn't belong together, and comes to what stands in the whole answer.
func TestOpenAIsSDKReadsGoldenStreamsAndAnswers(t *testing.T) {
	eachGolden(t, "chat_*", func(t *testing.T, stream, whole []byte) {
		var read openai.ChatCompletion
		if whole != nil {
			if err := json.Unmarshal(whole, &read); err != nil || len(read.Choices) == 0 {
				t.Fatalf("%v: %s", err, whole)
			}
		}
		if stream == nil {
			return
		}
		put := put(t, stream)
		if whole == nil {
			return
		}
		got, want := put.Choices[0], read.Choices[0]
		if got.Message.Content != want.Message.Content || got.Message.Refusal != want.Message.Refusal || got.FinishReason != want.FinishReason {
			t.Errorf("the stream comes to %q, %q, %s and the answer to %q, %q, %s", got.Message.Content, got.Message.Refusal, got.FinishReason,
				want.Message.Content, want.Message.Refusal, want.FinishReason)
		}
		if len(got.Message.ToolCalls) != len(want.Message.ToolCalls) {
			t.Fatalf("%d calls in the stream, %d in the answer", len(got.Message.ToolCalls), len(want.Message.ToolCalls))
		}
		for i, call := range got.Message.ToolCalls {
			other := want.Message.ToolCalls[i]
			if call.ID != other.ID || call.Function.Name != other.Function.Name || !json.Valid([]byte(other.Function.Arguments)) {
				t.Errorf("call %d is %+v in the stream and %+v in the answer", i, call, other)
			}
		}
	})
}

func put(t *testing.T, stream []byte) openai.ChatCompletion {
	t.Helper()
	var acc openai.ChatCompletionAccumulator
	for ev := range sse.Events(stream) {
		if string(ev.Data) == "[DONE]" {
			continue
		}
		var chunk openai.ChatCompletionChunk
		if err := json.Unmarshal(ev.Data, &chunk); err != nil {
			t.Fatalf("%v: %s", err, ev.Data)
		}
		if !acc.AddChunk(chunk) {
			t.Fatalf("it doesn't belong to those before: %s", ev.Data)
		}
	}
	if len(acc.Choices) == 0 {
		t.Fatalf("no choices in %s", stream)
	}
	return acc.ChatCompletion
}
