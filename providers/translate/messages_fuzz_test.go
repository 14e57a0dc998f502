package translate

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/ohmroute/ohmroute/sse"
)

// seeds begins fuzzing with the parts of golden files that have that name.
func seeds(f *testing.F, pattern, name string) {
	f.Helper()
	for _, part := range goldenParts(f, pattern, name) {
		f.Add(part)
	}
}

// Whatever JSON a client of Messages sends is translated to JSON or refused, and never panics.
func FuzzRequestsOfMessages(f *testing.F) {
	seeds(f, "testdata/messages_*/*.txtar", "request")
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{}}]}]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if !json.Valid(body) { // which is refused before it is translated
			return
		}
		for _, target := range []Dialect{Chat, Responses, Messages, Gemini} {
			tr, err := Request(Messages, target, body, Options{Model: "m"})
			if _, refused := errors.AsType[*Refused](err); err != nil && !refused {
				t.Errorf("for %s: %v", target, err)
			}
			if err == nil && !json.Valid(tr.Body) {
				t.Errorf("for %s: %s", target, tr.Body)
			}
		}
	})
}

// Whatever JSON a host of Messages answers is an answer in every dialect.
func FuzzAnswersOfMessages(f *testing.F) {
	seeds(f, "testdata/*_messages/*.txtar", "answer")
	f.Fuzz(func(t *testing.T, body []byte) {
		if !json.Valid(body) { // which is refused before it is translated
			return
		}
		for _, client := range clients {
			if tr := Answer(Messages, client, body, reply(nil)); !json.Valid(tr.Body) {
				t.Errorf("for %s: %s", client, tr.Body)
			}
		}
	})
}

// Whatever a host of Messages streams, what clients get for it is JSON.
func FuzzStreamsOfMessages(f *testing.F) {
	seeds(f, "testdata/*_messages/*.txtar", "stream")
	f.Add([]byte("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":7,\"delta\":{\"type\":\"input_json_delta\"}}\n\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		for _, client := range clients {
			s := NewStream(Messages, client, reply(nil))
			for ev := range sse.Events(s.End(s.Append(nil, stream))) {
				if string(ev.Data) != chatDone && !json.Valid(ev.Data) {
					t.Errorf("for %s: %s", client, ev.Data)
				}
			}
		}
	})
}
