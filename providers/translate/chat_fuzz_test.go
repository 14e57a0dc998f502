package translate

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/ohmroute/ohmroute/sse"
)

// Whatever JSON a client of a chat sends is translated to JSON or refused, and never panics.
func FuzzRequestsOfAChat(f *testing.F) {
	seeds(f, "testdata/chat_*/*.txtar", "request")
	f.Fuzz(func(t *testing.T, body []byte) {
		if !json.Valid(body) { // which is refused before it is translated
			return
		}
		for _, target := range []Dialect{Chat, Responses, Messages, Gemini} {
			tr, err := Request(Chat, target, body, Options{Model: "m"})
			if _, refused := errors.AsType[*Refused](err); err != nil && !refused {
				t.Errorf("for %s: %v", target, err)
			}
			if err == nil && !json.Valid(tr.Body) {
				t.Errorf("for %s: %s", target, tr.Body)
			}
		}
	})
}

// Whatever JSON a chat host answers is an answer in every dialect.
func FuzzAnswersOfAChat(f *testing.F) {
	seeds(f, "testdata/*_chat/*.txtar", "answer")
	f.Fuzz(func(t *testing.T, body []byte) {
		if !json.Valid(body) { // which is refused before it is translated
			return
		}
		for _, client := range clients {
			if tr := Answer(Chat, client, body, reply(nil)); !json.Valid(tr.Body) {
				t.Errorf("for %s: %s", client, tr.Body)
			}
		}
	})
}

// Whatever a chat host streams, its events make sense, and what a client of a chat gets for them is JSON.
func FuzzStreamsOfAChat(f *testing.F) {
	seeds(f, "testdata/*_chat/*.txtar", "stream")
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := newChatReader()
		var said []event
		for ev := range sse.Events(stream) {
			said = r.read(ev, said)
		}
		followsTheRules(t, r.(ender).end(said))
		for _, client := range clients {
			s := NewStream(Chat, client, reply(nil))
			for ev := range sse.Events(s.End(s.Append(nil, stream))) {
				if string(ev.Data) != chatDone && !json.Valid(ev.Data) {
					t.Errorf("for %s: %s", client, ev.Data)
				}
			}
		}
	})
}

// followsTheRules finds events that no writer expects. Several blocks may be open.
func followsTheRules(t *testing.T, said []event) {
	t.Helper()
	open, blocks := map[int]bool{}, 0
	for i, ev := range said {
		switch ev.is {
		case began:
			if i > 0 {
				t.Errorf("event %d begins again", i)
			}
		case opened:
			if ev.at != blocks {
				t.Errorf("event %d opens block %d after %d blocks", i, ev.at, blocks)
			}
			blocks++
			open[ev.at] = true
		case finished:
			if i != len(said)-1 {
				t.Errorf("event %d is the last of %d", i, len(said))
			}
		default:
			if !open[ev.at] {
				t.Errorf("event %d is %s, which is not open", i, ev.shown())
			}
			if ev.is == more && ev.text == "" {
				t.Errorf("event %d says nothing", i)
			}
			open[ev.at] = ev.is != closed
		}
	}
	if len(said) == 0 || said[len(said)-1].is != finished {
		t.Error("the end is missing")
	}
}
