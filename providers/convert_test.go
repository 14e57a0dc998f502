package providers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/e2e/recorded"
)

func TestAnswerOfTheWrongForm(t *testing.T) {
	const plain = `
		{"id":"c","object":"chat.completion","created":1,"model":"x","seed":12345678901234567890,"choices":[
		{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{\"x\":1}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],
		"usage":{"prompt_tokens":1,"completion_tokens":2}}`
	const asStream = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"x","seed":12345678901234567890,"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{\"x\":1}"}}]},"logprobs":null,"finish_reason":null}]}` + "\n\n" +
		`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"x","seed":12345678901234567890,"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n"
	usage := `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"x","seed":12345678901234567890,"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}` + "\n\n"
	withUsage := `,"stream":true,"stream_options":{"include_usage":true}`
	chunks := `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"x","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"obfuscation":"a"}` + "\n\n" +
		`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"x","choices":[{"index":0,"delta":{"content":"Hel"},"logprobs":{"content":[{"token":"Hel"}]},"finish_reason":null}],"obfuscation":"b"}` + "\n\n" +
		`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"x","choices":[{"index":0,"delta":{"content":"lo \ud83d"},"logprobs":{"content":[{"token":"lo"}]},"finish_reason":null}],"obfuscation":"c"}` + "\n\n" +
		`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"x","choices":[{"index":0,"delta":{"content":"\ude00"},"finish_reason":null}]}` + "\n\n" +
		`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
		counted + theEnd
	tests := map[string]struct {
		endpoint    Endpoint
		contentType string
		body        string
		members     string
		want        string // empty: a failure
		kind        Kind
	}{
		"JSON for a stream":            {Chat, "application/json", plain, `,"stream":true`, asStream + theEnd, ""},
		"JSON for a stream with usage": {Chat, "application/json", plain, withUsage, asStream + usage + theEnd, ""},
		"JSON that is called text":     {Chat, "text/plain", plain, `,"stream":true`, asStream + theEnd, ""},
		"JSON that is called a stream": {Chat, "text/event-stream", plain, `,"stream":true`, asStream + theEnd, ""},
		"JSON without a content type":  {Chat, "", plain, `,"stream":true`, asStream + theEnd, ""},
		"an error for a stream":        {Chat, "application/json", `{"error":{"message":"x","code":"server_is_overloaded"}}`, `,"stream":true`, "", Overloaded},
		"half of JSON for a stream":    {Chat, "application/json", plain[:200], `,"stream":true`, "", Malformed},
		"audio for a stream":           {Speech, "audio/mpeg", "\xff\xfb\x90", `,"stream":true`, "\xff\xfb\x90", ""},
		"a transcript for a stream":    {Transcriptions, "application/json", `{"text":"x"}`, `,"stream":true`, `{"text":"x"}`, ""},
		"a picture for a stream":       {Images, "application/json", `{"data":[{"b64_json":"x"}]}`, `,"stream":true`, `{"data":[{"b64_json":"x"}]}`, ""},
		"an older completion for a stream": {
			Completions, "application/json", `{"id":"c","object":"text_completion","choices":[{"text":"x","index":0,"logprobs":null,"finish_reason":"stop"}]}`, `,"stream":true`,
			`data: {"id":"c","object":"text_completion","choices":[{"text":"x","index":0,"logprobs":null,"finish_reason":null}]}` + "\n\n" +
				`data: {"id":"c","object":"text_completion","choices":[{"index":0,"text":"","finish_reason":"stop"}]}` + "\n\n" + theEnd, "",
		},
		"a stream that is called JSON, for a stream": {Chat, "application/json", chunks, `,"stream":true`, chunks, ""},
		"a stream for a plain request": {
			Chat, "text/event-stream", chunks, "",
			`{"id":"c","object":"chat.completion","created":1,"model":"x","usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9},"choices":[{"index":0,"message":{"role":"assistant","content":"Hello \ud83d\ude00"},"finish_reason":"stop","logprobs":{"content":[{"token":"Hel"},{"token":"lo"}]}}]}`, "",
		},
		"a stream that is called text, for a plain request": {Chat, "text/plain", role + wordA + wordB + stop + theEnd, "", `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"AB"},"finish_reason":"stop"}]}`, ""},
		"a stream without an end for a plain request":       {Chat, "text/event-stream", role + wordA, "", "", Malformed},
		"a stream with an error for a plain request":        {Chat, "text/event-stream", role + wordA + overload + theEnd, "", "", Overloaded},
		"an empty stream for a plain request":               {Chat, "text/event-stream", role + stop + theEnd, "", "", ModelFault},
		"a response's stream for a plain request": {
			Responses, "text/event-stream", "event: response.output_text.delta\ndata: {\"delta\":\"x\"}\n\nevent: response.completed\ndata: {\"response\":{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"x\"}]}]}}\n\n", "",
			`{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"x"}]}]}`, "",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1 << 20, 10} {
				got := receive(t, upstreamOf(test.contentType, &pieces{[]byte(test.body), size}), test.endpoint, test.members)
				text := strings.TrimLeft(got.text, "\n") // blank lines that came first are passed on first
				if kindOf(got.failure) != test.kind || text != test.want {
					t.Errorf("reads of %d: %v\n%s\nwant\n%s", size, got.failure, text, test.want)
				}
			}
		})
	}
}

func TestToolCallsOfAStreamAreJoined(t *testing.T) {
	call := func(members string) string {
		return `data: {"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{` + members + `}]},"finish_reason":null}]}` + "\n\n"
	}
	finish := strings.Replace(stop, `"stop"`, `"tool_calls"`, 1) + theEnd
	tests := map[string]struct{ calls, want string }{
		"in pieces, interleaved": {
			call(`"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}`) +
				call(`"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{"}`) +
				call(`"index":0,"function":{"arguments":"{\"x\":"}`) + call(`"index":1,"function":{"arguments":"}"}`) + call(`"index":0,"function":{"arguments":"1}"}`),
			`[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]`,
		},
		"with the id and name repeated": {
			call(`"index":0,"id":"a","function":{"name":"f","arguments":"{"}`) + call(`"index":0,"id":"a","function":{"name":"f","arguments":"}"}`),
			`[{"id":"a","function":{"name":"f","arguments":"{}"}}]`,
		},
		"without an index": {
			call(`"id":"a","function":{"name":"f","arguments":"{}"}`) + call(`"id":"b","function":{"name":"f","arguments":"{}"}`),
			`[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"f","arguments":"{}"}}]`,
		},
		"with one index for all": {
			call(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`) + call(`"index":0,"id":"b","function":{"name":"f","arguments":"{}"}`),
			`[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"f","arguments":"{}"}}]`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := receive(t, upstreamOf("text/event-stream", strings.NewReader(role+test.calls+finish)), Chat, "")
			var answer struct {
				Choices []struct {
					Message struct {
						Calls json.RawMessage `json:"tool_calls"`
					} `json:"message"`
				} `json:"choices"`
			}
			if err := json.Unmarshal([]byte(got.text), &answer); err != nil {
				t.Fatalf("%v: %s, %v", err, got.text, got.failure)
			}
			if calls := string(answer.Choices[0].Message.Calls); calls != test.want {
				t.Errorf("got %s, want %s", calls, test.want)
			}
		})
	}
}

// TestRecordedStreamsAsOneAnswer: a recorded stream that comes where none was asked for says the same as one answer.
func TestRecordedStreamsAsOneAnswer(t *testing.T) {
	for name, stream := range chatRecordings(t) {
		if endpointOf(name) != Chat {
			continue
		}
		t.Run(name, func(t *testing.T) {
			got := receive(t, upstreamOf("text/event-stream", strings.NewReader(string(stream))), Chat, "")
			if !got.whole {
				t.Fatal(got.failure)
			}
			var answer struct {
				Object  string `json:"object"`
				Choices []struct {
					Message struct {
						Content json.RawMessage `json:"content"`
					} `json:"message"`
				} `json:"choices"`
			}
			if err := json.Unmarshal([]byte(got.text), &answer); err != nil || answer.Object != "chat.completion" || len(answer.Choices) == 0 {
				t.Fatalf("%v: %s", err, got.text)
			}
			var want strings.Builder
			for line := range strings.Lines(string(stream)) {
				var chunk struct {
					Choices []struct {
						Delta struct {
							Content any `json:"content"`
						} `json:"delta"`
					} `json:"choices"`
				}
				if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &chunk) == nil && len(chunk.Choices) > 0 {
					text, _ := chunk.Choices[0].Delta.Content.(string)
					want.WriteString(text)
				}
			}
			var content string
			if json.Unmarshal(answer.Choices[0].Message.Content, &content) == nil && content != want.String() {
				t.Errorf("says %q, want %q", content, want.String())
			}
		})
	}
}

// TestRealRequests: the requests that real clients send are read, and only their model is changed.
func TestRealRequests(t *testing.T) {
	for name, body := range realRequests(t) {
		t.Run(name, func(t *testing.T) {
			r, err := ParseRequest(Chat, body)
			if err != nil {
				t.Fatal(err)
			}
			var s spliced
			if err := s.splice(&Attempt{Request: r, Model: "other"}, false); err != nil {
				t.Fatal(err)
			}
			sent := make([]byte, s.size())
			if _, err := s.Read(sent); err != nil {
				t.Fatal(err)
			}
			var before, after map[string]any
			if json.Unmarshal(body, &before) != nil || json.Unmarshal(sent, &after) != nil {
				t.Fatal("no JSON")
			}
			if after["model"] != "other" || r.Model != before["model"] || r.Stream != (before["stream"] == true) {
				t.Errorf("model %q, stream %v", r.Model, r.Stream)
			}
			before["model"] = "other"
			if !reflect.DeepEqual(before, after) {
				t.Error("more than the model was changed")
			}
		})
	}
}

func realRequests(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(recorded.Folder(t, "wire"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded requests: %v", err)
	}
	return readRequests(t, files)
}

func readRequests(t *testing.T, files []string) map[string][]byte {
	t.Helper()
	bodies := map[string][]byte{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var request struct {
			Body json.RawMessage `json:"body"`
		}
		if err := json.Unmarshal(text, &request); err != nil {
			t.Fatal(err)
		}
		body := []byte(request.Body)
		var quoted string
		if json.Unmarshal(body, &quoted) == nil {
			body = []byte(quoted)
		}
		if strings.Contains(string(body), `"model"`) && json.Valid(body) {
			bodies[filepath.Base(file)] = body
		}
	}
	return bodies
}
