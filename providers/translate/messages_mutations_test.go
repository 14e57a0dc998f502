package translate

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/ohmroute/ohmroute/sse"
)

// odd are values that stand where another is expected, as JSON.
var odd = []string{
	`null`, `true`, `7`, `-1e400`, `""`, `"text"`, `"\u0000<&\u2028"`, `[]`, `{}`, `[null]`, `["text"]`, `[{"type":"text","text":"a"}]`,
	`{"type":"tool_use"}`, `{"type":"text"}`,
}

// mutated is a JSON text, a member or two of which are gone or are something odd.
func mutated(t *rapid.T, text []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(1, 2).Draw(t, "mutations") {
		v = mutate(t, v)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// mutate goes down to a random place and puts something odd there.
func mutate(t *rapid.T, v any) any {
	deeper := rapid.IntRange(0, 9).Draw(t, "deeper") > 0
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 || !deeper {
			break
		}
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		name := rapid.SampledFrom(names).Draw(t, "member")
		if rapid.IntRange(0, 9).Draw(t, "gone") == 0 {
			delete(v, name)
		} else {
			v[name] = mutate(t, v[name])
		}
		return v
	case []any:
		if len(v) == 0 || !deeper {
			break
		}
		i := rapid.IntRange(0, len(v)-1).Draw(t, "element")
		v[i] = mutate(t, v[i])
		return v
	}
	return json.RawMessage(rapid.SampledFrom(odd).Draw(t, "odd"))
}

// goldenParts are parts of golden files.
func goldenParts(tb testing.TB, pattern, name string) (parts [][]byte) {
	tb.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		tb.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		for _, part := range archive.Files {
			if part.Name == name {
				parts = append(parts, part.Data)
			}
		}
	}
	if len(parts) == 0 {
		tb.Fatalf("no golden files %s have a part %s", pattern, name)
	}
	return parts
}

// Whatever JSON a client of Messages sends is translated to JSON or refused.
func TestOddRequestsOfMessagesAreTranslatedOrRefused(t *testing.T) {
	requests := goldenParts(t, "testdata/messages_*/*.txtar", "request")
	rapid.Check(t, func(t *rapid.T) {
		body := mutated(t, rapid.SampledFrom(requests).Draw(t, "request"))
		model := rapid.SampledFrom([]string{"claude-sonnet-4", "claude-opus-4-8", "target-model"}).Draw(t, "model")
		for _, target := range []Dialect{Chat, Responses, Messages, Gemini} {
			tr, err := Request(Messages, target, body, Options{Model: model})
			if refused, ok := errors.AsType[*Refused](err); err != nil && (!ok || refused.Message == "") {
				t.Fatalf("for %s: %v", target, err)
			}
			if err == nil && !json.Valid(tr.Body) {
				t.Fatalf("for %s: %s", target, tr.Body)
			}
		}
		if own := Own(Messages, body); !json.Valid(own) {
			t.Fatalf("own: %s", own)
		}
	})
}

// Whatever JSON a target of Messages answers is an answer, and a stream, in every dialect.
func TestOddAnswersOfMessagesAreAnswers(t *testing.T) {
	answers := goldenParts(t, "testdata/*_messages/*.txtar", "answer")
	rapid.Check(t, func(t *rapid.T) {
		body := mutated(t, rapid.SampledFrom(answers).Draw(t, "answer"))
		for _, client := range clients {
			if tr := Answer(Messages, client, body, reply(nil)); !json.Valid(tr.Body) {
				t.Fatalf("for %s: %s", client, tr.Body)
			}
			if stream := Streamed(Messages, client, body, reply(nil)); client == Messages {
				if err := checkMessagesStream(stream); err != nil && !theModelsFault(err) {
					t.Fatalf("%v\n%s", err, stream)
				}
			}
		}
	})
}

// Whatever a target's stream says, a client of Messages can follow it to its end.
func TestOddStreamsCanBeFollowedByClientsOfMessages(t *testing.T) {
	streams := map[Dialect][][]byte{}
	for _, target := range []Dialect{Chat, Responses, Messages, Gemini} {
		streams[target] = goldenParts(t, "testdata/*_"+target.String()+"/*.txtar", "stream")
	}
	rapid.Check(t, func(t *rapid.T) {
		target := rapid.SampledFrom([]Dialect{Chat, Responses, Messages, Gemini}).Draw(t, "target")
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
		s := NewStream(target, Messages, reply(nil))
		got := s.End(s.Append(nil, stream))
		if !s.finished {
			got = s.say(got, &event{is: finished})
		}
		if err := checkMessagesStream(got); err != nil && !theModelsFault(err) {
			t.Fatalf("%s: %v\n%s\n%s", target, err, stream, got)
		}
	})
}

// theModelsFault tells whether a call itself makes no sense: it goes over as it was made.
func theModelsFault(err error) bool {
	return slices.ContainsFunc([]string{"the input is no object", "name of a new block", "is that of another call"}, func(part string) bool {
		return strings.Contains(err.Error(), part)
	})
}
