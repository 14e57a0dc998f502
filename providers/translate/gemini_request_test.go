package translate

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// asked is a conversation of one question, with what else is in it.
func asked(more func(c *conversation)) *conversation {
	c := &conversation{turns: []turn{{blocks: []block{{is: textBlock, text: "Hi"}}}}}
	if more != nil {
		more(c)
	}
	return c
}

const geminiHi = `"contents":[{"role":"user","parts":[{"text":"Hi"}]}]`

// requestTest is what a client says beside a question, and what of a request that becomes.
type requestTest struct {
	model   string
	said    func(c *conversation)
	want    string // what stands behind the contents
	dropped string
}

func (test requestTest) run(t *testing.T) {
	t.Helper()
	var n notes
	got, err := writeGeminiRequest(asked(test.said), Options{Model: test.model}, &n)
	if want := "{" + geminiHi + test.want + "}"; err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	slices.Sort(n.dropped)
	if dropped := strings.Join(n.dropped, " "); dropped != test.dropped {
		t.Errorf("dropped %q, want %q", dropped, test.dropped)
	}
}

func TestGeminiParameters(t *testing.T) {
	for name, test := range map[string]requestTest{
		"nothing but a question": {},
		"what the operator says": {
			said: func(c *conversation) {
				c.system = []block{{is: textBlock, text: "Be brief", cache: `{"type":"ephemeral"}`}, {is: textBlock, text: "And kind"}}
			},
			want:    `,"systemInstruction":{"parts":[{"text":"Be brief"},{"text":"And kind"}]}`,
			dropped: "system.cache_control",
		},
		"parameters as they were spelled": {
			said: func(c *conversation) {
				c.maxTokens, c.temperature, c.topP, c.topK, c.seed = "100", "0.70", "1e-1", "40", "7"
				c.frequencyPenalty, c.presencePenalty, c.stop = "0.5", "-0.5", []string{"END", "\n"}
				c.stream, c.includeUsage, c.parallel = true, true, "true"
			},
			want: `,"generationConfig":{"maxOutputTokens":100,"temperature":0.70,"topP":1e-1,"topK":40,"seed":7,` +
				`"frequencyPenalty":0.5,"presencePenalty":-0.5,"stopSequences":["END","\n"]}`,
		},
		"parameters that Gemini has no word for": {
			said: func(c *conversation) {
				c.parallel, c.verbosity, c.user, c.others = "false", "low", "u-1", []member{{"logit_bias", `{"1":2}`}, {"store", "false"}, {"service_tier", `"flex"`}}
			},
			dropped: "logit_bias parallel_tool_calls service_tier user verbosity",
		},
		"a seed of more than 32 bits": {
			said:    func(c *conversation) { c.seed = "9007199254740993" },
			dropped: "seed",
		},
		"more stop sequences than Gemini takes": {
			said:    func(c *conversation) { c.stop = []string{"a", "b", "c", "d", "e", "f"} },
			want:    `,"generationConfig":{"stopSequences":["a","b","c","d","e"]}`,
			dropped: "stop",
		},
	} {
		t.Run(name, test.run)
	}
}

func TestGeminiToolsAndForms(t *testing.T) {
	for name, test := range map[string]requestTest{
		"functions": {
			said: func(c *conversation) {
				c.tools = []tool{
					{name: "weather", description: "Tells it", schema: `{"type":"object","properties":{"at":{"$ref":"#/x"}}}`},
					{name: "now", strict: "true", cache: "{}"},
				}
			},
			want: `,"tools":[{"functionDeclarations":[{"name":"weather","description":"Tells it",` +
				`"parametersJsonSchema":{"type":"object","properties":{"at":{"$ref":"#/x"}}}},{"name":"now"}]}]`,
			dropped: "tools.cache_control tools.strict",
		},
		"a choice without functions": {said: func(c *conversation) { c.choice.mode = "auto" }},
		"any JSON":                   {said: func(c *conversation) { c.format.mode = "json" }, want: `,"generationConfig":{"responseMimeType":"application/json"}`},
		"text":                       {said: func(c *conversation) { c.format.mode = "text" }},
		"JSON of a schema": {
			said: func(c *conversation) {
				c.format = format{mode: "schema", name: "person", description: "Who", schema: `{"type":"object"}`, strict: "true"}
			},
			want:    `,"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}}`,
			dropped: "response_format.description",
		},
		"JSON beside functions, of a model that can't": {
			model: "gemini-2.5-flash",
			said: func(c *conversation) {
				c.format.mode, c.tools = "json", []tool{{name: "now"}}
			},
			want:    `,"tools":[{"functionDeclarations":[{"name":"now"}]}]`,
			dropped: "response_format",
		},
		"JSON beside functions, of a model that can": {
			model: "gemini-3.1-pro-preview",
			said: func(c *conversation) {
				c.format.mode, c.tools = "json", []tool{{name: "now"}}
			},
			want: `,"tools":[{"functionDeclarations":[{"name":"now"}]}],"generationConfig":{"responseMimeType":"application/json"}`,
		},
	} {
		t.Run(name, test.run)
	}
}

func TestGeminiToolChoice(t *testing.T) {
	for mode, want := range map[string]string{
		"":         "",
		"auto":     `,"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}`,
		"none":     `,"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}`,
		"required": `,"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`,
		"named":    `,"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["now"]}}`,
	} {
		got, err := writeGeminiRequest(asked(func(c *conversation) {
			c.tools, c.choice = []tool{{name: "now"}}, choice{mode: mode, name: "now"}
		}), Options{}, &notes{})
		if want := `{` + geminiHi + `,"tools":[{"functionDeclarations":[{"name":"now"}]}]` + want + `}`; err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v\nwant %s", mode, got, err, want)
		}
	}
}

func TestGeminiThinking(t *testing.T) {
	const pro, flash, lite, third = "gemini-2.5-pro", "models/gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash-lite", "gemini-3-flash-preview"
	tests := map[string]struct {
		model   string
		reason  reasoning
		want    string // of thinkingConfig; empty: none
		dropped string
	}{
		"nothing said":                    {third, reasoning{}, "", ""},
		"a level":                         {third, reasoning{effort: "medium"}, `"thinkingLevel":"MEDIUM","includeThoughts":true`, ""},
		"a level that not all have":       {third, reasoning{effort: "minimal"}, `"thinkingLevel":"LOW","includeThoughts":true`, ""},
		"no thinking where that can't be": {third, reasoning{effort: "none"}, `"thinkingLevel":"LOW"`, ""},
		"more than the most":              {third, reasoning{effort: "xhigh"}, `"thinkingLevel":"HIGH","includeThoughts":true`, ""},
		"a budget for a level":            {third, reasoning{budget: "9000"}, `"thinkingLevel":"MEDIUM","includeThoughts":true`, ""},
		"a name without a number":         {"gemini-flash-latest", reasoning{effort: "high"}, `"thinkingLevel":"HIGH","includeThoughts":true`, ""},
		"a name that nobody knows":        {"thinker", reasoning{effort: "low"}, `"thinkingLevel":"LOW","includeThoughts":true`, ""},
		"a hidden thought":                {third, reasoning{effort: "high", shown: "false"}, `"thinkingLevel":"HIGH"`, ""},
		"shown, however much":             {third, reasoning{shown: "true"}, `"includeThoughts":true`, ""},
		"a summary":                       {flash, reasoning{summary: "auto"}, `"includeThoughts":true`, ""},
		"a budget":                        {flash, reasoning{budget: "3000", shown: "true"}, `"thinkingBudget":3000,"includeThoughts":true`, ""},
		"an effort for a budget":          {flash, reasoning{effort: "low"}, `"thinkingBudget":2048,"includeThoughts":true`, ""},
		"a budget above the most":         {flash, reasoning{effort: "xhigh"}, `"thinkingBudget":24576,"includeThoughts":true`, ""},
		"no thinking":                     {flash, reasoning{effort: "none"}, `"thinkingBudget":0`, ""},
		"a budget below the least":        {lite, reasoning{budget: "100"}, `"thinkingBudget":512,"includeThoughts":true`, ""},
		"the largest budget":              {pro, reasoning{effort: "xhigh"}, `"thinkingBudget":32768,"includeThoughts":true`, ""},
		"as little as can be":             {pro, reasoning{effort: "none"}, `"thinkingBudget":128`, ""},
		"a model that doesn't think":      {"gemini-2.0-flash", reasoning{effort: "low"}, "", "reasoning"},
		"a model of another family":       {"gemma-3-27b-it", reasoning{budget: "2000"}, "", "reasoning"},
		"nothing to think, nothing lost":  {"gemini-2.0-flash", reasoning{effort: "none"}, "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var n notes
			got, err := writeGeminiRequest(asked(func(c *conversation) { c.reason = test.reason }), Options{Model: test.model}, &n)
			want := "{" + geminiHi + "}"
			if test.want != "" {
				want = "{" + geminiHi + `,"generationConfig":{"thinkingConfig":{` + test.want + "}}}"
			}
			if err != nil || string(got) != want {
				t.Errorf("got %s, %v\nwant %s", got, err, want)
			}
			if dropped := strings.Join(n.dropped, " "); dropped != test.dropped {
				t.Errorf("dropped %q, want %q", dropped, test.dropped)
			}
		})
	}
}

func TestGeminiIsAskedEvenIfOnlyTheOperatorSpeaks(t *testing.T) {
	c := &conversation{system: []block{{is: textBlock, text: "Greet"}}}
	got, err := writeGeminiRequest(c, Options{}, &notes{})
	if want := `{"contents":[{"role":"user","parts":[{"text":"Greet"}]}]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

func TestGeminiCannotReadFilesOfOtherProviders(t *testing.T) {
	for name, blocks := range map[string][]block{
		"said":        {{is: fileBlock, media: media{kept: "file-1"}}},
		"in a result": {{is: resultBlock, id: "c", name: "f", content: []block{{is: imageBlock, media: media{kept: "file-1"}}}}},
	} {
		_, err := writeGeminiRequest(&conversation{turns: []turn{{blocks: blocks}}}, Options{}, &notes{})
		refused, ok := errors.AsType[*Refused](err)
		if !ok || refused.Broken || !strings.Contains(refused.Message, "file-1") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestGeminiIsAskedForNoMoreThanItsModelCanPutOut(t *testing.T) {
	for wanted, want := range map[string]string{"70000": "65536", "100": "100", "65536": "65536"} {
		got, err := writeGeminiRequest(asked(func(c *conversation) { c.maxTokens = wanted }), Options{MaxTokens: 65_536}, &notes{})
		if want := "{" + geminiHi + `,"generationConfig":{"maxOutputTokens":` + want + "}}"; err != nil || string(got) != want {
			t.Errorf("got %s, %v\nwant %s", got, err, want)
		}
	}
}

func TestGeminiNamesWhatBlocksLose(t *testing.T) {
	c := asked(func(c *conversation) {
		c.turns[0].blocks = []block{
			{is: textBlock, text: "x", cache: "{}"},
			{is: imageBlock, detail: "low", media: media{data: "eA==", mimeType: "image/png"}},
			{is: imageBlock, detail: "auto", media: media{data: "eA==", mimeType: "image/png"}},
			{is: fileBlock, name: "a.pdf", media: media{data: "eA==", mimeType: "application/pdf"}},
		}
	})
	var n notes
	if _, err := writeGeminiRequest(c, Options{}, &n); err != nil {
		t.Fatal(err)
	}
	slices.Sort(n.dropped)
	want := []string{"messages.content.cache_control", "messages.content.file.filename", "messages.content.image_url.detail"}
	if !slices.Equal(n.dropped, want) || n.count != 3 {
		t.Errorf("dropped %d: %v", n.count, n.dropped)
	}
}
