package translate

import (
	"slices"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/sse"
)

// chatEvents are events with those choices; one that begins with a brace is a whole event.
func chatEvents(choices ...string) []byte {
	var stream strings.Builder
	for _, c := range choices {
		if strings.HasPrefix(c, "{") || c == chatDone {
			stream.WriteString("data: " + c + "\n\n")
		} else {
			stream.WriteString(chatChunk(c))
		}
	}
	return []byte(stream.String())
}

// readChat reads a stream as it comes, and then the end.
func readChat(stream []byte) []event {
	r := newChatReader()
	var said []event
	for ev := range sse.Events(stream) {
		said = r.read(ev, said)
	}
	return r.(ender).end(said)
}

func TestChatStreamEvents(t *testing.T) {
	const stop = `"delta":{},"finish_reason":"stop"`
	content := func(s string) string { return `"delta":{"content":"` + s + `"},"finish_reason":null` }
	delta := func(s string) string { return `"delta":{` + s + `},"finish_reason":null` }
	detail := func(s string) string { return delta(`"reasoning_details":[{` + s + `}]`) }
	calls := func(s string) string { return delta(`"tool_calls":[` + s + `]`) }
	for name, test := range map[string]struct {
		choices []string
		want    string
	}{
		"text": {
			[]string{delta(`"role":"assistant","content":""`), content("a"), content(""), content("b"), stop, chatDone},
			"open 0 text; more 0 a; more 0 b; close 0; finish stop",
		},
		"members that are null": {
			[]string{delta(`"role":"assistant","content":null,"refusal":null,"tool_calls":null,"function_call":null,"reasoning":null,"reasoning_details":null`), content("a"), stop},
			"open 0 text; more 0 a; close 0; finish stop",
		},
		"reasoning_content": {
			[]string{delta(`"reasoning_content":"r"`), content("a"), stop},
			"open 0 reasoning; more 0 r; close 0; open 1 text; more 1 a; close 1; finish stop",
		},
		"reasoning": {
			[]string{delta(`"reasoning":"r","content":""`), content("a"), stop},
			"open 0 reasoning; more 0 r; close 0; open 1 text; more 1 a; close 1; finish stop",
		},
		"thinking": {
			[]string{delta(`"thinking":"r"`), stop}, "open 0 reasoning; more 0 r; close 0; finish stop",
		},
		"reasoning in two members": {
			[]string{delta(`"reasoning":"r","reasoning_details":[{"type":"reasoning.text","text":"r","signature":""}]`), stop},
			"open 0 reasoning; more 0 r; close 0; finish stop",
		},
		"reasoning with a signature in the end": {
			[]string{detail(`"type":"reasoning.text","text":"r","index":0`), detail(`"type":"reasoning.text","text":"","signature":"s","format":"f","index":0`), content("a"), stop},
			`open 0 reasoning; more 0 r; sign 0 {"type":"reasoning.text","signature":"s","format":"f","index":0}; close 0; open 1 text; more 1 a; close 1; finish stop`,
		},
		"a summary and what was encrypted": {
			[]string{detail(`"type":"reasoning.summary","summary":"r","index":0`), detail(`"type":"reasoning.encrypted","data":"e","id":"rs","index":0`), content("a"), stop},
			`open 0 reasoning; more 0 r; sign 0 {"type":"reasoning.encrypted","data":"e","id":"rs","index":0}; close 0; open 1 text; more 1 a; close 1; finish stop`,
		},
		"encrypted beside text": {
			[]string{delta(`"reasoning":"r","reasoning_details":[{"type":"reasoning.encrypted","data":"e"}]`), stop},
			`open 0 reasoning; more 0 r; sign 0 {"type":"reasoning.encrypted","data":"e"}; close 0; finish stop`,
		},
		"encrypted within the content": {
			[]string{content("a"), detail(`"type":"reasoning.encrypted","data":"e"`), content("b"), stop},
			`open 0 text; more 0 a; open 1 reasoning; sign 1 {"type":"reasoning.encrypted","data":"e"}; close 1; more 0 b; close 0; finish stop`,
		},
		"two pieces of reasoning": {
			[]string{detail(`"type":"reasoning.text","text":"r","index":0`), detail(`"type":"reasoning.text","text":"q","index":1`), stop},
			"open 0 reasoning; more 0 r; close 0; open 1 reasoning; more 1 q; close 1; finish stop",
		},
		"a signature of another dialect": {
			[]string{detail(`"type":"reasoning.text","text":"r","signature":"messages~ohmroute~s"`), stop},
			"open 0 reasoning; more 0 r; sign 0 s; close 0; finish stop",
		},
		"a list as content": {
			[]string{delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"r"}]}]`), delta(`"content":[{"type":"text","text":"a"},{"type":"reference","reference_ids":[1]}]`), content("b"), stop},
			"open 0 reasoning; more 0 r; close 0; open 1 text; more 1 a; more 1 b; close 1; finish stop",
		},
		"a refusal": {
			[]string{delta(`"refusal":"no"`), delta(`"refusal":"pe"`), stop}, "open 0; more 0 no; more 0 pe; close 0; finish stop",
		},
		"a call in pieces": {
			[]string{content("a"), calls(`{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}`), calls(`{"index":0,"function":{"arguments":"{\"a\""}}`), calls(`{"index":0,"function":{"arguments":":1}"}}`), `"delta":{},"finish_reason":"tool_calls"`, chatDone},
			`open 0 text; more 0 a; close 0; open 1 call c f; more 1 {"a"; more 1 :1}; close 1; finish calls`,
		},
		"a call in one piece": {
			[]string{calls(`{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":\"}\\\"{\"}"}}`), stop},
			`open 0 call c f; more 0 {"a":"}\"{"}; close 0; finish calls`,
		},
		"interleaved calls": {
			[]string{calls(`{"index":0,"id":"c","function":{"name":"f","arguments":"{"}},{"index":1,"id":"d","function":{"name":"g","arguments":"{"}}`), calls(`{"index":0,"function":{"arguments":"}"}}`), calls(`{"index":1,"function":{"arguments":"}"}}`), stop},
			"open 0 call c f; more 0 {; open 1 call d g; more 1 {; more 0 }; close 0; more 1 }; close 1; finish calls",
		},
		"calls without indexes": {
			[]string{calls(`{"id":"c","function":{"name":"f","arguments":"{}"}},{"id":"d","function":{"name":"f","arguments":"{}"}}`), stop},
			"open 0 call c f; more 0 {}; close 0; open 1 call d f; more 1 {}; close 1; finish calls",
		},
		"calls without indexes in pieces": {
			[]string{calls(`{"id":"c","function":{"name":"f","arguments":"{"}}`), calls(`{"function":{"arguments":"}"}}`), calls(`{"id":"d","function":{"name":"f","arguments":"{"}}`), calls(`{"id":"d","function":{"arguments":"}"}}`), stop},
			"open 0 call c f; more 0 {; more 0 }; close 0; open 1 call d f; more 1 {; more 1 }; close 1; finish calls",
		},
		"calls without indexes and ids": {
			[]string{calls(`{"function":{"name":"f","arguments":"{}"}}`), calls(`{"function":{"name":"f","arguments":"{}"}}`), stop},
			"open 0 call f; more 0 {}; close 0; open 1 call f; more 1 {}; close 1; finish calls",
		},
		"all calls under index 0": {
			[]string{calls(`{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}`), calls(`{"index":0,"id":"d","function":{"name":"f","arguments":"{"}}`), calls(`{"index":0,"function":{"arguments":"}"}}`), stop},
			"open 0 call c f; more 0 {}; close 0; open 1 call d f; more 1 {; more 1 }; close 1; finish calls",
		},
		"another id in every piece": {
			[]string{calls(`{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}`), calls(`{"index":0,"id":"d","function":{"name":null,"arguments":"}"}}`), stop},
			"open 0 call c f; more 0 {; more 0 }; close 0; finish calls",
		},
		"the name in every piece": {
			[]string{calls(`{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}`), calls(`{"index":0,"id":"c","function":{"name":"f","arguments":"}"}}`), stop},
			"open 0 call c f; more 0 {; more 0 }; close 0; finish calls",
		},
		"arguments that are null and then an object": {
			[]string{calls(`{"index":0,"id":"c","function":{"name":"f","arguments":null}}`), calls(`{"index":0,"function":{"arguments":{"a":1}}}`), stop},
			`open 0 call c f; more 0 {"a":1}; close 0; finish calls`,
		},
		"no arguments": {
			[]string{calls(`{"index":0,"id":"c","function":{"name":"f","arguments":""}}`), stop}, "open 0 call c f; finish calls",
		},
		"a call with Google's signature": {
			[]string{calls(`{"index":0,"id":"c","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}`), stop},
			"open 0 call c f s; more 0 {}; close 0; finish calls",
		},
		"a function call": {
			[]string{delta(`"function_call":{"name":"f","arguments":""}`), delta(`"function_call":{"arguments":"{}"}`), `"delta":{},"finish_reason":"function_call"`},
			"open 0 call f; more 0 {}; close 0; finish calls",
		},
		"text behind a call": {
			[]string{calls(`{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}`), content("a"), stop},
			"open 0 call c f; more 0 {}; close 0; open 1 text; more 1 a; close 1; finish calls",
		},
		"images": {
			[]string{delta(`"content":"","images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]`), stop},
			"open 0 image AA==; close 0; finish stop",
		},
		"a message instead of a delta": {
			[]string{`"message":{"role":"assistant","content":"a"},"finish_reason":"stop"`}, "open 0 text; more 0 a; close 0; finish stop",
		},
		"the finish said twice": {
			[]string{content("a"), `"delta":{},"finish_reason":"length"`, stop, chatDone}, "open 0 text; more 0 a; close 0; finish length",
		},
		"a second choice": {
			[]string{content("a"), stop, `{"choices":[{"index":1,"delta":{"content":"b"},"finish_reason":"length"}]}`},
			"open 0 text; more 0 a; close 0; finish stop",
		},
		"a choice without an index": {
			[]string{`{"choices":[{"delta":{"content":"b"},"finish_reason":"length"}]}`}, "open 0 text; more 0 b; close 0; finish length",
		},
		"no finish": {[]string{content("a"), chatDone}, "open 0 text; more 0 a; close 0; finish stop"},
		"events without choices": {
			[]string{`{"choices":[],"id":"","prompt_filter_results":[]}`, content("a"), `{"choices":null,"latency":{}}`, stop},
			"open 0 text; more 0 a; close 0; finish stop",
		},
		"behind the end": {[]string{stop, chatDone, chatDone}, "finish stop"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, e := range readChat(chatEvents(test.choices...)) {
				if e.is != began {
					got = append(got, e.shown())
				}
			}
			if line := strings.Join(got, "; "); line != test.want {
				t.Errorf("got\n%s\nwant\n%s", line, test.want)
			}
		})
	}
}

func TestAChatStreamBeginsWithItsFirstChoice(t *testing.T) {
	said := readChat(chatEvents(`{"choices":[],"id":"","model":"","created":0}`, `"delta":{"role":"assistant"}`))
	if got := said[0]; got.is != began || got.id != "c1" || got.model != "m" || got.created != 1 {
		t.Errorf("it began with %+v", got)
	}
	if slices.ContainsFunc(said[1:], func(e event) bool { return e.is == began }) {
		t.Error("it began twice")
	}
}

func TestAStopSequenceIsReadWhereAHostTellsIt(t *testing.T) {
	for choice, want := range map[string]string{
		`"delta":{},"finish_reason":"stop","stop_reason":"END"`:  "END",
		`"delta":{},"finish_reason":"stop","stop_reason":151645`: "",
		`"delta":{},"finish_reason":"stop","matched_stop":"END"`: "END",
		`"delta":{},"finish_reason":"stop"`:                      "",
	} {
		said := readChat(chatEvents(choice))
		if got := said[len(said)-1].stop; got != want {
			t.Errorf("%s: got %q, want %q", choice, got, want)
		}
	}
}

func TestFinishReasonsOfHosts(t *testing.T) {
	for reason, want := range map[string]finish{
		"stop": finishStop, "end_turn": finishStop, "stop_sequence": finishStop, "STOP": finishStop, "COMPLETE": finishStop,
		"eos": finishStop, "": finishStop, "length": finishLength, "max_tokens": finishLength, "MAX_TOKENS": finishLength,
		"model_length": finishLength, "tool_calls": finishCalls, "function_call": finishCalls, "tool_use": finishCalls,
		"TOOL_CALL": finishCalls, "content_filter": finishFilter, "SAFETY": finishFilter, "sensitive": finishFilter,
		"MODEL_ARMOR": finishFilter, "refusal": finishRefusal, "pause_turn": finishPause,
		"model_context_window_exceeded": finishWindow,
	} {
		if got := finishIn(chatFinishes, reason, false); got != want {
			t.Errorf("%q is %d, want %d", reason, got, want)
		}
		called := want
		if want == finishStop {
			called = finishCalls
		}
		if got := finishIn(chatFinishes, reason, true); got != called {
			t.Errorf("%q behind a call is %d, want %d", reason, got, called)
		}
	}
}
