package translate

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// written writes a conversation for Anthropic, and tells what was dropped.
func written(t *testing.T, c *conversation, o Options) (gjson.Result, []string) {
	t.Helper()
	var n notes
	out, err := writeMessagesRequest(c, o, &n)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(out) {
		t.Fatalf("no JSON: %s", out)
	}
	slices.Sort(n.dropped)
	return gjson.ParseBytes(out), n.dropped
}

// says is a turn of texts.
func says(assistant bool, texts ...string) turn {
	t := turn{assistant: assistant}
	for _, text := range texts {
		t.blocks = append(t.blocks, block{is: textBlock, text: text})
	}
	return t
}

func TestTurnsAlternateForAnthropic(t *testing.T) {
	call := turn{assistant: true, blocks: []block{{is: callBlock, id: "a:1", name: "f", text: "{}"}}}
	result := turn{blocks: []block{{is: resultBlock, id: "a:1", content: []block{{is: textBlock, text: "r"}}}}}
	foreign := turn{assistant: true, blocks: []block{{is: reasoningBlock, text: "t", signature: signature{Responses, "s"}}}}
	for name, test := range map[string]struct {
		turns []turn
		want  string
	}{
		"in turns": {[]turn{says(false, "a"), says(true, "b"), says(false, "c")}, `user:"a" assistant:"b" user:"c"`},
		"the same side twice": {
			[]turn{says(false, "a"), says(false, "b")},
			`user:[{"type":"text","text":"a"},{"type":"text","text":"b"}]`,
		},
		"the assistant first":     {[]turn{says(true, "a"), says(false, "b")}, `user:"." assistant:"a" user:"b"`},
		"nobody":                  {nil, `user:"."`},
		"nothing but white space": {[]turn{says(false, "a", " \n"), says(true, "\t"), says(false, "b")}, `user:[{"type":"text","text":"a"},{"type":"text","text":"b"}]`},
		"nothing said":            {[]turn{says(false, ""), says(true, "a"), says(true, "")}, `user:"." assistant:"a"`},
		"reasoning of others":     {[]turn{says(false, "a"), foreign, says(false, "b")}, `user:[{"type":"text","text":"a"},{"type":"text","text":"b"}]`},
		"white space of a prefix": {[]turn{says(false, "a"), says(true, "b \n")}, `user:"a" assistant:"b"`},
		"an operator in the middle": {
			[]turn{says(false, "a"), says(true, "b"), {system: true, blocks: []block{{is: textBlock, text: "c"}}}},
			`user:"a" assistant:"b" user:"<system>\nc\n</system>"`,
		},
		"results in front": {
			[]turn{says(false, "a"), call, says(false, "b"), result},
			`user:"a" assistant:[{"type":"tool_use","id":"` + legalID("a:1", 64) + `","name":"f","input":{}}] ` +
				`user:[{"type":"tool_result","tool_use_id":"` + legalID("a:1", 64) + `","content":"r"},{"type":"text","text":"b"}]`,
		},
		"a refusal is a text": {
			[]turn{says(false, "a"), {assistant: true, blocks: []block{{is: refusalBlock, text: "no"}}}, says(false, "b")},
			`user:"a" assistant:"no" user:"b"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, dropped := written(t, &conversation{turns: test.turns}, Options{Model: "m"})
			var got []string
			for _, m := range out.Get("messages").Array() {
				content := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(m.Get("content").Raw)
				got = append(got, m.Get("role").Str+":"+content)
			}
			if strings.Join(got, " ") != test.want || len(dropped) > 0 {
				t.Errorf("got  %s\nwant %s\ndropped %v", strings.Join(got, " "), test.want, dropped)
			}
		})
	}
}

func TestReasoningGoesBackToAnthropicAsItCame(t *testing.T) {
	c := &conversation{turns: []turn{says(false, "a"), {assistant: true, blocks: []block{
		{is: reasoningBlock, text: "t", signature: signature{Messages, "s"}},
		{is: reasoningBlock, signature: signature{Messages, "s2"}},
		{is: reasoningBlock, signature: signature{Messages, redactedMark + "d"}},
		{is: reasoningBlock, text: "unsigned"},
		{is: textBlock, text: "b"},
	}}, says(false, "c")}}
	out, _ := written(t, c, Options{Model: "m"})
	const want = `[{"type":"thinking","thinking":"t","signature":"s"},{"type":"thinking","thinking":"","signature":"s2"},` +
		`{"type":"redacted_thinking","data":"d"},{"type":"text","text":"b"}]`
	if got := out.Get("messages.1.content").Raw; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestMaxTokensIsTheClientsOrTheModelsOrADefault(t *testing.T) {
	for _, test := range []struct {
		client string
		model  int
		want   string
	}{{"7", 100, "7"}, {"", 100, "100"}, {"", 0, "4096"}} {
		out, _ := written(t, &conversation{maxTokens: test.client}, Options{Model: "m", MaxTokens: test.model})
		if got := out.Get("max_tokens").Raw; got != test.want {
			t.Errorf("client %q, model %d: got %s, want %s", test.client, test.model, got, test.want)
		}
	}
}

func TestThinkingIsWrittenAsTheModelTakesIt(t *testing.T) {
	for name, test := range map[string]struct {
		model     string
		maxTokens string
		reason    reasoning
		choice    choice
		thinking  string
		effort    string
		dropped   bool
	}{
		"nothing said":                   {"claude-sonnet-4", "8192", reasoning{}, choice{}, ``, ``, false},
		"a budget":                       {"claude-sonnet-4", "8192", reasoning{budget: "2000"}, choice{}, `{"type":"enabled","budget_tokens":2000}`, ``, false},
		"an effort":                      {"claude-sonnet-4", "20000", reasoning{effort: "medium"}, choice{}, `{"type":"enabled","budget_tokens":8192}`, ``, false},
		"an effort larger than the room": {"claude-sonnet-4", "8192", reasoning{effort: "high"}, choice{}, `{"type":"enabled","budget_tokens":4096}`, ``, false},
		"hardly any room":                {"claude-sonnet-4", "1025", reasoning{effort: "high"}, choice{}, `{"type":"enabled","budget_tokens":1024}`, ``, false},
		"no room":                        {"claude-sonnet-4", "1024", reasoning{effort: "high"}, choice{}, ``, ``, true},
		"a budget that is too small":     {"claude-sonnet-4", "8192", reasoning{budget: "1"}, choice{}, `{"type":"enabled","budget_tokens":1024}`, ``, false},
		"not shown":                      {"claude-sonnet-4", "8192", reasoning{budget: "2000", shown: "false"}, choice{}, `{"type":"enabled","budget_tokens":2000,"display":"omitted"}`, ``, false},
		"none":                           {"claude-sonnet-4", "8192", reasoning{effort: "none"}, choice{}, `{"type":"disabled"}`, ``, false},
		"none for one that always does":  {"claude-fable-5", "8192", reasoning{effort: "none"}, choice{}, ``, ``, true},
		"adaptive":                       {"claude-opus-4-6", "8192", reasoning{effort: "medium"}, choice{}, `{"type":"adaptive","display":"summarized"}`, `medium`, false},
		"adaptive by a budget":           {"claude-opus-4-6", "8192", reasoning{budget: "20000"}, choice{}, `{"type":"adaptive","display":"summarized"}`, `high`, false},
		"adaptive and not shown":         {"claude-opus-4-6", "8192", reasoning{effort: "low", shown: "false"}, choice{}, `{"type":"adaptive","display":"omitted"}`, `low`, false},
		"minimal":                        {"claude-opus-4-7", "8192", reasoning{effort: "minimal"}, choice{}, `{"type":"adaptive","display":"summarized"}`, `low`, false},
		"xhigh":                          {"claude-opus-4-7", "8192", reasoning{effort: "xhigh"}, choice{}, `{"type":"adaptive","display":"summarized"}`, `xhigh`, false},
		"xhigh for one without it":       {"claude-opus-4-6", "8192", reasoning{effort: "xhigh"}, choice{}, `{"type":"adaptive","display":"summarized"}`, `high`, false},
		"a tool that has to be called":   {"claude-sonnet-4", "8192", reasoning{budget: "2000"}, choice{mode: "required"}, ``, ``, true},
		"and an adaptive model":          {"claude-sonnet-5", "8192", reasoning{effort: "low"}, choice{mode: "named", name: "f"}, ``, `low`, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := &conversation{maxTokens: test.maxTokens, reason: test.reason, choice: test.choice, tools: []tool{{name: "f"}}}
			out, dropped := written(t, c, Options{Model: test.model})
			if got := out.Get("thinking").Raw; got != test.thinking {
				t.Errorf("thinking: got %s, want %s", got, test.thinking)
			}
			if got := out.Get("output_config.effort").Str; got != test.effort {
				t.Errorf("effort: got %s, want %s", got, test.effort)
			}
			if slices.Contains(dropped, "reasoning") != test.dropped {
				t.Errorf("dropped %v", dropped)
			}
		})
	}
}

// With a budget, Anthropic wants a turn that calls tools to begin with thinking, and thinking only goes on behind it.
func TestThinkingIsLeftOutIfWhatWasThoughtDidNotComeBack(t *testing.T) {
	call := block{is: callBlock, id: "a", name: "f", text: "{}"}
	thought := block{is: reasoningBlock, text: "t", signature: signature{Messages, "s"}}
	result := turn{blocks: []block{{is: resultBlock, id: "a"}}}
	for name, test := range map[string]struct {
		model string
		turns []turn
		want  bool
	}{
		"the user speaks":               {"claude-sonnet-4", []turn{says(false, "a"), says(true, "b"), says(false, "c")}, true},
		"a result without what thought": {"claude-sonnet-4", []turn{says(false, "a"), {assistant: true, blocks: []block{call}}, result}, false},
		"a result with it":              {"claude-sonnet-4", []turn{says(false, "a"), {assistant: true, blocks: []block{thought, call}}, result}, true},
		"an adaptive model":             {"claude-opus-4-6", []turn{says(false, "a"), {assistant: true, blocks: []block{call}}, result}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := &conversation{maxTokens: "8192", reason: reasoning{effort: "low"}, turns: test.turns}
			out, dropped := written(t, c, Options{Model: test.model})
			if thinks := out.Get("thinking").Exists(); thinks != test.want || slices.Contains(dropped, "reasoning") == test.want {
				t.Errorf("thinking: %v, dropped %v", thinks, dropped)
			}
		})
	}
}

func TestSamplingIsWrittenAsTheModelTakesIt(t *testing.T) {
	for name, test := range map[string]struct {
		model                   string
		reason                  reasoning
		temperature, topP, topK string
		want                    string
		dropped                 string
	}{
		"all of it":                      {"m", reasoning{}, "0.70", "0.9", "40", "0.70 0.9 40", ""},
		"a high temperature":             {"m", reasoning{}, "1.5", "", "", "1  ", ""},
		"a temperature as it is spelled": {"m", reasoning{}, "1.0", "", "", "1.0  ", ""},
		"one of two":                     {"claude-sonnet-4-5", reasoning{}, "0.5", "0.9", "40", "0.5  40", "top_p"},
		"the other of two":               {"claude-sonnet-4-5", reasoning{}, "", "0.9", "", " 0.9 ", ""},
		"thinking":                       {"m", reasoning{budget: "2000"}, "0.5", "0.9", "40", "  ", "temperature top_k top_p"},
		"thinking, by chance":            {"m", reasoning{budget: "2000"}, "1", "0.97", "", " 0.97 ", ""},
		"none at all":                    {"claude-opus-4-7", reasoning{}, "0.5", "0.99", "40", "  ", "temperature top_k top_p"},
		"thinking, spelled otherwise":    {"m", reasoning{budget: "2000"}, "1.0", "", "", "  ", ""},
		"none but as it is":              {"claude-opus-4-7", reasoning{}, "1", "1", "", "  ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := &conversation{maxTokens: "8192", reason: test.reason, temperature: test.temperature, topP: test.topP, topK: test.topK}
			out, dropped := written(t, c, Options{Model: test.model})
			got := out.Get("temperature").Raw + " " + out.Get("top_p").Raw + " " + out.Get("top_k").Raw
			if got != test.want || strings.Join(dropped, " ") != test.dropped {
				t.Errorf("got %q, dropped %v", got, dropped)
			}
		})
	}
}

func TestToolsAreWrittenForAnthropic(t *testing.T) {
	for schema, want := range map[string]string{
		``:                           `{"type":"object","properties":{}}`,
		`{}`:                         `{"type":"object","properties":{}}`,
		`{"type":"object","n": 1.0}`: `{"type":"object","n": 1.0}`,
		` {"properties":{"a":{}}}`:   `{"type":"object","properties":{"a":{}}}`,
	} {
		out, _ := written(t, &conversation{tools: []tool{{name: "f", schema: schema}}}, Options{Model: "m"})
		if got := out.Get("tools.0.input_schema").Raw; got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
	old := &conversation{tools: []tool{{name: "f", strict: "true"}}}
	if out, dropped := written(t, old, Options{Model: "claude-sonnet-4"}); out.Get("tools.0.strict").Exists() || len(dropped) != 1 {
		t.Errorf("an old model gets %s, dropped %v", out.Get("tools.0").Raw, dropped)
	}
	for _, test := range []struct {
		choice   choice
		parallel string
		want     string
	}{
		{choice{}, "", ``},
		{choice{}, "true", ``},
		{choice{}, "false", `{"type":"auto","disable_parallel_tool_use":true}`},
		{choice{mode: "auto"}, "", `{"type":"auto"}`},
		{choice{mode: "none"}, "false", `{"type":"none"}`},
		{choice{mode: "required"}, "false", `{"type":"any","disable_parallel_tool_use":true}`},
		{choice{mode: "named", name: "f"}, "", `{"type":"tool","name":"f"}`},
	} {
		c := &conversation{tools: []tool{{name: "f", strict: "true", cache: `{"type":"ephemeral"}`}}, choice: test.choice, parallel: test.parallel}
		out, _ := written(t, c, Options{Model: "m"})
		if got := out.Get("tool_choice").Raw; got != test.want {
			t.Errorf("%v, parallel %q: got %s, want %s", test.choice, test.parallel, got, test.want)
		}
		if out.Get("tools.0.strict").Raw != "true" || out.Get("tools.0.cache_control.type").Str != "ephemeral" {
			t.Errorf("the tool is %s", out.Get("tools.0").Raw)
		}
	}
}

func TestFilesAndImagesForAnthropic(t *testing.T) {
	for name, test := range map[string]struct {
		block block
		want  string // empty: refused
	}{
		"an image": {
			block{is: imageBlock, media: media{mimeType: "image/jpg", data: "aa"}},
			`{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"aa"}}`,
		},
		"an image behind a URL": {
			block{is: imageBlock, media: media{url: "https://example.com"}}, `{"type":"image","source":{"type":"url","url":"https://example.com"}}`,
		},
		"an image that is kept": {block{is: imageBlock, media: media{kept: "file_1"}}, ``},
		"a PDF": {
			block{is: fileBlock, name: "n", media: media{mimeType: "application/pdf", data: "aa"}},
			`{"type":"document","title":"n","source":{"type":"base64","media_type":"application/pdf","data":"aa"}}`,
		},
		"a text": {
			block{is: fileBlock, media: media{mimeType: "text/csv", data: "YSxi"}},
			`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a,b"}}`,
		},
		"a file behind a URL": {
			block{is: fileBlock, media: media{url: "https://example.com"}}, `{"type":"document","source":{"type":"url","url":"https://example.com"}}`,
		},
		"a spreadsheet":       {block{is: fileBlock, media: media{mimeType: "application/vnd.ms-excel", data: "aa"}}, ``},
		"a file that is kept": {block{is: fileBlock, media: media{kept: "file_1"}}, ``},
		"audio":               {block{is: audioBlock, media: media{mimeType: "audio/wav", data: "aa"}}, ``},
	} {
		t.Run(name, func(t *testing.T) {
			var n notes
			c := &conversation{turns: []turn{{blocks: []block{test.block}}}}
			out, err := writeMessagesRequest(c, Options{Model: "m"}, &n)
			if refused, ok := errors.AsType[*Refused](err); ok != (test.want == "") || ok && (refused.Broken || refused.Param == "") {
				t.Fatalf("got %v", err)
			}
			if got := gjson.GetBytes(out, "messages.0.content.0").Raw; got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestWhatAnthropicHasNoMemberFor(t *testing.T) {
	c := &conversation{
		seed: "0", frequencyPenalty: "0.5", presencePenalty: "0", verbosity: "low", stop: []string{" \n", "END"},
		format: format{mode: "json"}, others: []member{{"logit_bias", `{"1":1}`}},
	}
	out, dropped := written(t, c, Options{Model: "m"})
	if got := strings.Join(dropped, " "); got != "frequency_penalty logit_bias response_format seed stop verbosity" {
		t.Errorf("dropped %s", got)
	}
	if got := out.Get("stop_sequences").Raw; got != `["END"]` {
		t.Errorf("stop_sequences is %s", got)
	}
}
