package sdks

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/ohmroute/ohmroute/sse"
)

// Anthropic's own SDK puts the same message together from the stream of a golden file as it reads from the whole answer.
func TestAnthropicsSDKReadsGoldenStreamsAndAnswers(t *testing.T) {
	eachGolden(t, "messages_*", func(t *testing.T, stream, whole []byte) {
		var read, put anthropic.Message
		if whole != nil {
			if err := json.Unmarshal(whole, &read); err != nil {
				t.Fatal(err)
			}
			told(t, &read)
		}
		if stream != nil {
			put = accumulated(t, stream)
			told(t, &put)
		}
		if stream != nil && whole != nil {
			sameMessage(t, &put, &read)
		}
	})
}

func accumulated(t *testing.T, stream []byte) anthropic.Message {
	t.Helper()
	var m anthropic.Message
	for ev := range sse.Events(stream) {
		var e anthropic.MessageStreamEventUnion
		if err := json.Unmarshal(ev.Data, &e); err != nil {
			t.Fatal(err)
		}
		if err := m.Accumulate(e); err != nil {
			t.Fatalf("%v\n%s", err, ev.Raw)
		}
	}
	return m
}

// told finds what an agent could not go on with.
func told(t *testing.T, m *anthropic.Message) {
	t.Helper()
	if m.ID == "" || m.Model == "" || m.StopReason == "" || m.Usage.OutputTokens == 0 {
		t.Errorf("the message lacks something: %+v", m)
	}
	for i := range m.Content {
		b := &m.Content[i]
		if b.Type == "tool_use" && (b.ID == "" || b.Name == "" || !bytes.HasPrefix(b.Input, []byte("{"))) {
			t.Errorf("the call lacks something: %s", b.RawJSON())
		}
	}
}

func sameMessage(t *testing.T, got, want *anthropic.Message) {
	t.Helper()
	if got.StopReason != want.StopReason || got.StopSequence != want.StopSequence || len(got.Content) != len(want.Content) {
		t.Fatalf("the stream is another message:\n%+v\n%+v", got, want)
	}
	if g, w := got.Usage, want.Usage; g.InputTokens != w.InputTokens || g.OutputTokens != w.OutputTokens ||
		g.CacheReadInputTokens != w.CacheReadInputTokens {
		t.Errorf("the stream counts %+v, and the answer %+v", g, w)
	}
	for i := range got.Content {
		g, w := &got.Content[i], &want.Content[i]
		if g.Type != w.Type || g.Text != w.Text || g.Thinking != w.Thinking || g.Signature != w.Signature ||
			g.Data != w.Data || g.ID != w.ID || g.Name != w.Name || !sameJSON(t, g.Input, w.Input) {
			t.Errorf("block %d: got %+v, want %+v", i, g, w)
		}
	}
}

func sameJSON(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	var x, y bytes.Buffer
	if json.Compact(&x, a) != nil || json.Compact(&y, b) != nil {
		t.Fatalf("no JSON: %s, %s", a, b)
	}
	return bytes.Equal(x.Bytes(), y.Bytes())
}
