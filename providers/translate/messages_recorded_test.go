package translate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/e2e/recorded"
	"github.com/ohmroute/ohmroute/sse"
)

// recordedMessages are the bodies that real clients of the dialect sent, by the name of their recording.
func recordedMessages(t *testing.T) map[string]gjson.Result {
	t.Helper()
	folder := recorded.Folder(t, "wire")
	bodies := map[string]gjson.Result{}
	for _, pattern := range []string{"claude-code-*.json", "anthropic-*.json", "ai-sdk-anthropic-*.json"} {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no recordings %s: %v", pattern, err)
		}
		for _, file := range files {
			recording, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if body := gjson.GetBytes(recording, "body"); body.IsObject() && body.Get("messages").Exists() {
				bodies[strings.TrimSuffix(filepath.Base(file), ".json")] = body
			}
		}
	}
	return bodies
}

func TestRecordedRequestsOfMessagesGoOverToEveryDialect(t *testing.T) {
	for name, body := range recordedMessages(t) {
		for _, target := range []Dialect{Chat, Responses, Gemini} {
			t.Run(name+" for "+target.String(), func(t *testing.T) {
				tr, err := Request(Messages, target, []byte(body.Raw), Options{Model: "target-model"})
				if err != nil {
					t.Fatal(err)
				}
				if !json.Valid(tr.Body) {
					t.Fatalf("no JSON: %s", tr.Body)
				}
				said := strings.Join(stringsOf(gjson.ParseBytes(tr.Body)), "\n")
				for _, text := range substance(body) {
					if !strings.Contains(said, text) {
						t.Errorf("%.80q is lost", text)
					}
				}
				if got, want := gjson.GetBytes(tr.Body, "stream").Bool(), body.Get("stream").Bool(); got != want && target != Gemini {
					t.Errorf("stream is %v instead of %v", got, want)
				}
			})
		}
	}
}

// stringsOf are all strings in a JSON value.
func stringsOf(v gjson.Result) (all []string) {
	if v.Type == gjson.String {
		return []string{v.Str}
	}
	if v.Type != gjson.JSON {
		return nil
	}
	v.ForEach(func(_, member gjson.Result) bool {
		all = append(all, stringsOf(member)...)
		return true
	})
	return all
}

// substance are the strings of a request that no translation may lose: what was said, and what tools do.
func substance(body gjson.Result) (all []string) {
	body.ForEach(func(name, v gjson.Result) bool {
		switch {
		case v.Type == gjson.JSON:
			all = append(all, substance(v)...)
		case v.Type == gjson.String && slices.Contains(
			[]string{"system", "text", "content", "data", "name", "description", "city"}, name.Str):
			all = append(all, v.Str)
		}
		return true
	})
	return all
}

// What an agent acts on, the deltas of texts, thinking and inputs, is read without loss from what Anthropic really sent.
func TestRecordedStreamsOfAnthropicLoseNoText(t *testing.T) {
	for _, r := range recordings(t) {
		if r.dialect != Messages {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			reader := newMessagesReader()
			sent, read := map[blockType]string{}, map[blockType]string{}
			types := map[int]blockType{}
			var last event
			for ev := range sse.Events(slices.Concat(r.events...)) {
				for _, said := range reader.read(ev, nil) {
					switch last = said; said.is {
					case opened:
						types[said.at] = said.block.is
					case more:
						read[types[said.at]] += said.text
					}
				}
				d := gjson.GetBytes(ev.Data, "delta")
				sent[textBlock] += d.Get("text").Str
				sent[reasoningBlock] += d.Get("thinking").Str
			}
			if last.is != finished || last.finish == 0 || last.usage == nil || last.usage.output == 0 {
				t.Errorf("the end is %+v", last)
			}
			for is, text := range sent {
				if read[is] != text {
					t.Errorf("got  %q\nwant %q", read[is], text)
				}
			}
			if calls := strings.ReplaceAll(read[callBlock], "}{", "},{"); !gjson.Valid("[" + calls + "]") {
				t.Errorf("the arguments are %q", read[callBlock])
			}
		})
	}
}
