package translate

import "testing"

// Blocks and turns as tests need them.
var drawing = block{is: imageBlock, media: media{mimeType: "image/png", data: "aGk="}}

func textOf(s string) block { return block{is: textBlock, text: s} }

func callOf(id, args string) block { return block{is: callBlock, id: id, name: "f", text: args} }

func resultOf(id string, content ...block) block {
	return block{is: resultBlock, id: id, name: "f", content: content}
}

func byUser(b ...block) turn { return turn{blocks: b} }

func byModel(b ...block) turn { return turn{assistant: true, blocks: b} }

// contentsTest are turns, and what of a request they become.
type contentsTest struct {
	model string
	turns []turn
	want  string
}

func (test contentsTest) run(t *testing.T) {
	t.Helper()
	got, err := writeGeminiRequest(&conversation{turns: test.turns}, Options{Model: test.model}, &notes{})
	if want := `{"contents":[` + test.want + `]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

func TestGeminiContents(t *testing.T) {
	for name, test := range map[string]contentsTest{
		"turns of both": {
			turns: []turn{byUser(textOf("Hi")), byModel(textOf("Hello")), byUser(textOf("Bye"))},
			want:  `{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"text":"Hello"}]},{"role":"user","parts":[{"text":"Bye"}]}`,
		},
		"turns of one become one": {
			turns: []turn{byUser(textOf("A")), {system: true, blocks: []block{textOf("B")}}, byUser(textOf("C"))},
			want:  `{"role":"user","parts":[{"text":"A"},{"text":"\u003csystem\u003e\nB\n\u003c/system\u003e"},{"text":"C"}]}`,
		},
		"a turn of nothing": {
			turns: []turn{byUser(textOf("A")), byModel(textOf("")), byUser(textOf("B"))},
			want:  `{"role":"user","parts":[{"text":"A"}]},{"role":"user","parts":[{"text":"B"}]}`,
		},
		"media": {
			turns: []turn{byUser(
				drawing,
				block{is: imageBlock, media: media{url: "https://a.example/b/C.JPG?x=1.png"}},
				block{is: imageBlock, media: media{url: "https://a.example/b"}},
				block{is: audioBlock, media: media{mimeType: "audio/wav", data: "eA=="}},
				block{is: fileBlock, name: "a.pdf", media: media{data: "eQ=="}},
			)},
			want: `{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"aGk="}},` +
				`{"fileData":{"mimeType":"image/jpeg","fileUri":"https://a.example/b/C.JPG?x=1.png"}},` +
				`{"fileData":{"fileUri":"https://a.example/b"}},{"inlineData":{"mimeType":"audio/wav","data":"eA=="}},` +
				`{"inlineData":{"mimeType":"application/pdf","data":"eQ=="}}]}`,
		},
		"a refusal of another model": {
			turns: []turn{byUser(textOf("A")), byModel(block{is: refusalBlock, text: "No"})},
			want:  `{"role":"user","parts":[{"text":"A"}]},{"role":"model","parts":[{"text":"No"}]}`,
		},
	} {
		t.Run(name, test.run)
	}
}

func TestGeminiResults(t *testing.T) {
	for name, test := range map[string]contentsTest{
		"calls and results in the order of the calls, in front of what else was said": {
			turns: []turn{
				byModel(textOf("See"), callOf("gemini_r_0", `{"n": 1.0}`), callOf("gemini_r_1", "")),
				byUser(resultOf("gemini_r_1", textOf("two"))), byUser(textOf("and?"), resultOf("gemini_r_0", textOf("one"), textOf("more"))),
			},
			want: `{"role":"model","parts":[{"text":"See"},{"functionCall":{"name":"f","args":{"n": 1.0}}},{"functionCall":{"name":"f","args":{}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"one\nmore"}}},` +
				`{"functionResponse":{"name":"f","response":{"output":"two"}}},{"text":"and?"}]}`,
		},
		"ids that somebody gave": {
			turns: []turn{byModel(callOf("call_1", "not JSON")), byUser(block{is: resultBlock, id: "call_1", name: "f", failed: true, content: []block{textOf("no")}})},
			want: `{"role":"model","parts":[{"functionCall":{"id":"call_1","name":"f","args":{"_raw":"not JSON"}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"call_1","name":"f","response":{"error":"no"}}}]}`,
		},
		"images of a result behind it": {
			model: "models/gemini-2.5-flash",
			turns: []turn{byModel(callOf("gemini_r_0", "{}")), byUser(resultOf("gemini_r_0", drawing, textOf("seen")))},
			want: `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"seen"}}},{"inlineData":{"mimeType":"image/png","data":"aGk="}}]}`,
		},
		"images of a result within it": {
			model: "gemini-3-flash-preview",
			turns: []turn{byModel(callOf("gemini_r_0", "{}")), byUser(resultOf("gemini_r_0", drawing))},
			want: `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":""},"parts":[{"inlineData":{"mimeType":"image/png","data":"aGk="}}]}}]}`,
		},
	} {
		t.Run(name, test.run)
	}
}

func TestGeminiSignaturesGoBackToTheirParts(t *testing.T) {
	sign := signature{Gemini, "sig"}
	thought := func(text string, s signature) block { return block{is: reasoningBlock, text: text, signature: s} }
	text := block{is: textBlock, text: "T"}
	call := block{is: callBlock, id: "gemini_r_0", name: "f", text: "{}"}
	signed := call
	signed.signature = signature{Gemini, "own"}
	const bare = `{"functionCall":{"name":"f","args":{}}}`
	tests := map[string]struct {
		blocks []block
		want   string
	}{
		"of a call":                         {[]block{text, signed, call}, `{"text":"T"},{"functionCall":{"name":"f","args":{}},"thoughtSignature":"own"},` + bare},
		"of a call, kept in front of it":    {[]block{thought("hm", signature{}), thought("", sign), call, call}, `{"text":"hm","thought":true},{"functionCall":{"name":"f","args":{}},"thoughtSignature":"sig"},` + bare},
		"of a text":                         {[]block{thought("hm", sign), text, call}, `{"text":"hm","thought":true},{"text":"T","thoughtSignature":"sig"},` + bare},
		"of a thought":                      {[]block{thought("hm", sign), signed}, `{"text":"hm","thought":true,"thoughtSignature":"sig"},{"functionCall":{"name":"f","args":{}},"thoughtSignature":"own"}`},
		"of the last thought":               {[]block{text, thought("hm", sign)}, `{"text":"T"},{"text":"hm","thought":true,"thoughtSignature":"sig"}`},
		"of nothing, behind a text":         {[]block{text, thought("", sign)}, `{"text":"T"},{"text":"","thoughtSignature":"sig"}`},
		"of nothing, where a call has one":  {[]block{thought("", sign), signed, call}, `{"functionCall":{"name":"f","args":{}},"thoughtSignature":"own"},` + bare + `,{"text":"","thoughtSignature":"sig"}`},
		"two in a row":                      {[]block{thought("", sign), thought("", signature{Gemini, "sig2"}), text}, `{"text":"","thoughtSignature":"sig"},{"text":"T","thoughtSignature":"sig2"}`},
		"of another provider":               {[]block{thought("", signature{Messages, "sig"}), thought("hm", signature{Responses, "sig"}), text}, `{"text":"hm","thought":true},{"text":"T"}`},
		"reasoning without any":             {[]block{thought("", signature{}), text}, `{"text":"T"}`},
		"of an image":                       {[]block{thought("", sign), {is: imageBlock, media: media{mimeType: "image/png", data: "eA=="}}}, `{"inlineData":{"mimeType":"image/png","data":"eA=="},"thoughtSignature":"sig"}`},
		"a call's of another provider's":    {[]block{{is: callBlock, id: "c", name: "f", signature: signature{Messages, "x"}}}, `{"functionCall":{"id":"c","name":"f","args":{}}}`},
		"a text of nothing with one before": {[]block{thought("", sign), {is: textBlock}}, `{"text":"","thoughtSignature":"sig"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := &conversation{turns: []turn{{assistant: true, blocks: test.blocks}}}
			got, err := writeGeminiRequest(c, Options{}, &notes{})
			if want := `{"contents":[{"role":"model","parts":[` + test.want + `]}]}`; err != nil || string(got) != want {
				t.Errorf("got %s, %v\nwant %s", got, err, want)
			}
		})
	}
}
