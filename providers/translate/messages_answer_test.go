package translate

import (
	"reflect"
	"slices"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"
)

func TestAnswersOfAnthropicAreRead(t *testing.T) {
	var n notes
	got := readMessagesAnswer(gjson.Parse(`{"id":"m","type":"message","role":"assistant","model":"x","content":[
		{"type":"thinking","thinking":"t","signature":"s"},
		{"type":"redacted_thinking","data":"d"},
		{"type":"server_tool_use","id":"1","name":"web_search","input":{}},
		{"type":"web_search_tool_result","tool_use_id":"1","content":[]},
		{"type":"text","text":"hi","citations":[{"url":"u"}]},
		{"type":"tool_use","id":"2","name":"f","input":{"n": 1.50}},
		{"type":"tool_use","id":"3","name":"g","input":{}}
	],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":3,
		"cache_read_input_tokens":5,"output_tokens":7,"output_tokens_details":{"thinking_tokens":2}}}`), &n)
	want := &answer{
		id: "m", model: "x", finish: finishCalls,
		blocks: []block{
			{is: reasoningBlock, text: "t", signature: signature{Messages, "s"}},
			{is: reasoningBlock, signature: signature{Messages, "redacted~d"}},
			{is: textBlock, text: "hi"},
			{is: callBlock, id: "2", name: "f", text: `{"n": 1.50}`},
			{is: callBlock, id: "3", name: "g"},
		},
		usage: &usage{input: 18, output: 7, cacheRead: 5, cacheWrite: 3, reasoning: 2},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if slices.Sort(n.dropped); !slices.Equal(n.dropped, []string{
		"content.citations", "content.server_tool_use", "content.web_search_tool_result",
	}) {
		t.Errorf("dropped %v", n.dropped)
	}
}

func TestReasonsForTheEndOfAnAnswer(t *testing.T) {
	call := []block{{is: callBlock, id: "1", name: "f"}}
	refusal := []block{{is: refusalBlock, text: "no"}}
	for name, test := range map[string]struct {
		finish finish
		stop   string
		blocks []block
		want   string
	}{
		"stop":                {finishStop, "", nil, `"end_turn",null`},
		"unknown":             {0, "", nil, `"end_turn",null`},
		"stop sequence":       {finishStop, "!", nil, `"stop_sequence","!"`},
		"length":              {finishLength, "", nil, `"max_tokens",null`},
		"calls":               {finishCalls, "", call, `"tool_use",null`},
		"stop with calls":     {finishStop, "", call, `"tool_use",null`},
		"calls without calls": {finishCalls, "", nil, `"end_turn",null`},
		"cut calls":           {finishLength, "", call, `"max_tokens",null`},
		"filter":              {finishFilter, "", nil, `"refusal",null`},
		"refusal":             {finishRefusal, "", nil, `"refusal",null`},
		"stop and refusal":    {finishStop, "", refusal, `"refusal",null`},
		"pause":               {finishPause, "", nil, `"pause_turn",null`},
		"window":              {finishWindow, "", nil, `"model_context_window_exceeded",null`},
	} {
		t.Run(name, func(t *testing.T) {
			var n notes
			a := &answer{id: "m", model: "x", finish: test.finish, stop: test.stop, blocks: test.blocks}
			out := gjson.ParseBytes(writeMessagesAnswer(a, reply(nil), &n))
			if got := out.Get("stop_reason").Raw + "," + out.Get("stop_sequence").Raw; got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestMediaInAnAnswerIsNamed(t *testing.T) {
	var n notes
	a := &answer{blocks: []block{{is: imageBlock, media: media{data: "aa"}}, {is: audioBlock}, {is: fileBlock}}}
	out := writeMessagesAnswer(a, reply(nil), &n)
	if got := gjson.GetBytes(out, "content").Raw; got != "[]" {
		t.Errorf("the content is %s", got)
	}
	if !slices.Equal(n.dropped, []string{"content.image", "content.audio", "content.document"}) {
		t.Errorf("dropped %v", n.dropped)
	}
}

// What a provider counts as cached can be more than what it counts as input, and no client expects a negative number.
func TestUsageIsNeverNegative(t *testing.T) {
	var w writer
	w.writeUsage(&usage{input: 3, cacheRead: 5})
	if got := gjson.GetBytes(w.b, "input_tokens").Raw; got != "0" {
		t.Errorf("input_tokens is %s", got)
	}
}

// What a target answered comes back in the history as it was: its reasoning, and the signatures that it wants to see again.
func TestAnAnswerComesBackAsItWasGivenToAClientOfMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anAnswer(t)
		var n notes
		content := gjson.GetBytes(writeMessagesAnswer(a, reply(nil), &n), "content").Raw
		c, dropped, err := readMessages(`{"messages":[{"role":"user","content":"."},{"role":"assistant","content":` + content + `}]}`)
		if err != nil || len(dropped) > 0 {
			t.Fatalf("refused or dropped: %v, %v\n%s", err, dropped, content)
		}
		var want []block
		for i, b := range a.blocks {
			switch b.is {
			case callBlock:
				b.id, b.text = reply(nil).callIDOf(&b, i), argumentsObject(b.text)
			case refusalBlock:
				b.is = textBlock
			}
			if b.text != "" || b.signature.text != "" {
				want = append(want, b)
			}
		}
		var got []block
		if len(c.turns) > 1 {
			got = c.turns[1].blocks
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got  %+v\nwant %+v\n%s", got, want, content)
		}
	})
}
