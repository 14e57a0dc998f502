package translate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/ohmroute/ohmroute/sse"
)

// assembled is the content of a streamed message, as JSON, a block each.
func assembled(stream []byte) []string {
	var blocks []string
	var w *writer
	var typ, text, sign string
	for ev := range sse.Events(stream) {
		v := gjson.ParseBytes(ev.Data)
		switch v.Get("type").Str {
		case "content_block_start":
			b := v.Get("content_block")
			typ, text, sign = b.Get("type").Str, "", ""
			w = &writer{}
			w.begin('{')
			w.textMember("type", typ)
			for _, name := range []string{"data", "id", "name"} {
				if m := b.Get(name); m.Exists() {
					w.textMember(name, m.Str)
				}
			}
		case "content_block_delta":
			d := v.Get("delta")
			text += d.Get("text").Str + d.Get("thinking").Str + d.Get("partial_json").Str
			sign += d.Get("signature").Str
		case "content_block_stop":
			switch typ {
			case "text":
				w.textMember("text", text)
			case "thinking":
				w.textMember("thinking", text)
				w.textMember("signature", sign)
			case "tool_use":
				w.rawMember("input", argumentsObject(text))
			}
			w.end('}')
			blocks = append(blocks, string(w.b))
		}
	}
	return blocks
}

// anAnswer draws an answer of any blocks.
func anAnswer(t *rapid.T) *answer {
	a := &answer{id: "m", model: "x", finish: rapid.SampledFrom([]finish{
		finishStop, finishLength, finishFilter, finishRefusal, finishPause, finishWindow,
	}).Draw(t, "finish")}
	for i := range rapid.IntRange(0, 5).Draw(t, "blocks") {
		b := block{
			is:   rapid.SampledFrom([]blockType{textBlock, reasoningBlock, callBlock, refusalBlock}).Draw(t, "type"),
			text: rapid.SampledFrom([]string{"", "a", "two words", `"quoted"`}).Draw(t, "text"),
		}
		if b.is == callBlock {
			b.name = "f"
			b.id = rapid.SampledFrom([]string{"", fmt.Sprintf("call_%d", i), fmt.Sprintf("call:%d", i)}).Draw(t, "id")
			b.text = rapid.SampledFrom([]string{"", "{}", `{"a":1}`, `{"a": {"b":[1,2]}}`}).Draw(t, "arguments")
		}
		if rapid.Bool().Draw(t, "signed") && b.is != textBlock && b.is != refusalBlock {
			b.signature = signature{rapid.SampledFrom([]Dialect{Chat, Responses, Gemini}).Draw(t, "from"), "s"}
		}
		a.blocks = append(a.blocks, b)
	}
	return a
}

// However the blocks of an answer come in turns, a client gets one after the other, and the same as of the whole answer.
func TestInterleavedBlocksComeOneAfterTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anAnswer(t)
		w := newMessagesWriter(reply(nil))
		stream := w.write(nil, event{is: began, id: a.id, model: a.model})
		for _, ev := range interleaved(t, a) {
			stream = w.write(stream, ev)
		}
		if err := checkMessagesStream(stream); err != nil {
			t.Fatalf("%v\n%s", err, stream)
		}
		got := assembled(stream)
		var n notes
		var want []string
		for _, b := range gjson.GetBytes(writeMessagesAnswer(a, reply(nil), &n), "content").Array() {
			want = append(want, b.Raw)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	})
}

// interleaved are the events of an answer whose blocks grow in turns; its last closes what is open.
func interleaved(t *rapid.T, a *answer) []event {
	var events []event
	left := make([][]event, len(a.blocks))
	for i, b := range a.blocks {
		head := b
		if head.text = ""; b.is != callBlock {
			head.signature = signature{}
		}
		left[i] = []event{{is: opened, at: i, block: head}}
		for _, piece := range strings.SplitAfter(b.text, " ") {
			if piece != "" {
				left[i] = append(left[i], event{is: more, at: i, text: piece})
			}
		}
		if b.is == reasoningBlock && b.signature.text != "" {
			left[i] = append(left[i], event{is: signed, at: i, signature: b.signature})
		}
		left[i] = append(left[i], event{is: closed, at: i})
	}
	for begun := 0; ; {
		var ready []int
		for i := range left[:min(begun+1, len(left))] { // blocks are opened in their order
			if len(left[i]) > 0 {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 {
			return append(events, event{is: finished, finish: a.finish, usage: &usage{}})
		}
		i := rapid.SampledFrom(ready).Draw(t, "block")
		events = append(events, left[i][0])
		left[i] = left[i][1:]
		begun = max(begun, i+1)
	}
}

func TestStreamsOfAnthropicAreReadAsEvents(t *testing.T) {
	const start = `{"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":1}}}`
	first := event{is: began, id: "m", model: "x", usage: &usage{input: 15, output: 1, cacheRead: 5}}
	last := event{is: finished, finish: finishStop, usage: &usage{input: 15, output: 7, cacheRead: 5}}
	end := []string{
		`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":7}}`, `{"type":"message_stop"}`,
	}
	for name, test := range map[string]struct {
		data []string
		want []event
	}{
		"text, with a ping": {
			[]string{
				`{"type": "ping"}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}`, `{"type":"content_block_stop","index":0}`,
			},
			[]event{{is: opened, block: block{is: textBlock}}, {is: more, text: "hi"}, {is: closed}},
		},
		"text that begins in the start": {
			[]string{`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}`},
			[]event{{is: opened, block: block{is: textBlock}}, {is: more, text: "hi"}},
		},
		"a call": {
			[]string{
				`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"1","name":"f","input":{}}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`, `{"type":"content_block_stop","index":0}`,
			},
			[]event{{is: opened, block: block{is: callBlock, id: "1", name: "f"}}, {is: more, text: "{}"}, {is: closed}},
		},
		"a call that is whole at its start": {
			[]string{
				`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"1","name":"f","input":{"a":1.0}}}`,
				`{"type":"content_block_stop","index":0}`,
			},
			[]event{{is: opened, block: block{is: callBlock, id: "1", name: "f"}}, {is: more, text: `{"a":1.0}`}, {is: closed}},
		},
		"a call without arguments": {
			[]string{
				`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"1","name":"f","input":{}}}`,
				`{"type":"content_block_stop","index":0}`,
			},
			[]event{{is: opened, block: block{is: callBlock, id: "1", name: "f"}}, {is: closed}},
		},
		"thinking with its signature": {
			[]string{
				`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"t"}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}`, `{"type":"content_block_stop","index":0}`,
			},
			[]event{
				{is: opened, block: block{is: reasoningBlock}},
				{is: more, text: "t"},
				{is: signed, signature: signature{Messages, "s"}},
				{is: closed},
			},
		},
		"redacted thinking": {
			[]string{
				`{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"d"}}`, `{"type":"content_block_stop","index":0}`,
			},
			[]event{
				{is: opened, block: block{is: reasoningBlock}}, {is: signed, signature: signature{Messages, "redacted~d"}}, {is: closed},
			},
		},
		"what Anthropic does by itself is passed over": {
			[]string{
				`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"1","name":"web_search","input":{}}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`, `{"type":"content_block_stop","index":0}`,
				`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{}}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"hi"}}`,
			},
			[]event{{is: opened, block: block{is: textBlock}}, {is: more, text: "hi"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := slices.Concat([]event{first}, test.want, []event{last})
			if got := readStream(slices.Concat([]string{start}, test.data, end)); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func readStream(data []string) (said []event) {
	r := newMessagesReader()
	for _, d := range data {
		said = r.read(sse.Event{Data: []byte(d)}, said)
	}
	return said
}

func TestEndsOfStreamsOfAnthropic(t *testing.T) {
	stop := `{"type":"message_stop"}`
	for name, test := range map[string]struct {
		data []string
		want []event
	}{
		"a stop sequence": {
			[]string{`{"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"!"},"usage":{"output_tokens":2}}`, stop},
			[]event{{is: finished, finish: finishStop, stop: "!", usage: &usage{output: 2}}},
		},
		"a refusal that is explained": {
			[]string{`{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","explanation":"no"}}}`, stop},
			[]event{
				{is: opened, block: block{is: refusalBlock}},
				{is: more, text: "no"},
				{is: closed},
				{is: finished, finish: finishRefusal},
			},
		},
		"in several events": {
			[]string{
				`{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":2,"input_tokens":3}}`,
				`{"type":"message_delta","delta":{},"usage":{"output_tokens":4,"output_tokens_details":{"thinking_tokens":1}}}`, stop,
			},
			[]event{{is: finished, finish: finishLength, usage: &usage{input: 3, output: 4, reasoning: 1}}},
		},
		"without usage":          {[]string{`{"type":"message_delta","delta":{"stop_reason":"pause_turn"}}`, stop}, []event{{is: finished, finish: finishPause}}},
		"with a full window":     {[]string{`{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"}}`, stop}, []event{{is: finished, finish: finishWindow}}},
		"without the last event": {[]string{`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := readStream(test.data); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

// What is kept while another block is open has to be told at once when that is closed, not in the end.
func TestWhatIsKeptIsToldAsSoonAsItsTurnHasCome(t *testing.T) {
	w := newMessagesWriter(reply(nil))
	w.write(nil, event{is: began, id: "m", model: "x"})
	w.write(nil, event{is: opened, at: 0, block: block{is: callBlock, id: "a", name: "f"}})
	w.write(nil, event{is: opened, at: 1, block: block{is: callBlock, id: "b", name: "g"}})
	if got := w.write(nil, event{is: more, at: 1, text: "{}"}); len(got) > 0 {
		t.Errorf("the second call is told while the first is open: %s", got)
	}
	got := string(w.write(nil, event{is: closed, at: 0}))
	for _, part := range []string{`"content_block_stop","index":0`, `"content_block_start","index":1`, `"partial_json":"{}"`} {
		if !strings.Contains(got, part) {
			t.Errorf("%s is missing in\n%s", part, got)
		}
	}
}
