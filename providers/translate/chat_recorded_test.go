package translate

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/openai/openai-go/v3"

	"github.com/ohmroute/ohmroute/sse"
)

// What a host's stream says is what its client would have read, whatever the host's way of saying it.
func TestRecordedChatStreamsAreReadWhole(t *testing.T) {
	for _, r := range recordings(t) {
		if r.dialect != Chat {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			got := streamed(Chat, Chat, reply(nil), slices.Values(r.events))
			if err := checkChatStream(got); err != nil {
				t.Error(err)
			}
			have, want := chatSaid(slices.Values([][]byte{got})), chatSaid(slices.Values(r.events))
			have.details, want.details = nil, nil
			if want.finish == "" {
				want.finish = "stop"
			}
			if fmt.Sprintf("%+v", have) != fmt.Sprintf("%+v", want) {
				t.Errorf("got\n%+v\nwant\n%+v", have, want)
			}
		})
	}
}

// The accumulator of OpenAI's own client refuses what doesn't belong together.
func TestOpenAIsClientPutsRecordedStreamsTogether(t *testing.T) {
	for _, r := range recordings(t) {
		t.Run(r.name, func(t *testing.T) {
			stream := streamed(r.dialect, Chat, reply(nil), slices.Values(r.events))
			var acc openai.ChatCompletionAccumulator
			for ev := range sse.Events(stream) {
				if string(ev.Data) == chatDone {
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
			want := chatSaid(slices.Values([][]byte{stream}))
			m := acc.Choices[0].Message
			if m.Content != want.content || m.Refusal != want.refusal || acc.Choices[0].FinishReason != want.finish {
				t.Errorf("got %q, %q, %s, want %+v", m.Content, m.Refusal, acc.Choices[0].FinishReason, want)
			}
			var ids []string
			for _, call := range m.ToolCalls {
				ids = append(ids, call.ID)
				if !json.Valid([]byte(call.Function.Arguments)) {
					t.Errorf("the arguments of %s are %s", call.ID, call.Function.Arguments)
				}
			}
			if !slices.Equal(ids, want.ids) || acc.Usage.PromptTokens != want.prompt {
				t.Errorf("got %v and %d tokens, want %+v", ids, acc.Usage.PromptTokens, want)
			}
		})
	}
}
