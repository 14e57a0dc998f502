package translate

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// readChatMembers reads a request of those members beside a message.
func readChatMembers(t *testing.T, members string) (*conversation, []string) {
	t.Helper()
	var n notes
	c, err := readChatRequest(gjson.Parse(`{"model":"m","messages":[{"role":"user","content":"Hi"}],`+members+`}`), &n)
	if err != nil {
		t.Fatalf("%s: %v", members, err)
	}
	slices.Sort(n.dropped)
	return c, n.dropped
}

func TestMembersOfChatRequests(t *testing.T) {
	const f = `"tools":[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"g"}}],`
	tools := []tool{{name: "f"}, {name: "g"}}
	for members, want := range map[string]conversation{
		`"stream":true,"stream_options":{"include_usage":true,"include_obfuscation":false}`: {stream: true, includeUsage: true},
		`"max_tokens":5,"max_completion_tokens":7`:                                          {maxTokens: "7"},
		`"max_completion_tokens":7,"max_tokens":5`:                                          {maxTokens: "7"},
		`"max_tokens":5`:                           {maxTokens: "5"},
		`"temperature":1e0,"top_p":0.50`:           {temperature: "1e0", topP: "0.50"},
		`"seed":18446744073709551617,"top_k":3`:    {seed: "18446744073709551617", topK: "3"},
		`"stop":"a"`:                               {stop: []string{"a"}},
		`"stop":["a","b"]`:                         {stop: []string{"a", "b"}},
		`"stop":null,"n":1,"temperature":null`:     {},
		`"user":"u","verbosity":"low"`:             {user: "u", verbosity: "low"},
		`"metadata":{"a":"b"},"min_p":0.1`:         {others: []member{{"metadata", `{"a":"b"}`}, {"min_p", "0.1"}}},
		`"response_format":{"type":"text"}`:        {format: format{mode: "text"}},
		`"response_format":{"type":"json_object"}`: {format: format{mode: "json"}},
		`"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type":"object"}}}`: {
			format: format{mode: "schema", name: "n", schema: `{"type":"object"}`, strict: "true"},
		},
		`"response_format":{"type":"json_schema","json_schema":{"name":"n"}}`: {format: format{mode: "json"}},
		`"reasoning_effort":"high"`:                                     {reason: reasoning{effort: "high"}},
		`"reasoning_effort":"max"`:                                      {reason: reasoning{effort: "xhigh"}},
		`"reasoning":{"effort":"low","exclude":true,"summary":"auto"}`:  {reason: reasoning{effort: "low", shown: "false", summary: "auto"}},
		`"reasoning":{"max_tokens":500}`:                                {reason: reasoning{budget: "500"}},
		`"reasoning":{"enabled":true}`:                                  {reason: reasoning{effort: "medium"}},
		`"reasoning":{"enabled":false}`:                                 {reason: reasoning{effort: "none"}},
		`"thinking":{"type":"enabled"}`:                                 {reason: reasoning{effort: "medium"}},
		`"thinking":{"type":"enabled","budget_tokens":2000}`:            {reason: reasoning{budget: "2000"}},
		`"thinking":{"type":"disabled"},"reasoning_effort":null`:        {reason: reasoning{effort: "none"}},
		`"reasoning_effort":"low","thinking":{"type":"enabled"}`:        {reason: reasoning{effort: "low"}},
		`"include_reasoning":false`:                                     {reason: reasoning{shown: "false"}},
		f + `"tool_choice":"any","parallel_tool_calls":false`:           {tools: tools, choice: choice{mode: "required"}, parallel: "false"},
		f + `"tool_choice":{"type":"function","function":{"name":"g"}}`: {tools: tools, choice: choice{mode: "named", name: "g"}},
		f + `"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"g"}}]}}`: {
			tools: tools[1:], choice: choice{mode: "auto"},
		},
		`"tools":[],"tool_choice":"none","parallel_tool_calls":true`: {},
		`"tools":[{"type":"function","cache_control":{"type":"ephemeral"},"function":{"name":"f","description":"d","parameters":{"type":"object"},"strict":false}}]`: {
			tools: []tool{{name: "f", description: "d", schema: `{"type":"object"}`, strict: "false", cache: `{"type":"ephemeral"}`}},
		},
		`"functions":[{"name":"f"}],"function_call":"auto"`:       {tools: tools[:1], choice: choice{mode: "auto"}, parallel: "false"},
		`"functions":[{"name":"f"}],"function_call":{"name":"f"}`: {tools: tools[:1], choice: choice{mode: "named", name: "f"}, parallel: "false"},
	} {
		got, dropped := readChatMembers(t, members)
		want.turns = []turn{{blocks: []block{{is: textBlock, text: "Hi"}}}}
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", members, *got, want)
		}
		if len(dropped) > 0 {
			t.Errorf("%s: dropped %v", members, dropped)
		}
	}
}

func TestWhatOfAChatRequestIsDropped(t *testing.T) {
	for members, want := range map[string]string{
		`"reasoning_effort":"default"`:                                                          "reasoning_effort",
		`"reasoning":{"effort":"enormous"}`:                                                     "reasoning.effort",
		`"reasoning":{"effort":"low","style":"x"}`:                                              "reasoning.style",
		`"thinking":{"type":"odd","clear_thinking":true}`:                                       "thinking.clear_thinking thinking.type",
		`"stream_options":{"continuous_usage_stats":true}`:                                      "stream_options.continuous_usage_stats",
		`"tools":[{"type":"web_search"},{"type":"custom","custom":{"name":"c"}}]`:               "tools.custom tools.web_search",
		`"tools":[{"type":"web_search"}],"tool_choice":"required"`:                              "tool_choice tools.web_search",
		`"tools":[{"type":"custom","custom":{"name":"c"}}],"tool_choice":{"type":"custom"}`:     "tool_choice.custom tools.custom",
		`"tools":[{"type":"custom"}],"tool_choice":{"type":"function","function":{"name":"f"}}`: "tool_choice tools.custom",
		`"tools":[{"type":"function","function":{"name":"f","x":1},"y":1}]`:                     "tools.function.x tools.y",
		`"response_format":{"type":"regex"}`:                                                    "response_format.regex",
	} {
		if _, got := readChatMembers(t, members); strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", members, got, want)
		}
	}
}

// shownTurns are turns in a line.
func shownTurns(turns []turn) string {
	var line []string
	for _, t := range turns {
		who := "user"
		switch {
		case t.assistant:
			who = "model"
		case t.system:
			who = "operator"
		}
		line = append(line, who+"("+shownBlocks(t.blocks)+")")
	}
	return strings.Join(line, " ")
}

func shownBlocks(blocks []block) string {
	var all []string
	for _, b := range blocks {
		var s string
		switch b.is {
		case textBlock:
			s = "text " + b.text
		case callBlock:
			s = fmt.Sprintf("call %s %s %s", b.id, b.name, b.text)
		case resultBlock:
			s = fmt.Sprintf("result %s (%s)", b.id, shownBlocks(b.content))
		case reasoningBlock:
			s = "reasoning " + b.text
		case refusalBlock:
			s = "refusal " + b.text
		default:
			s = fmt.Sprintf("media %s%s%s%s%s", b.media.mimeType, b.media.data, b.media.url, b.media.kept, b.name)
		}
		if b.signature.text != "" {
			s += fmt.Sprintf(" by %s %s", b.signature.from, b.signature.text)
		}
		if b.cache != "" {
			s += " cached"
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

func TestMessagesOfChatRequests(t *testing.T) {
	const call = `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	for name, test := range map[string]struct{ messages, want, dropped string }{
		"texts": {
			messages: `{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":[{"type":"text","text":"c"},{"type":"text","text":""},{"type":"text","text":"d"}]}`,
			want:     "user(text a) model(text b) user(text c, text d)",
		},
		"an operator in the middle": {
			messages: `{"role":"system","content":"s"},{"role":"developer","content":"t"},{"role":"user","content":"a"},{"role":"developer","content":"u"}`,
			want:     "user(text a) operator(text u)",
		},
		"nothing said": {messages: `{"role":"user","content":""},{"role":"assistant","content":""},{"role":"assistant"}`, want: ""},
		"results": {
			messages: `{"role":"user","content":"a"},` + strings.Replace(call, `"arguments":"{}"}}`, `"arguments":"{}"}},{"id":"d","function":{"name":"g","arguments":""}}`, 1) +
				`,{"role":"tool","tool_call_id":"c","content":"1"},{"role":"tool","tool_call_id":"d","content":[{"type":"text","text":"2"}]},{"role":"user","content":"b"}`,
			want: "user(text a) model(call c f {}, call d g {}) user(result c (text 1), result d (text 2)) user(text b)",
		},
		"a result that is nothing": {messages: call + `,{"role":"tool","tool_call_id":"c","content":null}`, want: "model(call c f {}) user(result c ())"},
		"media": {
			messages: `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}},{"type":"image_url","image_url":"http://x/y"},{"type":"input_audio","input_audio":{"data":"BB","format":"mp3"}},{"type":"file","file":{"file_data":"data:application/pdf;base64,CC","filename":"n"}},{"type":"file","file":{"file_id":"k"}}]}`,
			want:     "user(media image/pngAA==, media http://x/y, media audio/mp3BB, media application/pdfCCn, media k)",
		},
		"reasoning": {
			messages: `{"role":"assistant","content":"a","reasoning_content":"r"},{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"r"}]},{"type":"text","text":"a"}]}`,
			want:     "model(reasoning r, text a) model(reasoning r, text a)",
		},
		"reasoning that was signed": {
			messages: `{"role":"assistant","content":"a","reasoning_content":"r","reasoning_details":[{"type":"reasoning.text","text":"r","signature":"messages~ohmroute~s"},{"type":"reasoning.encrypted","data":"messages~ohmroute~t"}]}`,
			want:     "model(reasoning r by messages s, reasoning  by messages t, text a)",
		},
		"a signature of Google's": {
			messages: strings.Replace(call, `"type":"function",`, `"extra_content":{"google":{"thought_signature":"s"}},`, 1), want: "model(call c f {} by gemini s)",
		},
		"a refusal": {
			messages: `{"role":"assistant","content":null,"refusal":"no"},{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`,
			want:     "model(refusal no) model(refusal no)",
		},
		"functions": {
			messages: `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"1"},{"role":"assistant","content":null,"function_call":{"name":"f","arguments":""}},{"role":"function","name":"f","content":"2"}`,
			want:     "model(call function_0 f {}) user(result function_0 (text 1)) model(call function_2 f {}) user(result function_2 (text 2))",
		},
		"a custom tool": {
			messages: `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"f","input":"x"}}]}`,
			want:     `model(call c f {"input":"x"})`,
		},
		"arguments that are an object": {messages: strings.Replace(call, `"{}"`, `{"a": 1}`, 1), want: `model(call c f {"a": 1})`},
		"marks for a cache": {
			messages: `{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]},{"role":"user","content":"b","cache_control":{"type":"ephemeral"}}`,
			want:     "user(text a cached) user(text b cached)",
		},
		"members that nobody reads": {
			messages: `{"role":"user","content":[{"type":"text","text":"a","x":1}],"name":"n","y":[],"z":null},{"role":"assistant","content":"b","annotations":[],"audio":null,"prefix":true}`,
			want:     "user(text a) model(text b)", dropped: "messages.content.x messages.name messages.prefix",
		},
	} {
		var n notes
		c, err := readChatRequest(gjson.Parse(`{"model":"m","messages":[`+test.messages+`]}`), &n)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		slices.Sort(n.dropped)
		if got, dropped := shownTurns(c.turns), strings.Join(n.dropped, " "); got != test.want || dropped != test.dropped {
			t.Errorf("%s: got\n%s\nwant\n%s\ndropped %s", name, got, test.want, dropped)
		}
	}
}

func TestAMarkForACacheOnAnOperatorsMessage(t *testing.T) {
	var n notes
	c, err := readChatRequest(gjson.Parse(`{"messages":[{"role":"system","content":"a","cache_control":{"type":"ephemeral"}},{"role":"user","content":"b"}]}`), &n)
	if err != nil || n.count > 0 || shownBlocks(c.system) != "text a cached" {
		t.Errorf("got %+v, %v, dropped %v", c, err, n.dropped)
	}
}

func TestChatRequestsThatMakeNoSense(t *testing.T) {
	message := func(m string) string { return `{"messages":[` + m + `]}` }
	member := func(m string) string { return `{"messages":[{"role":"user","content":"a"}],` + m + `}` }
	for body, param := range map[string]string{
		`[]`:                       "",
		`{}`:                       "messages",
		`{"messages":{}}`:          "messages",
		`{"messages":[ ]}`:         "messages",
		message(`"a"`):             "messages[0]",
		message(`{"content":"a"}`): "messages[0].role",
		message(`{"role":"robot","content":"a"}`):                                            "messages[0].role",
		message(`{"role":"user"}`):                                                           "messages[0].content",
		message(`{"role":"user","content":7}`):                                               "messages[0].content",
		message(`{"role":"user","content":[{"text":"a"}]}`):                                  "messages[0].content[0].type",
		message(`{"role":"user","content":["a"]}`):                                           "messages[0].content[0].type",
		message(`{"role":"user","content":[{"type":"video_url"}]}`):                          "messages[0].content[0].type",
		message(`{"role":"user","content":[{"type":"text","text":1}]}`):                      "messages[0].content[0].text",
		message(`{"role":"user","content":[{"type":"image_url","image_url":{}}]}`):           "messages[0].content[0].image_url.url",
		message(`{"role":"user","content":[{"type":"input_audio","input_audio":{}}]}`):       "messages[0].content[0].input_audio",
		message(`{"role":"user","content":[{"type":"file","file":{}}]}`):                     "messages[0].content[0].file",
		message(`{"role":"system","content":[{"type":"image_url","image_url":"http://x"}]}`): "messages[0].content",
		message(`{"role":"tool","content":"a"}`):                                             "messages[0].tool_call_id",
		message(`{"role":"function","name":"f","content":"a"}`):                              "messages[0].name",
		message(`{"role":"assistant","content":true}`):                                       "messages[0].content",
		message(`{"role":"assistant","content":[{"type":"refusal"}]}`):                       "messages[0].content[0].refusal",
		message(`{"role":"assistant","tool_calls":{}}`):                                      "messages[0].tool_calls",
		message(`{"role":"assistant","tool_calls":[{"function":{"name":"f"}}]}`):             "messages[0].tool_calls[0].id",
		message(`{"role":"assistant","tool_calls":[{"id":"c"}]}`):                            "messages[0].tool_calls[0]",
		message(`{"role":"assistant","function_call":{"arguments":""}}`):                     "messages[0].function_call",
		member(`"temperature":"hot"`):                                                        "temperature",
		member(`"max_tokens":"1"`):                                                           "max_tokens",
		member(`"max_completion_tokens":true`):                                               "max_completion_tokens",
		member(`"stream":"true"`):                                                            "stream",
		member(`"stream_options":true`):                                                      "stream_options",
		member(`"user":7`):                                                                   "user",
		member(`"stop":[7]`):                                                                 "stop",
		member(`"tools":{}`):                                                                 "tools",
		member(`"tools":[{}]`):                                                               "tools[0].type",
		member(`"tools":[{"type":"function"}]`):                                              "tools[0].function.name",
		member(`"tools":[{"type":"function","function":{"name":"f","parameters":"x"}}]`):     "tools[0].function.parameters",
		member(`"functions":[{}]`):                                                           "functions[0].name",
		member(`"tool_choice":"maybe"`):                                                      "tool_choice",
		member(`"tool_choice":7`):                                                            "tool_choice",
		member(`"tool_choice":{"type":"function"}`):                                          "tool_choice.function.name",
		member(`"tool_choice":{"type":"allowed_tools"}`):                                     "tool_choice.allowed_tools.mode",
		member(`"function_call":7`):                                                          "function_call",
		member(`"parallel_tool_calls":1`):                                                    "parallel_tool_calls",
		member(`"response_format":"json"`):                                                   "response_format.type",
		member(`"response_format":{"type":"json_schema"}`):                                   "response_format.json_schema.name",
		member(`"reasoning_effort":7`):                                                       "reasoning_effort",
		member(`"reasoning":{"effort":1}`):                                                   "reasoning.effort",
		member(`"functions":{}`):                                                             "functions",
		member(`"reasoning":"low"`):                                                          "reasoning",
		member(`"reasoning":{"max_tokens":"many"}`):                                          "reasoning.max_tokens",
		member(`"thinking":true`):                                                            "thinking",
		member(`"thinking":{"type":"enabled","budget_tokens":"many"}`):                       "thinking.budget_tokens",
		member(`"include_reasoning":"no"`):                                                   "include_reasoning",
	} {
		var n notes
		_, err := readChatRequest(gjson.Parse(body), &n)
		refused, ok := errors.AsType[*Refused](err)
		if !ok || !refused.Broken || refused.Param != param || refused.Message == "" {
			t.Errorf("%s: got %+v, want one about %q", body, err, param)
		}
	}
}

func TestStateOfOneProviderIsRefusedAndNotBroken(t *testing.T) {
	for body, param := range map[string]string{
		`{"messages":[{"role":"user","content":"a"}],"previous_response_id":"r"}`: "previous_response_id",
		`{"messages":[{"role":"user","content":"a"}],"conversation":"c"}`:         "conversation",
		`{"messages":[{"role":"assistant","audio":{"id":"a"}}]}`:                  "messages[0].audio",
	} {
		var n notes
		_, err := readChatRequest(gjson.Parse(body), &n)
		if refused, ok := errors.AsType[*Refused](err); !ok || refused.Broken || refused.Param != param {
			t.Errorf("%s: got %+v", body, err)
		}
	}
}
