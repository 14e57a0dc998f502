package translate

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// geminiAnswer is an answer of those parts.
func geminiAnswer(parts, reason string) string {
	return `{"candidates":[{"content":{"parts":[` + parts + `],"role":"model"},"finishReason":"` + reason + `","index":0}],` +
		`"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":4},"modelVersion":"gemini-x","responseId":"R-1"}`
}

func TestGeminiAnswerBlocks(t *testing.T) {
	sign := signature{Gemini, "sig"}
	said := func(s string) block { return block{is: textBlock, text: s} }
	tests := map[string]struct {
		parts string
		want  []block
	}{
		"nothing":      {``, nil},
		"a text":       {`{"text":"A"}`, []block{said("A")}},
		"texts":        {`{"text":"A"},{"text":"B"}`, []block{said("AB")}},
		"a thought":    {`{"text":"hm","thought":true},{"text":"A"}`, []block{{is: reasoningBlock, text: "hm"}, said("A")}},
		"no more news": {`{"text":"A"},{"text":""},{"unheardOf":{"x":1}}`, []block{said("A")}},
		"a signature on the text behind a thought": {
			`{"text":"hm","thought":true},{"text":"A","thoughtSignature":"sig"},{"text":"B"}`,
			[]block{{is: reasoningBlock, text: "hm", signature: sign}, said("AB")},
		},
		"a signature on a thought": {
			`{"text":"hm","thought":true,"thoughtSignature":"sig"},{"text":"A"}`,
			[]block{{is: reasoningBlock, text: "hm", signature: sign}, said("A")},
		},
		"a signature on the first text":     {`{"text":"A","thoughtSignature":"sig"}`, []block{{is: reasoningBlock, signature: sign}, said("A")}},
		"a signature on a later text":       {`{"text":"A"},{"text":"B","thoughtSignature":"sig"}`, []block{said("AB"), {is: reasoningBlock, signature: sign}}},
		"a signature on nothing":            {`{"text":"A"},{"text":"","thoughtSignature":"sig"}`, []block{said("A"), {is: reasoningBlock, signature: sign}}},
		"a signature without a text at all": {`{"thoughtSignature":"sig"}`, []block{{is: reasoningBlock, signature: sign}}},
		"calls": {
			`{"functionCall":{"name":"f","args":{ "n": 1.0,` + "\n" + ` "s": "a b"}},"thoughtSignature":"sig"},{"functionCall":{"name":"g","args":{}}},{"functionCall":{"id":"own","name":"f"}}`,
			[]block{
				{is: callBlock, id: "gemini_R-1_0", name: "f", text: `{"n":1.0,"s":"a b"}`, signature: sign},
				{is: callBlock, id: "gemini_R-1_1", name: "g"},
				{is: callBlock, id: "own", name: "f"},
			},
		},
		"media": {
			`{"inlineData":{"mimeType":"image/png","data":"eA=="},"thoughtSignature":"sig"},{"inlineData":{"mimeType":"audio/wav","data":"eQ=="}},{"fileData":{"mimeType":"application/pdf","fileUri":"gs://a/b"}}`,
			[]block{
				{is: reasoningBlock, signature: sign},
				{is: imageBlock, media: media{mimeType: "image/png", data: "eA=="}},
				{is: audioBlock, media: media{mimeType: "audio/wav", data: "eQ=="}},
				{is: fileBlock, media: media{mimeType: "application/pdf", url: "gs://a/b"}},
			},
		},
		"code that was run": {
			`{"executableCode":{"language":"PYTHON","code":"print(1)\n"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1\n"}},{"text":"One"}`,
			[]block{said("\n```python\nprint(1)\n```\n\n```\n1\n```\nOne")},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var n notes
			a := readGeminiAnswer(gjson.Parse(geminiAnswer(test.parts, "STOP")), &n)
			if !reflect.DeepEqual(a.blocks, test.want) {
				t.Errorf("got %+v\nwant %+v", a.blocks, test.want)
			}
			if a.id != "R-1" || a.model != "gemini-x" || *a.usage != (usage{input: 10, output: 4}) || n.count != 0 {
				t.Errorf("got %+v, %+v, %v", a, a.usage, n.dropped)
			}
		})
	}
}

func TestGeminiFinishReasons(t *testing.T) {
	const text, call = `{"text":"A"}`, `{"functionCall":{"name":"f","args":{}}}`
	tests := map[string]struct {
		parts, reason string
		want          finish
	}{
		"the end":                           {text, "STOP", finishStop},
		"a call":                            {call, "STOP", finishCalls},
		"a text and a call":                 {text + "," + call, "STOP", finishCalls},
		"the limit":                         {text, "MAX_TOKENS", finishLength},
		"the limit within a call":           {call, "MAX_TOKENS", finishLength},
		"safety":                            {text, "SAFETY", finishFilter},
		"recitation":                        {text, "RECITATION", finishFilter},
		"a list":                            {text, "BLOCKLIST", finishFilter},
		"prohibited":                        {text, "PROHIBITED_CONTENT", finishFilter},
		"personal":                          {text, "SPII", finishFilter},
		"an armor":                          {text, "MODEL_ARMOR", finishFilter},
		"an image":                          {text, "IMAGE_SAFETY", finishFilter},
		"a broken call, but a text":         {text, "MALFORMED_FUNCTION_CALL", finishStop},
		"an unexpected call, but another":   {call, "UNEXPECTED_TOOL_CALL", finishCalls},
		"something else":                    {text, "OTHER", finishStop},
		"something that isn't known as yet": {text, "TIRED", finishStop},
		"nothing":                           {text, "", finishStop},
	}
	for name, test := range tests {
		a := readGeminiAnswer(gjson.Parse(geminiAnswer(test.parts, test.reason)), &notes{})
		if a.finish != test.want {
			t.Errorf("%s: got %v, want %v", name, a.finish, test.want)
		}
	}
}

func TestGeminiQuestionThatIsBlocked(t *testing.T) {
	a := readGeminiAnswer(gjson.Parse(`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":3}}`), &notes{})
	if a.finish != finishFilter || len(a.blocks) != 0 || *a.usage != (usage{input: 3}) {
		t.Errorf("got %+v", a)
	}
}

func TestGeminiUsage(t *testing.T) {
	tests := map[string]struct {
		events []string // usageMetadata, one after the other
		want   *usage
	}{
		"none":               {[]string{``}, nil},
		"of other things":    {[]string{`{"trafficType":"ON_DEMAND"}`}, nil},
		"everything":         {[]string{`{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":5,"thoughtsTokenCount":7,"toolUsePromptTokenCount":20,"totalTokenCount":132}`}, &usage{input: 120, output: 12, cacheRead: 60, reasoning: 7}},
		"growing":            {[]string{`{"promptTokenCount":9,"thoughtsTokenCount":2}`, `{"promptTokenCount":9,"thoughtsTokenCount":4,"candidatesTokenCount":3}`}, &usage{input: 9, output: 7, reasoning: 4}},
		"with gaps":          {[]string{`{"promptTokenCount":9,"thoughtsTokenCount":2,"candidatesTokenCount":5}`, `{"promptTokenCount":11}`, `{}`}, &usage{input: 11, output: 7, reasoning: 2}},
		"of the last event":  {[]string{`{"trafficType":"ON_DEMAND"}`, `{"promptTokenCount":1,"candidatesTokenCount":2}`}, &usage{input: 1, output: 2}},
		"no more than a sum": {[]string{`{"totalTokenCount":5}`}, nil},
	}
	for name, test := range tests {
		var c geminiCounts
		for _, m := range test.events {
			c.take(gjson.Parse(m))
		}
		if got := c.usage(); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}

func TestGeminiExtrasAreNamed(t *testing.T) {
	var n notes
	readGeminiAnswer(gjson.Parse(`{"candidates":[{"content":{"parts":[{"text":"A"}]},"finishReason":"STOP","safetyRatings":[{"category":"x"}],`+
		`"groundingMetadata":{"webSearchQueries":["q"]},"citationMetadata":{}}]}`), &n)
	if got := strings.Join(n.dropped, " "); got != "candidates.groundingMetadata" {
		t.Errorf("dropped %q", got)
	}
}

// Calls of two answers must not have the same id, or a later result would be taken for an earlier one's.
func TestGeminiCallIDsDifferFromAnswerToAnswer(t *testing.T) {
	body := func(id string, tokens string) string {
		return `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"f","args":{}}}]},"finishReason":"STOP"}],` +
			`"usageMetadata":{"promptTokenCount":` + tokens + `}` + id + `}`
	}
	seen := map[string]bool{}
	for _, answer := range []string{
		body(`,"responseId":"a_B-1"`, "5"), body(`,"responseId":"a_B-2"`, "5"),
		body("", "5"), body("", "6"),
		body(`,"responseId":"`+strings.Repeat("x", 100)+`1"`, "5"), body(`,"responseId":"`+strings.Repeat("x", 100)+`2"`, "5"),
		body(`,"responseId":"ü 1"`, "5"), body(`,"responseId":"ä 1"`, "5"),
	} {
		for _, b := range readGeminiAnswer(gjson.Parse(answer), &notes{}).blocks {
			if seen[b.id] {
				t.Errorf("%s comes twice", b.id)
			}
			seen[b.id] = true
			if legalID(b.id, 64) != b.id || !strings.HasPrefix(b.id, geminiIDs) {
				t.Errorf("%s can't go everywhere", b.id)
			}
		}
	}
}
