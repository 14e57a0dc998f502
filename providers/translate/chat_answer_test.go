package translate

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"
)

// chatMessageAnswer is a whole answer with that message.
func chatMessageAnswer(message string) gjson.Result {
	return gjson.Parse(`{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant",` +
		message + `},"finish_reason":"stop"}]}`)
}

func TestWholeAnswersOfChatHosts(t *testing.T) {
	text := block{is: textBlock, text: "a"}
	reasoned := block{is: reasoningBlock, text: "r"}
	call := block{is: callBlock, id: "c", name: "f", text: `{"a":1}`}
	signed := func(b block, text string) block { b.signature = signature{Chat, text}; return b }
	for name, test := range map[string]struct {
		message string
		want    []block
	}{
		"text":              {`"content":"a","refusal":null,"tool_calls":null`, []block{text}},
		"nothing":           {`"content":null`, nil},
		"reasoning_content": {`"reasoning_content":"r","content":"a"`, []block{reasoned, text}},
		"reasoning":         {`"content":"a","reasoning":"r"`, []block{reasoned, text}},
		"thinking":          {`"thinking":"r","content":"a"`, []block{reasoned, text}},
		"a list":            {`"content":[{"type":"thinking","thinking":[{"type":"text","text":"r"}]},{"type":"text","text":"a"}]`, []block{reasoned, text}},
		"details": {
			`"content":"a","reasoning":"r","reasoning_details":[{"type":"reasoning.text","text":"r","signature":"s","index":0}]`,
			[]block{signed(reasoned, `{"type":"reasoning.text","signature":"s","index":0}`), text},
		},
		"a summary and what was encrypted": {
			`"content":"a","reasoning":"r","reasoning_details":[{"type":"reasoning.summary","summary":"r"},{"type":"reasoning.encrypted","data":"e"}]`,
			[]block{signed(reasoned, `{"type":"reasoning.encrypted","data":"e"}`), text},
		},
		"encrypted beside text": {
			`"content":"a","reasoning":"r","reasoning_details":[{"type":"reasoning.encrypted","data":"e"}]`,
			[]block{signed(reasoned, `{"type":"reasoning.encrypted","data":"e"}`), text},
		},
		"encrypted alone": {
			`"content":"a","reasoning_details":[{"type":"reasoning.encrypted","data":"e"}]`,
			[]block{signed(block{is: reasoningBlock}, `{"type":"reasoning.encrypted","data":"e"}`), text},
		},
		"empty details": {`"content":"a","reasoning_details":[{"type":"reasoning.text","text":""}]`, []block{text}},
		"a refusal":     {`"content":null,"refusal":"no"`, []block{{is: refusalBlock, text: "no"}}},
		"a call":        {`"content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]`, []block{call}},
		"arguments that are an object": {
			`"content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":{"a":1}}}]`, []block{call},
		},
		"no arguments": {
			`"content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]`,
			[]block{{is: callBlock, id: "c", name: "f", text: "{}"}},
		},
		"a call with Google's signature": {
			`"content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":1}"},"extra_content":{"google":{"thought_signature":"s"}}}]`,
			[]block{signed(call, "s")},
		},
		"a function call": {
			`"content":null,"function_call":{"name":"f","arguments":"{\"a\":1}"}`, []block{{is: callBlock, name: "f", text: `{"a":1}`}},
		},
		"an image": {
			`"content":"a","images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]`,
			[]block{text, {is: imageBlock, media: media{mimeType: "image/png", data: "AA=="}}},
		},
	} {
		var n notes
		a := readChatAnswer(chatMessageAnswer(test.message), &n)
		if !reflect.DeepEqual(a.blocks, test.want) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", name, a.blocks, test.want)
		}
		if a.id != "c1" || a.model != "m" || a.created != 1 || a.finish == 0 {
			t.Errorf("%s: got %+v", name, a)
		}
		if n.count > 0 {
			t.Errorf("%s: dropped %v", name, n.dropped)
		}
	}
}

func TestWhatOfAChatAnswerIsDropped(t *testing.T) {
	var n notes
	readChatAnswer(gjson.Parse(`{"choices":[{"index":0,"message":{"content":[{"type":"reference"}],"annotations":[{"type":"url_citation"}],"audio":{"id":"x"}},
		"logprobs":{"content":[{}]},"finish_reason":"stop"},{"index":1,"message":{"content":"b"}}]}`), &n)
	slices.Sort(n.dropped)
	want := []string{"choices", "choices.logprobs", "choices.message.annotations", "choices.message.audio", "choices.message.content.reference"}
	if !slices.Equal(n.dropped, want) {
		t.Errorf("got %v, want %v", n.dropped, want)
	}
	n = notes{}
	readChatAnswer(gjson.Parse(`{"choices":[{"message":{"content":"a","annotations":[],"audio":null},"logprobs":{"content":null},"finish_reason":"stop"}]}`), &n)
	if n.count > 0 {
		t.Errorf("dropped %v", n.dropped)
	}
}

// drawAnswer makes up an answer as a target of any dialect may give it.
func drawAnswer(t *rapid.T) *answer {
	from := rapid.SampledFrom([]Dialect{Messages, Responses}).Draw(t, "from")
	text := rapid.StringMatching(`[a-zé"\\\n ]{1,8}`)
	a := &answer{id: "i", model: "m", created: 7, finish: finishStop}
	for n := rapid.IntRange(0, 3).Draw(t, "reasonings"); n > 0; n-- {
		b := block{is: reasoningBlock, text: rapid.OneOf(text, rapid.Just("")).Draw(t, "reasoning")}
		if b.text == "" || rapid.Bool().Draw(t, "signed") {
			b.signature = signature{from, text.Draw(t, "signature")}
		}
		a.blocks = append(a.blocks, b)
	}
	if rapid.Bool().Draw(t, "speaks") {
		a.blocks = append(a.blocks, block{is: textBlock, text: text.Draw(t, "text")})
	}
	if rapid.Bool().Draw(t, "refuses") {
		a.blocks = append(a.blocks, block{is: refusalBlock, text: text.Draw(t, "refusal")})
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "calls") {
		b := block{is: callBlock, id: "call_" + string(rune('a'+i)), name: "f", text: rapid.SampledFrom([]string{"{}", `{"a":"}\""}`}).Draw(t, "arguments")}
		a.blocks = append(a.blocks, b)
		a.finish = finishCalls
	}
	if rapid.Bool().Draw(t, "counted") {
		a.usage = &usage{input: 10, output: 5, cacheRead: 3, cacheWrite: 2, reasoning: 1}
	}
	return a
}

// unsignedJoined is what is left of an answer's reasoning for a client if none of it is signed: one text.
func unsignedJoined(blocks []block) []block {
	if slices.ContainsFunc(blocks, func(b block) bool { return b.is == reasoningBlock && b.signature.text != "" }) {
		return blocks
	}
	joined := chatReasoningContent(blocks)
	blocks = slices.DeleteFunc(slices.Clone(blocks), func(b block) bool { return b.is == reasoningBlock })
	if joined != "" {
		blocks = append([]block{{is: reasoningBlock, text: joined}}, blocks...)
	}
	return blocks
}

func TestAChatAnswerSaysAllThatTheAnswerHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAnswer(t)
		var n notes
		body := writeChatAnswer(a, Reply{ID: "r"}, &n)
		if !gjson.ValidBytes(body) {
			t.Fatalf("no JSON: %s", body)
		}
		back := readChatAnswer(gjson.ParseBytes(body), &n)
		want := *a
		want.blocks = unsignedJoined(a.blocks)
		if len(want.blocks) == 0 {
			want.blocks = nil
		}
		if !reflect.DeepEqual(*back, want) || n.count > 0 {
			t.Fatalf("%s\ngot\n%+v\nwant\n%+v\ndropped %v", body, *back, want, n.dropped)
		}
	})
}

func TestAStreamedChatAnswerIsTheWholeOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAnswer(t)
		r := Reply{ID: "r", IncludeUsage: true}
		s := NewStream(Messages, Chat, r)
		var stream []byte
		for _, ev := range a.played() {
			stream = s.say(stream, &ev)
		}
		if err := checkChatStream(stream); err != nil {
			t.Fatalf("%v\n%s", err, stream)
		}
		var n notes
		whole := gjson.ParseBytes(writeChatAnswer(a, r, &n))
		m := whole.Get("choices.0.message")
		got := chatSaid(slices.Values([][]byte{stream}))
		if got.content != m.Get("content").String() || got.refusal != m.Get("refusal").String() ||
			got.reasoning != m.Get("reasoning_content").String() || got.finish != whole.Get("choices.0.finish_reason").Str {
			t.Fatalf("got %+v of\n%s\nwhole it is\n%s", got, stream, whole)
		}
		if details := m.Get("reasoning_details").Array(); len(details) > 0 {
			told := 0
			for _, d := range details {
				if !d.Get("signature").Exists() && !d.Get("data").Exists() {
					continue
				}
				if want := fmt.Sprintf(`{"index":%d,%s`, told, d.Raw[1:]); !slices.Contains(got.details, want) {
					t.Fatalf("there is no %s in\n%s", want, stream)
				}
				told++
			}
		}
		if want := whole.Get("usage"); want.Exists() && got.completion != want.Get("completion_tokens").Int() {
			t.Fatalf("got %+v, want %s", got, want.Raw)
		}
	})
}

func TestCallsWithoutIDsGetDistinctOnesFromTheRequest(t *testing.T) {
	a := &answer{id: "i", model: "m", finish: finishCalls, blocks: []block{{is: callBlock, name: "f"}, {is: callBlock, name: "f"}}}
	var n notes
	body := writeChatAnswer(a, Reply{ID: "r1"}, &n)
	var stream []byte
	s := NewStream(Gemini, Chat, Reply{ID: "r1"})
	for _, ev := range a.played() {
		stream = s.say(stream, &ev)
	}
	for i, want := range []string{"call_r1_0", "call_r1_1"} {
		if got := gjson.GetBytes(body, "choices.0.message.tool_calls").Array()[i].Get("id").Str; got != want {
			t.Errorf("whole: got %s, want %s", got, want)
		}
		if !slices.Contains(chatSaid(slices.Values([][]byte{stream})).ids, want) {
			t.Errorf("streamed: there is no %s in\n%s", want, stream)
		}
	}
}

func TestImagesThatAModelMadeStandBesideTheContent(t *testing.T) {
	a := &answer{id: "i", model: "m", created: 1, finish: finishStop, blocks: []block{
		{is: textBlock, text: "a"}, {is: imageBlock, media: media{mimeType: "image/png", data: "AA=="}},
	}}
	const want = `[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]`
	var n notes
	if got := gjson.GetBytes(writeChatAnswer(a, Reply{}, &n), "choices.0.message.images").Raw; got != want {
		t.Errorf("whole: got %s", got)
	}
	var stream []byte
	s := NewStream(Gemini, Chat, Reply{})
	for _, ev := range a.played() {
		stream = s.say(stream, &ev)
	}
	if err := checkChatStream(stream); err != nil {
		t.Fatal(err)
	}
	if got := chatSaid(slices.Values([][]byte{stream})).images; got != `[{"index":0,`+want[2:] {
		t.Errorf("streamed: got %s", got)
	}
}

func TestUsageIsToldToWhoAskedForItAndNeverMadeUp(t *testing.T) {
	for name, test := range map[string]struct {
		asked   bool
		counted *usage
		want    int64
	}{
		"asked": {true, &usage{input: 1, output: 2}, 2}, "not asked": {false, &usage{input: 1, output: 2}, 0}, "not counted": {true, nil, 0},
	} {
		s := NewStream(Messages, Chat, Reply{ID: "r", Model: "m", Created: 1, IncludeUsage: test.asked})
		stream := s.say(nil, &event{is: finished, finish: finishStop, usage: test.counted})
		if err := checkChatStream(stream); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := chatSaid(slices.Values([][]byte{stream})); got.completion != test.want {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestAClientThatKnowsNoToolsGetsTheFirstCall(t *testing.T) {
	r := Reply{ID: "r", Model: "m", Created: 1, Request: []byte(`{"functions":[{"name":"f"}]}`)}
	a := &answer{id: "i", model: "m", created: 1, finish: finishCalls, blocks: []block{
		{is: callBlock, id: "a", name: "f"}, {is: callBlock, id: "b", name: "g", text: `{"n":1}`},
	}}
	var n notes
	choice := gjson.GetBytes(writeChatAnswer(a, r, &n), "choices.0")
	if got := choice.Get("message.function_call").Raw; got != `{"name":"f","arguments":"{}"}` || choice.Get("message.tool_calls").Exists() {
		t.Errorf("whole: %s", choice)
	}
	var stream []byte
	s := NewStream(Messages, Chat, r)
	for _, ev := range a.played() {
		stream = s.say(stream, &ev)
	}
	if err := checkChatStream(stream); err != nil {
		t.Fatal(err)
	}
	if bytes.Count(stream, []byte("function_call\":")) != 2 || bytes.Contains(stream, []byte("tool_calls")) || bytes.Contains(stream, []byte(`"g"`)) {
		t.Errorf("streamed:\n%s", stream)
	}
	for _, got := range []string{choice.Get("finish_reason").Str, chatSaid(slices.Values([][]byte{stream})).finish} {
		if got != "function_call" {
			t.Errorf("it finished with %s", got)
		}
	}
}
