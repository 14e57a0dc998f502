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

// recordedRequests are the bodies that real clients sent to an endpoint, by the names of their recordings.
func recordedRequests(t *testing.T, endpoint string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(recorded.Folder(t, "wire"), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string][]byte{}
	for _, file := range files {
		recording, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := gjson.ParseBytes(recording)
		path, _, _ := strings.Cut(r.Get("url").Str, "?")
		if body := r.Get("body"); path == endpoint && body.IsObject() {
			bodies[strings.TrimSuffix(filepath.Base(file), ".json")] = []byte(body.Raw)
		}
	}
	if len(bodies) == 0 {
		t.Fatalf("nothing was recorded of %s", endpoint)
	}
	return bodies
}

// What a client of Responses may ask for that another dialect has no words for.
var droppedOfResponses = []string{
	"client_metadata", "input.internal_chat_message_metadata_passthrough", "prompt_cache_key", "reasoning",
	"tools.namespace", "tools.web_search", "tools.strict", "parallel_tool_calls",
}

func TestRecordedRequestsToResponsesAreSaidInEveryDialect(t *testing.T) {
	for name, body := range recordedRequests(t, "/v1/responses") {
		for _, target := range []Dialect{Chat, Messages, Gemini} {
			t.Run(name+" for "+target.String(), func(t *testing.T) {
				tr, err := Request(Responses, target, body, Options{Model: "target-model"})
				if err != nil {
					t.Fatal(err)
				}
				if !json.Valid(tr.Body) {
					t.Fatalf("no JSON: %s", tr.Body)
				}
				for _, dropped := range tr.Dropped {
					if !slices.Contains(droppedOfResponses, dropped) {
						t.Errorf("%s was dropped", dropped)
					}
				}
				out := string(tr.Body)
				for _, text := range texted(gjson.ParseBytes(body)) {
					if !strings.Contains(out, text) {
						t.Errorf("%.100s is missing in\n%.2000s", text, out)
					}
				}
			})
		}
	}
}

// texted are the texts, as JSON has them, that have to be in a request however it is said: what was said, what tools
// there are and what came of them.
func texted(body gjson.Result) (all []string) {
	add := func(v gjson.Result) {
		if v.Type == gjson.String {
			all = append(all, strings.Trim(v.Raw, `"`))
		}
	}
	add(body.Get("instructions"))
	add(body.Get("input"))
	for _, path := range []string{
		"input.#.content", "input.#.content.#.text|@flatten", "input.#.output", "input.#.name",
		`tools.#(type=="function")#.name`, `tools.#(type=="function")#.description`,
	} {
		for _, v := range body.Get(path).Array() {
			add(v)
		}
	}
	return all
}

// itemSaid is what a client gets of an item.
type itemSaid struct{ typ, text, name, id, sign string }

func itemsSaid(output []gjson.Result) (items []itemSaid) {
	for _, item := range output {
		s := itemSaid{typ: item.Get("type").Str, name: item.Get("name").Str, id: item.Get("call_id").Str}
		s.sign = item.Get("encrypted_content").Str
		switch s.typ {
		case "message":
			for _, part := range item.Get("content").Array() {
				s.text += partText(part)
			}
		case "function_call":
			s.text = item.Get("arguments").Str
		case "reasoning":
			s.text = reasoningText(item)
		default:
			continue
		}
		if s.text != "" || s.sign != "" {
			items = append(items, s)
		}
	}
	return items
}

// What a stream says is what the events say that hold an item each, or the whole response. They don't encrypt reasoning
// the same way twice.
func TestRecordedResponsesStreamsAreReadWhole(t *testing.T) {
	found := 0
	for _, r := range recordings(t) {
		if r.dialect != Responses {
			continue
		}
		var whole gjson.Result
		var items []gjson.Result
		for ev := range sse.Events(slices.Concat(r.events...)) {
			switch data := gjson.ParseBytes(ev.Data); data.Get("type").Str {
			case "response.completed":
				whole = data.Get("response")
			case "response.output_item.done":
				at := int(data.Get("output_index").Int())
				items = append(items, make([]gjson.Result, max(0, at+1-len(items)))...)
				items[at] = data.Get("item")
			}
		}
		found++
		t.Run(r.name, func(t *testing.T) {
			want := itemsSaid(items)
			got := streamed(Responses, Responses, reply(nil), slices.Values(r.events))
			events := slices.Collect(sse.Events(got))
			last := gjson.ParseBytes(events[len(events)-1].Data).Get("response")
			if have := itemsSaid(last.Get("output").Array()); !slices.Equal(have, want) {
				t.Errorf("streamed it is\n%+v\nwant\n%+v", have, want)
			}
			answer := gjson.ParseBytes(Answer(Responses, Responses, []byte(whole.Raw), reply(nil)).Body)
			want = itemsSaid(whole.Get("output").Array())
			if have := itemsSaid(answer.Get("output").Array()); !slices.Equal(have, want) {
				t.Errorf("whole it is\n%+v\nwant\n%+v", have, want)
			}
			for _, name := range []string{"input_tokens", "output_tokens", "total_tokens"} {
				path := "usage." + name
				if last.Get(path).Raw != whole.Get(path).Raw || answer.Get(path).Raw != whole.Get(path).Raw {
					t.Errorf("%s is %s and %s, want %s", name, last.Get(path).Raw, answer.Get(path).Raw, whole.Get(path).Raw)
				}
			}
		})
	}
	if found == 0 {
		t.Error("no stream of Responses was recorded")
	}
}
