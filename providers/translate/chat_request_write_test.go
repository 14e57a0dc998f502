package translate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// writtenChat writes a conversation for a chat, and tells what was dropped.
func writtenChat(t *testing.T, c *conversation, o Options) (body gjson.Result, dropped string) {
	t.Helper()
	var n notes
	out, err := writeChatRequest(c, o, &n)
	if err != nil {
		t.Fatal(err)
	}
	if !gjson.ValidBytes(out) {
		t.Fatalf("no JSON: %s", out)
	}
	slices.Sort(n.dropped)
	return gjson.ParseBytes(out), strings.Join(n.dropped, " ")
}

func TestMembersForAChat(t *testing.T) {
	f := []tool{{name: "f", description: "d", schema: `{"type":"object"}`, strict: "true"}, {name: "g"}}
	for want, c := range map[string]*conversation{
		``: {},
		`"stream":true,"stream_options":{"include_usage":true}`: {stream: true},
		`"max_tokens":5,"temperature":1.50,"top_p":0.9,"frequency_penalty":1,"presence_penalty":2,"seed":9007199254740993`: {
			maxTokens: "5", temperature: "1.50", topP: "0.9", frequencyPenalty: "1", presencePenalty: "2", seed: "9007199254740993",
		},
		`"stop":["a","b"]`:                         {stop: []string{"a", "b"}},
		`"reasoning_effort":"low"`:                 {reason: reasoning{budget: "4000"}},
		`"reasoning_effort":"xhigh"`:               {reason: reasoning{effort: "xhigh"}},
		`"verbosity":"high","user":"u"`:            {verbosity: "high", user: "u"},
		`"metadata":{"a":"b"},"logit_bias":{}`:     {others: []member{{"metadata", `{"a":"b"}`}, {"logit_bias", "{}"}, {"store", "false"}}},
		`"response_format":{"type":"json_object"}`: {format: format{mode: "json"}},
		`` + ` `: {format: format{mode: "text"}, choice: choice{mode: "auto"}, parallel: "true"},
		`"response_format":{"type":"json_schema","json_schema":{"name":"n","description":"d","schema":{"type":"object"},"strict":true}}`: {
			format: format{mode: "schema", name: "n", description: "d", schema: `{"type":"object"}`, strict: "true"},
		},
		`"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{}}}`: {format: format{mode: "schema", schema: "{}"}},
		`"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"},"strict":true}},{"type":"function","function":{"name":"g","parameters":{"type":"object","properties":{}}}}],"tool_choice":{"type":"function","function":{"name":"g"}},"parallel_tool_calls":false`: {
			tools: f, choice: choice{mode: "named", name: "g"}, parallel: "false",
		},
		`"tools":[{"type":"function","function":{"name":"g","parameters":{"type":"object","properties":{}}}}],"tool_choice":"required"`: {
			tools: f[1:], choice: choice{mode: "required"},
		},
	} {
		body, dropped := writtenChat(t, c, Options{Model: "t"})
		head := `{"model":"t","messages":[]`
		if want = strings.TrimSpace(want); want != "" {
			head += ","
		}
		if body.Raw != head+want+"}" || dropped != "" {
			t.Errorf("got\n%s\nwant\n%s\ndropped %s", body.Raw, want, dropped)
		}
	}
}

func TestWhatAChatCantSayIsNamed(t *testing.T) {
	mark := `{"type":"ephemeral"}`
	c := &conversation{
		system: []block{{is: textBlock, text: "s", cache: mark}}, topK: "40",
		tools:  []tool{{name: "f", cache: mark}},
		others: []member{{"store", "true"}, {"truncation", `"auto"`}},
		turns: []turn{
			{blocks: []block{{is: textBlock, text: "a", cache: mark}}},
			{assistant: true, blocks: []block{{is: callBlock, id: "c", name: "f", text: "{}"}}},
			{blocks: []block{{is: resultBlock, id: "c", failed: true, content: textBlocks("no")}}},
		},
	}
	const want = "messages.content.cache_control messages.content.is_error store system.cache_control tools.cache_control top_k truncation"
	if _, dropped := writtenChat(t, c, Options{}); dropped != want {
		t.Errorf("got %s", dropped)
	}
}

func TestModelsOfOpenAIThatReasonCountOtherTokens(t *testing.T) {
	for model, want := range map[string]string{
		"gpt-4o": "max_tokens", "deepseek-chat": "max_tokens", "o1-mini": "max_completion_tokens", "o3": "max_completion_tokens",
		"o4-mini": "max_completion_tokens", "gpt-5.1": "max_completion_tokens", "openai/gpt-5": "max_completion_tokens",
		"qwen/o1-like": "max_completion_tokens", "phi-o1": "max_tokens", "": "max_tokens",
	} {
		body, _ := writtenChat(t, &conversation{maxTokens: "9"}, Options{Model: model})
		if body.Get(want).Raw != "9" {
			t.Errorf("%s: %s", model, body.Raw)
		}
	}
}

func TestALongUserIsShortenedTheSameWayEachTime(t *testing.T) {
	long := strings.Repeat("0123456789", 10)
	one, _ := writtenChat(t, &conversation{user: long}, Options{})
	same, _ := writtenChat(t, &conversation{user: long}, Options{})
	other, _ := writtenChat(t, &conversation{user: long + "x"}, Options{})
	got := one.Get("user").Str
	if len(got) != longestUser || got != same.Get("user").Str || got == other.Get("user").Str {
		t.Errorf("got %s, %s and %s", got, same.Get("user").Str, other.Get("user").Str)
	}
}

// shownMessages are a chat's messages, as they were written but for what all have.
func shownMessages(body gjson.Result) string {
	var all []string
	for _, m := range body.Get("messages").Array() {
		all = append(all, strings.TrimPrefix(m.Raw, `{"role":`))
	}
	return strings.Join(all, "\n")
}

func TestMessagesForAChat(t *testing.T) {
	text := func(s string) block { return block{is: textBlock, text: s} }
	call := func(s signature) block {
		return block{is: callBlock, id: "c", name: "f", text: `{"a":1}`, signature: s}
	}
	thought := func(s signature) block { return block{is: reasoningBlock, text: "r", signature: s} }
	const called = `"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`
	for name, test := range map[string]struct {
		c    conversation
		o    Options
		want []string
	}{
		"an operator": {
			c:    conversation{system: []block{text("a"), text("b")}, turns: []turn{says(false, "u"), {system: true, blocks: []block{text("c")}}}},
			want: []string{`"system","content":"a\n\nb"}`, `"user","content":"u"}`, `"system","content":"c"}`},
		},
		"several texts": {
			c:    conversation{turns: []turn{says(false, "a", "b"), says(true, "c", "d")}},
			want: []string{`"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, `"assistant","content":"cd"}`},
		},
		"calls": {
			c:    conversation{turns: []turn{{assistant: true, blocks: []block{text("a"), call(signature{}), {is: callBlock, id: "d", name: "g"}}}}},
			want: []string{`"assistant","content":"a",` + strings.TrimSuffix(called, "]}") + `,{"id":"d","type":"function","function":{"name":"g","arguments":"{}"}}]}`},
		},
		"results in front": {
			c: conversation{turns: []turn{{blocks: []block{
				{is: resultBlock, id: "c", content: []block{text("1"), text("2")}}, {is: resultBlock, id: "d"}, text("a"),
			}}}},
			want: []string{`"tool","tool_call_id":"c","content":"1\n2"}`, `"tool","tool_call_id":"d","content":""}`, `"user","content":"a"}`},
		},
		"an image in a result": {
			c: conversation{turns: []turn{{blocks: []block{
				{is: resultBlock, id: "c", content: []block{{is: imageBlock, media: media{mimeType: "image/gif", data: "AA=="}}}}, {is: resultBlock, id: "d", content: []block{text("1")}},
			}}}},
			want: []string{
				`"tool","tool_call_id":"c","content":"The user's next message shows the result."}`, `"tool","tool_call_id":"d","content":"1"}`,
				`"user","content":[{"type":"text","text":"Result of the tool call c:"},{"type":"image_url","image_url":{"url":"data:image/gif;base64,AA=="}}]}`,
			},
		},
		"reasoning goes back with calls": {
			c:    conversation{turns: []turn{{assistant: true, blocks: []block{thought(signature{}), thought(signature{Messages, "s"}), call(signature{})}}}},
			want: []string{`"assistant","content":null,"reasoning_content":"r\n\nr",` + called},
		},
		"and not to hosts that refuse it": {
			c:    conversation{turns: []turn{{assistant: true, blocks: []block{thought(signature{Chat, `{}`}), call(signature{})}}}},
			o:    Options{NoReasoning: true},
			want: []string{`"assistant","content":null,` + called},
		},
		"and not without calls": {
			c:    conversation{turns: []turn{{assistant: true, blocks: []block{thought(signature{}), text("a")}}, {assistant: true, blocks: []block{thought(signature{})}}}},
			want: []string{`"assistant","content":"a"}`},
		},
		"what a host signed": {
			c: conversation{turns: []turn{{assistant: true, blocks: []block{
				thought(signature{Chat, `{"type":"reasoning.text","signature":"s","format":"x","index":0}`}), call(signature{Chat, "t"}),
			}}}},
			want: []string{`"assistant","content":null,"reasoning_content":"r","reasoning_details":[{"type":"reasoning.text","signature":"s","format":"x","index":0,"text":"r"}],` +
				strings.TrimSuffix(called, "}]}") + `,"extra_content":{"google":{"thought_signature":"t"}}}]}`},
		},
		"what a host encrypted": {
			c: conversation{turns: []turn{{assistant: true, blocks: []block{
				thought(signature{Chat, `{"type":"reasoning.encrypted","data":"e","format":"x","index":0}`}), {is: reasoningBlock, signature: signature{Chat, `{"type":"reasoning.encrypted","data":"f"}`}}, call(signature{Gemini, "t"}),
			}}}},
			want: []string{`"assistant","content":null,"reasoning_content":"r","reasoning_details":[{"type":"reasoning.summary","summary":"r","format":"x","index":0},` +
				`{"type":"reasoning.encrypted","data":"e","format":"x","index":0},{"type":"reasoning.encrypted","data":"f"}],` + called},
		},
		"a refusal": {
			c:    conversation{turns: []turn{{assistant: true, blocks: []block{{is: refusalBlock, text: "no"}}}}},
			want: []string{`"assistant","content":null,"refusal":"no"}`},
		},
		"nothing said": {c: conversation{turns: []turn{{}, {assistant: true}}}, want: nil},
		"long ids": {
			c: conversation{turns: []turn{
				{assistant: true, blocks: []block{{is: callBlock, id: strings.Repeat("x", 60), name: "f", text: "{}"}}},
				{blocks: []block{{is: resultBlock, id: strings.Repeat("x", 60), content: []block{text("1")}}}},
			}},
			want: []string{
				`"assistant","content":null,"tool_calls":[{"id":"xxxxxxxxxxxxxxxxxxxxxxxxxxx_42f2d9733566","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
				`"tool","tool_call_id":"xxxxxxxxxxxxxxxxxxxxxxxxxxx_42f2d9733566","content":"1"}`,
			},
		},
	} {
		body, dropped := writtenChat(t, &test.c, test.o)
		if got := shownMessages(body); got != strings.Join(test.want, "\n") || dropped != "" {
			t.Errorf("%s: got\n%s\nwant\n%s\ndropped %s", name, got, strings.Join(test.want, "\n"), dropped)
		}
	}
}

func TestPartsForAChat(t *testing.T) {
	for name, test := range map[string]struct {
		b    block
		want string // empty: refused
	}{
		"an image behind a URL": {block{is: imageBlock, media: media{url: "http://x"}, detail: "high"}, `{"type":"image_url","image_url":{"url":"http://x","detail":"high"}}`},
		"an image that is kept": {block{is: imageBlock, media: media{kept: "k"}}, ""},
		"audio":                 {block{is: audioBlock, media: media{mimeType: "audio/mpeg", data: "AA=="}}, `{"type":"input_audio","input_audio":{"data":"AA==","format":"mp3"}}`},
		"audio behind a URL":    {block{is: audioBlock, media: media{mimeType: "audio/wav", url: "http://x"}}, ""},
		"audio of any kind":     {block{is: audioBlock, media: media{data: "AA=="}}, ""},
		"a PDF":                 {block{is: fileBlock, name: "a.pdf", media: media{mimeType: "application/pdf", data: "AA=="}}, `{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AA=="}}`},
		"a file that is a text": {block{is: fileBlock, name: "a.txt", media: media{mimeType: "text/plain", data: "aGk="}}, `{"type":"text","text":"a.txt:\nhi"}`},
		"a text without a name": {block{is: fileBlock, media: media{mimeType: "text/plain", data: "aGk="}}, `{"type":"text","text":"hi"}`},
		"a file behind a URL":   {block{is: fileBlock, media: media{url: "http://x"}}, ""},
		"a file that is kept":   {block{is: fileBlock, media: media{kept: "k"}}, ""},
		"what no user says":     {block{is: refusalBlock, text: "no"}, ""},
	} {
		var n notes
		out, err := writeChatRequest(&conversation{turns: []turn{{blocks: []block{test.b}}}}, Options{}, &n)
		if test.want == "" {
			if refused, ok := errors.AsType[*Refused](err); !ok || refused.Broken || refused.Message == "" {
				t.Errorf("%s: got %s, %v", name, out, err)
			}
			continue
		}
		if got := gjson.GetBytes(out, "messages.0.content.0").Raw; err != nil || got != test.want {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
}

func TestAModelsOwnImagesAreRefusedByAChat(t *testing.T) {
	var n notes
	_, err := writeChatRequest(&conversation{turns: []turn{{assistant: true, blocks: []block{{is: imageBlock}}}}}, Options{}, &n)
	if refused, ok := errors.AsType[*Refused](err); !ok || refused.Broken {
		t.Errorf("got %v", err)
	}
}
