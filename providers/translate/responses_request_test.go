package translate

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

// tightened is JSON without blanks.
func tightened(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return b.String()
}

// What is read of a request and written as one again is the request, in one of several ways to say it.
func TestRequestsToResponsesAreReadAndWritten(t *testing.T) {
	for name, c := range map[string]struct {
		in      string // members of the request beside input, or with it
		want    string // members beside model and store
		dropped string
	}{
		"a text": {
			`"input":"hi"`,
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]`, "",
		},
		"instructions come before what developers say first": {
			`"input":[{"role":"developer","content":"b"},{"type":"message","role":"user","content":"hi"}],"instructions":"a"`,
			`"instructions":"a\n\nb","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]`, "",
		},
		"developers may speak later": {
			`"input":[{"role":"user","content":"hi"},{"role":"system","content":"be brief"}]`,
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},` +
				`{"type":"message","role":"developer","content":[{"type":"input_text","text":"be brief"}]}]`, "",
		},
		"images and files": {
			`"input":[{"role":"user","content":[
				{"type":"input_image","image_url":"https://example.com/a.png","detail":"low"},
				{"type":"input_image","image_url":"data:image/gif;base64,R0lG"},
				{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,JVBE"},
				{"type":"input_file","file_url":"https://example.com/b.pdf"},
				{"type":"input_file","filename":"c.pdf","file_data":"JVBE"}]}]`,
			`"input":[{"type":"message","role":"user","content":[` +
				`{"type":"input_image","image_url":"https://example.com/a.png","detail":"low"},` +
				`{"type":"input_image","image_url":"data:image/gif;base64,R0lG","detail":"auto"},` +
				`{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,JVBE"},` +
				`{"type":"input_file","file_url":"https://example.com/b.pdf"},` +
				`{"type":"input_file","filename":"c.pdf","file_data":"data:application/pdf;base64,JVBE"}]}]`, "",
		},
		"calls, their results and what came before": {
			`"input":[
				{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"gAAA"},
				{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Let me see.","annotations":[],"logprobs":[]}]},
				{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"{\"a\":1.0}","status":"completed"},
				{"type":"function_call","call_id":"call_2","name":"g","arguments":""},
				{"type":"function_call_output","call_id":"call_1","output":"one"},
				{"type":"function_call_output","call_id":"call_2","output":[{"type":"input_text","text":"two"},{"type":"input_image","image_url":"data:image/png;base64,AA=="}]}]`,
			`"input":[` +
				`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a\n\nb"}],"encrypted_content":"gAAA"},` +
				`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Let me see."}]},` +
				`{"type":"function_call","call_id":"call_1","name":"f","arguments":"{\"a\":1.0}"},` +
				`{"type":"function_call","call_id":"call_2","name":"g","arguments":"{}"},` +
				`{"type":"function_call_output","call_id":"call_1","output":"one"},` +
				`{"type":"function_call_output","call_id":"call_2","output":[{"type":"input_text","text":"two"},{"type":"input_image","image_url":"data:image/png;base64,AA==","detail":"auto"}]}]`, "",
		},
		"reasoning of another provider is not sent to OpenAI": {
			`"input":[{"role":"user","content":"hi"},
				{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"}],"encrypted_content":"messages~ohmroute~sig"},
				{"type":"reasoning","id":"rs_2","summary":[{"type":"summary_text","text":"not signed"}]},
				{"role":"assistant","content":[{"type":"output_text","text":"yes"},{"type":"refusal","refusal":"no"}]}]`,
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},` +
				`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"yes"},{"type":"refusal","refusal":"no"}]}]`, "input.reasoning",
		},
		"reasoning that no provider keeps is not looked up": {
			`"input":[{"role":"user","content":"hi"},{"type":"item_reference","id":"rs_ohmroute_1_0"}]`,
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]`, "input.reasoning",
		},
		"what tools of the provider did is dropped": {
			`"input":[{"role":"user","content":"hi"},{"type":"web_search_call","id":"ws_1","status":"completed"},
				{"role":"assistant","content":[{"type":"output_text","text":"yes","annotations":[{"type":"url_citation"}]}],"phase":"final_answer"}]`,
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},` +
				`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"yes"}]}]`,
			"input.content.annotations input.phase input.web_search_call",
		},
		"custom tools are functions of one text": {
			`"input":[{"type":"custom_tool_call","call_id":"c","name":"patch","input":"*** \"x\""},{"type":"custom_tool_call_output","call_id":"c","output":"done"}],
			"tools":[{"type":"custom","name":"patch","description":"Edits.","format":{"type":"grammar","syntax":"lark","definition":"start: x"}},{"type":"custom","name":"say","format":{"type":"text"}}],
			"tool_choice":{"type":"custom","name":"patch"}`,
			`"input":[{"type":"function_call","call_id":"c","name":"patch","arguments":"{\"input\":\"*** \\\"x\\\"\"}"},{"type":"function_call_output","call_id":"c","output":"done"}],` +
				`"tools":[{"type":"function","name":"patch","description":"Edits.","parameters":{"type":"object","properties":{"input":{"type":"string","description":"All that the tool takes, as plain text. It has to follow this lark grammar:\nstart: x"}},"required":["input"],"additionalProperties":false},"strict":false},` +
				`{"type":"function","name":"say","parameters":{"type":"object","properties":{"input":{"type":"string","description":"All that the tool takes, as plain text."}},"required":["input"],"additionalProperties":false},"strict":false}],` +
				`"tool_choice":{"type":"function","name":"patch"}`,
			"tools.format",
		},
		"tools that may be called are the only ones": {
			`"input":"hi","tools":[{"type":"function","name":"f","parameters":{"type":"object"},"strict":true},{"type":"function","name":"g","parameters":null,"strict":null}],
			"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"g"}]},"parallel_tool_calls":false`,
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],` +
				`"tools":[{"type":"function","name":"g","parameters":{"type":"object","properties":{}},"strict":false}],"tool_choice":"required","parallel_tool_calls":false`, "",
		},
		"tools of the provider are dropped, and the choice of one": {
			`"input":"hi","tools":[{"type":"web_search"},{"type":"namespace","name":"n","tools":[]}],"tool_choice":{"type":"web_search"},"parallel_tool_calls":true`,
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]`,
			"tool_choice.web_search tools.namespace tools.web_search",
		},
		"a choice of a tool that is gone": {
			`"input":"hi","tools":[{"type":"web_search"}],"tool_choice":"required"`,
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]`,
			"tool_choice tools.web_search",
		},
		"members": {
			`"input":"hi","text":{"format":{"type":"json_schema","name":"a","description":"b","schema":{"type":"object"},"strict":true},"verbosity":"low"},
			"reasoning":{"effort":"high","summary":"detailed"},"include":["reasoning.encrypted_content"],"max_output_tokens":100,"temperature":0.70,"top_p":1.0,"user":"u",
			"metadata":{"k":"v"},"prompt_cache_key":"p","prompt_cache_retention":"24h","safety_identifier":"s","service_tier":"flex","store":true,"stream":true`,
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],` +
				`"text":{"format":{"type":"json_schema","name":"a","description":"b","schema":{"type":"object"},"strict":true},"verbosity":"low"},` +
				`"reasoning":{"effort":"high","summary":"detailed"},"include":["reasoning.encrypted_content"],"max_output_tokens":100,"temperature":0.70,"top_p":1.0,"user":"u",` +
				`"metadata":{"k":"v"},"prompt_cache_key":"p","prompt_cache_retention":"24h","safety_identifier":"s","service_tier":"flex","store":true,"stream":true`, "",
		},
		"what has no counterpart": {
			`"input":"hi","truncation":"auto","top_logprobs":5,"max_tool_calls":3,"include":["file_search_call.results"],"stream_options":{"include_obfuscation":true},
			"reasoning":{"effort":"extreme","context":"all_turns"},"client_metadata":{"a":"b"},"frequency_penalty":0.5,"presence_penalty":1,"text":{"tone":"dry"}`,
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]`,
			"client_metadata frequency_penalty include.file_search_call.results max_tool_calls presence_penalty reasoning.context reasoning.effort stream_options.include_obfuscation text.tone top_logprobs truncation",
		},
		"what says nothing is not missed": {
			`"input":"hi","previous_response_id":null,"conversation":null,"prompt":null,"background":false,"store":false,"truncation":"disabled","top_logprobs":0,"include":[],"tools":[],
			"tool_choice":"auto","text":{},"metadata":{},"service_tier":"auto","stream":false,"stream_options":{"include_obfuscation":false},"reasoning":null,"instructions":null,"moderation":null`,
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]`, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr, err := Request(Responses, Responses, []byte(`{"model":"m",`+c.in+`}`), Options{Model: "target-model"})
			if err != nil {
				t.Fatal(err)
			}
			want := `{"model":"target-model",` + c.want + `,"store":false}`
			if before, after, stored := strings.Cut(c.want, `,"stream":true`); strings.Contains(c.want, `"store"`) {
				want = `{"model":"target-model",` + before + after + `}`
				if stored {
					want = `{"model":"target-model",` + c.want + `}`
				}
			}
			if got := tightened(t, string(tr.Body)); got != tightened(t, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if got := strings.Join(tr.Dropped, " "); got != c.dropped {
				t.Errorf("dropped %q, want %q", got, c.dropped)
			}
		})
	}
}

func TestRequestsToResponsesThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		in, param string
		broken    bool
	}{
		"a response before":          {`"input":"hi","previous_response_id":"resp_1"`, "previous_response_id", false},
		"a conversation":             {`"input":"hi","conversation":"conv_1"`, "conversation", false},
		"a prompt's template":        {`"prompt":{"id":"pmpt_1"},"input":"hi"`, "prompt", false},
		"in the background":          {`"input":"hi","background":true`, "background", false},
		"an item by its id":          {`"input":[{"type":"item_reference","id":"msg_1"}]`, "input[0].type", false},
		"a history in cipher":        {`"input":[{"type":"compaction","encrypted_content":"x"}]`, "input[0].type", false},
		"an item of the shell":       {`"input":[{"type":"local_shell_call","id":"x"}]`, "input[0].type", false},
		"an image with the provider": {`"input":[{"role":"user","content":[{"type":"input_image","file_id":"file_1"}]}]`, "input", false},
		"sound":                      {`"input":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}}]}]`, "input", false},
		"an image for instructions":  {`"input":[{"role":"system","content":[{"type":"input_image","image_url":"https://example.com"}]}]`, "input[0].content", false},
		"a result without a call":    {`"input":[{"type":"function_call_output","call_id":"c","output":"x"}]`, "input", true},

		"no input":                   {`"instructions":"hi"`, "input", true},
		"input of a wrong type":      {`"input":7`, "input", true},
		"an item of a wrong type":    {`"input":["hi"]`, "input[0]", true},
		"an item of no type":         {`"input":[{"content":"hi"}]`, "input[0].type", true},
		"another role":               {`"input":[{"role":"critic","content":"hi"}]`, "input[0].role", true},
		"content of a wrong type":    {`"input":[{"role":"user","content":{"text":"hi"}}]`, "input[0].content", true},
		"a part of a wrong type":     {`"input":[{"role":"user","content":["hi"]}]`, "input[0].content[0]", true},
		"a part of an unknown type":  {`"input":[{"role":"user","content":[{"type":"smell"}]}]`, "input[0].content[0].type", true},
		"a text of a wrong type":     {`"input":[{"role":"user","content":[{"type":"input_text","text":7}]}]`, "input[0].content[0].text", true},
		"an image of nothing":        {`"input":[{"role":"user","content":[{"type":"input_image"}]}]`, "input[0].content[0].image_url", true},
		"sound of nothing":           {`"input":[{"role":"user","content":[{"type":"input_audio"}]}]`, "input[0].content[0].input_audio.format", true},
		"a file of nothing":          {`"input":[{"role":"user","content":[{"type":"input_file","filename":"a"}]}]`, "input[0].content[0].file_data", true},
		"a call without an id":       {`"input":[{"type":"function_call","name":"f","arguments":"{}"}]`, "input[0].call_id", true},
		"arguments of a wrong type":  {`"input":[{"type":"function_call","call_id":"c","name":"f","arguments":{}}]`, "input[0].arguments", true},
		"an output of a wrong type":  {`"input":[{"type":"function_call_output","call_id":"c","output":7}]`, "input[0].output", true},
		"instructions of wrong type": {`"input":"hi","instructions":["a"]`, "instructions", true},
		"a stream of a wrong type":   {`"input":"hi","stream":"yes"`, "stream", true},
		"a number of a wrong type":   {`"input":"hi","temperature":"hot"`, "temperature", true},
		"tools of a wrong type":      {`"input":"hi","tools":{}`, "tools", true},
		"a tool of a wrong type":     {`"input":"hi","tools":["f"]`, "tools[0]", true},
		"a tool of no type":          {`"input":"hi","tools":[{"name":"f"}]`, "tools[0].type", true},
		"a tool without a name":      {`"input":"hi","tools":[{"type":"function"}]`, "tools[0].name", true},
		"a schema of a wrong type":   {`"input":"hi","tools":[{"type":"function","name":"f","parameters":"none"}]`, "tools[0].parameters", true},
		"a choice that is none":      {`"input":"hi","tool_choice":"maybe"`, "tool_choice", true},
		"a choice of a wrong type":   {`"input":"hi","tool_choice":7`, "tool_choice", true},
		"a choice without a name":    {`"input":"hi","tool_choice":{"type":"function"}`, "tool_choice.name", true},
		"a choice of another mode":   {`"input":"hi","tool_choice":{"type":"allowed_tools","mode":"any","tools":[]}`, "tool_choice.mode", true},
		"a format of another type":   {`"input":"hi","text":{"format":{"type":"yaml"}}`, "text.format.type", true},
		"a format of a wrong type":   {`"input":"hi","text":{"format":"json"}`, "text.format", true},
		"options of a wrong type":    {`"input":"hi","stream_options":true`, "stream_options", true},
		"verbosity of a wrong type":  {`"input":"hi","text":{"verbosity":1}`, "text.verbosity", true},
		"text of a wrong type":       {`"input":"hi","text":"json"`, "text", true},
		"reasoning of a wrong type":  {`"input":"hi","reasoning":"high"`, "reasoning", true},
		"an effort of a wrong type":  {`"input":"hi","reasoning":{"effort":3}`, "reasoning.effort", true},
		"include of a wrong type":    {`"input":"hi","include":"all"`, "include", true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Request(Responses, Responses, []byte(`{"model":"m",`+c.in+`}`), Options{Model: "target-model"})
			refused, ok := errors.AsType[*Refused](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if refused.Param != c.param || refused.Broken != c.broken {
				t.Errorf("got %q, broken %v: %s", refused.Param, refused.Broken, refused.Message)
			}
			if !strings.HasSuffix(refused.Message, ".") {
				t.Errorf("no sentence: %s", refused.Message)
			}
		})
	}
	if _, err := Request(Responses, Responses, []byte(`[]`), Options{}); err == nil {
		t.Error("a list is taken for a request")
	}
}

// What other dialects say and Responses can't.
func TestRequestsToResponsesAreWrittenWithinItsLimits(t *testing.T) {
	hi := turn{blocks: []block{{is: textBlock, text: "hi"}}}
	for name, c := range map[string]struct {
		c       conversation
		model   string
		want    string
		dropped []string
	}{
		"a long name of a user": {conversation{user: strings.Repeat("u", 65)}, "m", `"user":"` + shortened(strings.Repeat("u", 65), 64) + `"`, nil},
		"few tokens":            {conversation{maxTokens: "1"}, "m", `"max_output_tokens":16`, []string{"max_tokens"}},
		"members of other dialects": {
			conversation{
				topK: "40", seed: "18446744073709551615", stop: []string{"\n"}, frequencyPenalty: "1", presencePenalty: "1",
				others: []member{{"logit_bias", `{"1":2}`}, {"service_tier", `"standard_only"`}},
			}, "m", `"store":false`, []string{"top_k", "seed", "stop", "frequency_penalty", "presence_penalty", "logit_bias", "service_tier"},
		},
		"a format without a name or a schema": {
			conversation{format: format{mode: "schema"}}, "m", `"text":{"format":{"type":"json_schema","name":"response","schema":{}}}`, nil,
		},
		"any object":         {conversation{format: format{mode: "json"}}, "m", `"text":{"format":{"type":"json_object"}}`, nil},
		"plain text":         {conversation{format: format{mode: "text"}, verbosity: "high"}, "m", `"text":{"format":{"type":"text"},"verbosity":"high"}`, nil},
		"a budget":           {conversation{reason: reasoning{budget: "8192", shown: "true"}}, "m", `"reasoning":{"effort":"medium","summary":"auto"},"include":["reasoning.encrypted_content"]`, nil},
		"no thoughts":        {conversation{reason: reasoning{effort: "none"}}, "m", `"reasoning":{"effort":"none"},"store":false`, nil},
		"a model that does":  {conversation{}, "openai/gpt-5-mini", `"include":["reasoning.encrypted_content"]`, nil},
		"a model that chats": {conversation{}, "gpt-5-chat-latest", `{"model":"gpt-5-chat-latest","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],"store":false}`, nil},
		"marks for a cache": {
			conversation{
				system: []block{{is: textBlock, text: "a", cache: "{}"}}, tools: []tool{{name: "f", cache: "{}"}},
				turns: []turn{{blocks: []block{{is: textBlock, text: "b", cache: "{}"}}}},
			}, "m", `"instructions":"a"`, []string{"system.cache_control", "messages.content.cache_control", "tools.cache_control"},
		},
		"a tool that failed": {
			conversation{turns: []turn{
				{assistant: true, blocks: []block{{is: callBlock, id: "id with blanks", name: "f"}}},
				{blocks: []block{{is: resultBlock, id: "id with blanks", failed: true}, {is: textBlock, text: "and?"}}},
			}},
			"m",
			`{"type":"function_call","call_id":"` + legalID("id with blanks", 64) + `","name":"f","arguments":"{}"},` +
				`{"type":"function_call_output","call_id":"` + legalID("id with blanks", 64) + `","output":""},` +
				`{"type":"message","role":"user","content":[{"type":"input_text","text":"and?"}]}`,
			[]string{"messages.content.is_error"},
		},
		"files without a name": {
			conversation{turns: []turn{{blocks: []block{
				{is: fileBlock, media: media{mimeType: "text/plain", data: "aGk="}}, {is: fileBlock, media: media{mimeType: "text/x-go", data: "aGk="}},
			}}}},
			"m",
			`{"type":"input_file","filename":"file.txt","file_data":"data:text/plain;base64,aGk="},{"type":"input_file","filename":"file","file_data":"data:text/x-go;base64,aGk="}`, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.c.turns == nil {
				c.c.turns = []turn{hi}
			}
			var n notes
			got, err := writeResponsesRequest(&c.c, Options{Model: c.model}, &n)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(got), c.want) || !json.Valid(got) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if !slices.Equal(n.dropped, c.dropped) {
				t.Errorf("dropped %q, want %q", n.dropped, c.dropped)
			}
		})
	}
	var n notes
	said := conversation{turns: []turn{{assistant: true, blocks: []block{{is: imageBlock, media: media{url: "https://example.com"}}}}}}
	if _, err := writeResponsesRequest(&said, Options{}, &n); err == nil {
		t.Error("an image of the assistant is written")
	}
	result := block{is: resultBlock, id: "c", content: []block{{is: audioBlock, media: media{data: "AA=="}}}}
	if _, err := writeResponsesRequest(&conversation{turns: []turn{{blocks: []block{result}}}}, Options{}, &n); err == nil {
		t.Error("a result that is a sound is written")
	}
}
