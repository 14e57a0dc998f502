package translate

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// responsesSent is a target's stream of events, which are named by their types.
func responsesSent(events ...string) []byte {
	var b []byte
	for _, data := range events {
		b = frame(b, gjson.Get(data, "type").Str, []byte(data))
	}
	return b
}

const (
	sentCreated   = `{"type":"response.created","response":{"id":"resp_1","model":"m","created_at":7.0}}`
	sentCompleted = `{"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[],"usage":{"input_tokens":1,"output_tokens":2}}}`
)

// Hosts leave out what they like; the answer is whole all the same.
func TestStreamsOfHostsThatLeaveEventsOutAreWhole(t *testing.T) {
	message := `{"id":"msg_x_0","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"hello","annotations":[],"logprobs":[]}]}`
	call := `{"id":"fc_1_0","type":"function_call","status":"completed","call_id":"c","name":"f","arguments":"{\"a\":1}"}`
	for name, c := range map[string]struct {
		events []string
		want   string
	}{
		"no deltas of a text": {
			[]string{`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"hello"}]}}`},
			strings.Replace(message, "_x_", "_1_", 1),
		},
		"nothing but deltas": {
			[]string{
				`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"hel"}`,
				`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":""}`,
				`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"lo"}`,
			},
			strings.Replace(message, "_x_", "_1_", 1),
		},
		"no deltas of arguments": {
			[]string{
				`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":""}}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":1}"}}`,
			}, call,
		},
		"arguments at once, twice": {
			[]string{
				`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":1}"}}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":1}"}}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":1}"}}`,
			}, call,
		},
		"a call that is told at its end only": {
			[]string{`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":1}"}}`}, call,
		},
		"no arguments": {
			[]string{
				`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":""}}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":""}}`,
			}, strings.Replace(call, `{\"a\":1}`, `{}`, 1),
		},
		"arguments of no call": {
			[]string{`{"type":"response.function_call_arguments.delta","output_index":3,"delta":"{}"}`}, ``,
		},
		"a custom tool's call": {
			[]string{`{"type":"response.output_item.done","output_index":0,"item":{"type":"custom_tool_call","call_id":"c","name":"f","input":"x"}}`},
			strings.Replace(call, `{\"a\":1}`, `{\"input\":\"x\"}`, 1),
		},
		"reasoning in sections, and summed up": {
			[]string{
				`{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs","summary":[]}}`,
				`{"type":"response.reasoning_summary_text.delta","output_index":0,"item_id":"rs","summary_index":0,"delta":"a"}`,
				`{"type":"response.reasoning_text.delta","output_index":0,"item_id":"rs","content_index":0,"delta":"long"}`,
				`{"type":"response.reasoning_summary_text.delta","output_index":0,"item_id":"rs","summary_index":1,"delta":"b"}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs","summary":[{"text":"a"},{"text":"b"}],"encrypted_content":"gAAA"}}`,
			},
			`{"id":"rs_ohmroute_1_0","type":"reasoning","summary":[{"type":"summary_text","text":"a\n\nb"}],"encrypted_content":"gAAA"}`,
		},
		"reasoning that comes to nothing": {
			[]string{`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs","summary":[]}}`}, ``,
		},
		"reasoning whose last event is empty": {
			[]string{
				`{"type":"response.reasoning_text.delta","output_index":0,"item_id":"rs","content_index":0,"delta":"hm"}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs","summary":[]}}`,
			},
			`{"id":"rs_ohmroute_1_0","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}`,
		},
		"a refusal": {
			[]string{
				`{"type":"response.refusal.delta","output_index":0,"content_index":0,"delta":"no"}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"refusal","refusal":"no"}]}}`,
			},
			`{"id":"msg_1_0","type":"message","status":"completed","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`,
		},
		"what the client doesn't know, and what is none": {
			[]string{`{"type":"response.web_search_call.completed","output_index":0}`, `{"type":"keepalive"}`, `[DONE]`, `not JSON`}, ``,
		},
	} {
		t.Run(name, func(t *testing.T) {
			stream := responsesSent(slices.Concat([]string{sentCreated}, c.events, []string{sentCompleted})...)
			got := streamed(Responses, Responses, reply(nil), slices.Values([][]byte{stream}))
			if err := checkResponsesStream(got); err != nil {
				t.Errorf("%v\n%s", err, got)
			}
			if output := lastResponse(got).Get("output").Raw; output != "["+c.want+"]" {
				t.Errorf("got\n%s\nwant\n[%s]", output, c.want)
			}
		})
	}
}

func lastResponse(stream []byte) gjson.Result {
	events := slices.Collect(sse.Events(stream))
	return gjson.ParseBytes(events[len(events)-1].Data).Get("response")
}

func TestAStreamWhoseOnlyEventIsTheLastIsWhole(t *testing.T) {
	stream := responsesSent(`{"type":"response.incomplete","response":{"id":"resp_1","model":"m","created_at":7,"status":"incomplete",` +
		`"incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","content":[{"type":"output_text","text":"hel"}]}]}}`)
	got := streamed(Responses, Responses, reply(nil), slices.Values([][]byte{stream}))
	if err := checkResponsesStream(got); err != nil {
		t.Errorf("%v\n%s", err, got)
	}
	if r := lastResponse(got); r.Get("output.0.content.0.text").Str != "hel" || r.Get("incomplete_details.reason").Str != "max_output_tokens" {
		t.Errorf("got %s", r.Raw)
	}
}

// Texts, thoughts and arguments may grow in turns; each event names the item that it is about.
func TestItemsOfAStreamGrowInTurns(t *testing.T) {
	var got []byte
	w := newResponsesWriter(reply(nil))
	for _, ev := range []event{
		{is: began, id: "x", model: "m", created: 1},
		{is: opened, at: 0, block: block{is: callBlock, id: "c", name: "f"}},
		{is: opened, at: 1, block: block{is: callBlock, id: "d", name: "g", signature: signature{Gemini, "sig"}}},
		{is: opened, at: 2, block: block{is: audioBlock}},
		{is: more, at: 1, text: `{"b":`},
		{is: more, at: 2, text: `lost`},
		{is: more, at: 0, text: `{"a":1}`},
		{is: opened, at: 3, block: block{is: textBlock}},
		{is: more, at: 3, text: "and"},
		{is: more, at: 1, text: `2}`},
		{is: closed, at: 1},
		{is: closed, at: 0},
		{is: closed, at: 3},
		{is: finished, finish: finishCalls},
	} {
		got = w.write(got, ev)
	}
	if err := checkResponsesStream(got); err != nil {
		t.Errorf("%v\n%s", err, got)
	}
	want := `[{"id":"fc_x_0","type":"function_call","status":"completed","call_id":"c","name":"f","arguments":"{\"a\":1}"},` +
		`{"id":"rs_ohmroute_x_1","type":"reasoning","summary":[],"encrypted_content":"gemini~ohmroute~call~sig"},` +
		`{"id":"fc_x_2","type":"function_call","status":"completed","call_id":"d","name":"g","arguments":"{\"b\":2}"},` +
		`{"id":"msg_x_3","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"and","annotations":[],"logprobs":[]}]}]`
	if output := lastResponse(got).Get("output").Raw; output != want {
		t.Errorf("got\n%s\nwant\n%s", output, want)
	}
}

// A custom tool is a function for the target, and a custom tool for the client.
func TestCallsOfCustomToolsComeBackAsSuch(t *testing.T) {
	r := reply([]byte(`{"tools":[{"type":"custom","name":"say"},{"type":"function","name":"f"}]}`))
	for name, c := range map[string]struct{ arguments, input string }{
		"a text":                {`{"input":"*** \"a\"\n"}`, "*** \"a\"\n"},
		"nothing":               {``, ""},
		"a text without JSON":   {`*** a`, "*** a"},
		"a text alone":          {`"*** a"`, "*** a"},
		"another object":        {`{"patch":"a"}`, `{"patch":"a"}`},
		"an object and no text": {`{"input":7}`, `{"input":7}`},
	} {
		t.Run(name, func(t *testing.T) {
			events := []event{
				{is: began, id: "x", model: "m", created: 1},
				{is: opened, at: 0, block: block{is: callBlock, id: "c", name: "say"}},
			}
			for _, piece := range strings.SplitAfter(c.arguments, ":") {
				if piece != "" {
					events = append(events, event{is: more, at: 0, text: piece})
				}
			}
			var got []byte
			w := newResponsesWriter(r)
			for _, ev := range append(events, event{is: closed, at: 0}, event{is: finished, finish: finishCalls}) {
				got = w.write(got, ev)
			}
			if err := checkResponsesStream(got); err != nil {
				t.Errorf("%v\n%s", err, got)
			}
			whole := writeResponsesAnswer(&answer{id: "x", blocks: []block{{is: callBlock, id: "c", name: "say", text: c.arguments}}}, r, &notes{})
			for _, item := range []gjson.Result{lastResponse(got).Get("output.0"), gjson.GetBytes(whole, "output.0")} {
				if item.Get("type").Str != "custom_tool_call" || item.Get("input").Str != c.input || !item.Get("input").Exists() {
					t.Errorf("got %s, want the input %q", item.Raw, c.input)
				}
			}
		})
	}
}

// Whatever comes from a target, clients can read what is made of it.
func FuzzResponsesStream(f *testing.F) {
	for _, events := range [][]string{
		{sentCreated, `{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"a"}`, sentCompleted},
		{
			`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f"}}`,
			`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{"}`, sentCompleted,
		},
		{`{"type":"response.output_item.done","output_index":1,"item":{"type":"reasoning","id":"rs","summary":[{"text":"a"}],"encrypted_content":"g"}}`, sentCompleted},
	} {
		f.Add(responsesSent(events...))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		got := streamed(Responses, Responses, reply(nil), slices.Values([][]byte{stream}))
		var kinds []string
		for ev := range sse.Events(got) {
			kinds = append(kinds, string(ev.Type))
			if !gjson.ValidBytes(ev.Data) {
				t.Fatalf("no JSON: %s", ev.Data)
			}
		}
		if len(kinds) > 0 && kinds[0] != "response.created" {
			t.Fatalf("it begins with %s", kinds[0])
		}
	})
}

// A request is read and written, or refused, whatever is in it.
func FuzzResponsesRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","input":"hi","tools":[{"type":"function","name":"f"}],"tool_choice":"auto"}`))
	f.Add([]byte(`{"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AA=="}]}]}`))
	f.Add([]byte(`{"input":[{"type":"function_call","call_id":"c","name":"f","arguments":""},{"type":"function_call_output","call_id":"c","output":[]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if !gjson.ValidBytes(body) {
			return
		}
		tr, err := Request(Responses, Responses, body, Options{Model: "m"})
		if err == nil && !gjson.ValidBytes(tr.Body) {
			t.Fatalf("no JSON: %s", tr.Body)
		}
	})
}
