package translate

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ohmroute/ohmroute/sse"
)

// Whatever JSON a client of Responses sends is translated to JSON or refused.
func TestOddRequestsToResponsesAreTranslatedOrRefused(t *testing.T) {
	requests := goldenParts(t, "testdata/responses_*/*.txtar", "request")
	rapid.Check(t, func(t *rapid.T) {
		body := mutated(t, rapid.SampledFrom(requests).Draw(t, "request"))
		for _, target := range []Dialect{Chat, Responses, Messages, Gemini} {
			tr, err := Request(Responses, target, body, Options{Model: "target-model"})
			if refused, ok := errors.AsType[*Refused](err); err != nil && (!ok || refused.Message == "") {
				t.Fatalf("for %s: %v", target, err)
			}
			if err == nil && !json.Valid(tr.Body) {
				t.Fatalf("for %s: %s", target, tr.Body)
			}
		}
		if own := Own(Responses, body); !json.Valid(own) {
			t.Fatalf("own: %s", own)
		}
	})
}

// Whatever JSON a target of Responses answers is an answer, and a stream, in every dialect.
func TestOddAnswersOfResponsesAreAnswers(t *testing.T) {
	answers := goldenParts(t, "testdata/*_responses/*.txtar", "answer")
	requests := goldenParts(t, "testdata/responses_*/*.txtar", "request")
	rapid.Check(t, func(t *rapid.T) {
		body := mutated(t, rapid.SampledFrom(answers).Draw(t, "answer"))
		r := reply(rapid.SampledFrom(requests).Draw(t, "request"))
		for _, client := range clients {
			if tr := Answer(Responses, client, body, r); !json.Valid(tr.Body) {
				t.Fatalf("for %s: %s", client, tr.Body)
			}
			stream := Streamed(Responses, client, body, r)
			if client != Responses {
				continue
			}
			if err := checkResponsesStream(stream); err != nil && !targetsFault(err) {
				t.Fatalf("%v\n%s", err, stream)
			}
		}
	})
}

// Whatever a target's stream says, a client of Responses can follow it to its end.
func TestOddStreamsCanBeFollowedByClientsOfResponses(t *testing.T) {
	targets := []Dialect{Chat, Responses, Messages, Gemini}
	streams := map[Dialect][][]byte{}
	for _, target := range targets {
		streams[target] = goldenParts(t, "testdata/*_"+target.String()+"/*.txtar", "stream")
	}
	rapid.Check(t, func(t *rapid.T) {
		target := rapid.SampledFrom(targets).Draw(t, "target")
		var stream []byte
		for ev := range sse.Events(rapid.SampledFrom(streams[target]).Draw(t, "stream")) {
			data := ev.Data
			if rapid.IntRange(0, 3).Draw(t, "mutated") == 0 && json.Valid(data) {
				data = mutated(t, data)
			}
			if rapid.IntRange(0, 9).Draw(t, "lost") > 0 {
				stream = frame(stream, string(ev.Type), data)
			}
		}
		s := NewStream(target, Responses, reply(nil))
		got := s.End(s.Append(nil, stream))
		if !s.finished {
			got = s.say(got, &event{is: finished})
		}
		if err := checkResponsesStream(got); err != nil && !targetsFault(err) {
			t.Fatalf("%s: %v\n%s\n%s", target, err, stream, got)
		}
	})
}

// targetsFault tells whether a call makes no sense as it was made, or counts as they were counted: they go over so.
func targetsFault(err error) bool {
	return theModelsFault(err) || strings.Contains(err.Error(), "its name or its id is missing") ||
		strings.Contains(err.Error(), "the usage makes no sense")
}
