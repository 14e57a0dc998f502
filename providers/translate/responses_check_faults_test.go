package translate

import (
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/sse"
)

// A checker that lets everything pass holds nothing: each of these streams is one step away from a good one.
func TestTheCheckerOfResponsesStreamsFindsFaults(t *testing.T) {
	w := newResponsesWriter(reply(nil))
	var good []byte
	for _, ev := range []event{
		{is: began, id: "x", model: "m", created: 1},
		{is: opened, at: 0, block: block{is: reasoningBlock}},
		{is: more, at: 0, text: "hm"},
		{is: closed, at: 0},
		{is: opened, at: 1, block: block{is: textBlock}},
		{is: more, at: 1, text: "one"},
		{is: more, at: 1, text: "two"},
		{is: closed, at: 1},
		{is: opened, at: 2, block: block{is: callBlock, id: "c", name: "f"}},
		{is: more, at: 2, text: `{"a":1}`},
		{is: closed, at: 2},
		{is: finished, finish: finishStop, usage: &usage{input: 2, output: 3}},
	} {
		good = w.write(good, ev)
	}
	if err := checkResponsesStream(good); err != nil {
		t.Fatalf("%v\n%s", err, good)
	}
	for name, c := range map[string]struct{ old, new string }{
		"another name":            {"event: response.output_text.delta", "event: response.text.delta"},
		"a number twice":          {`"sequence_number":5`, `"sequence_number":4`},
		"an index too far":        {`"output_index":1,"item":{`, `"output_index":3,"item":{`},
		"another delta":           {`"delta":"two"`, `"delta":"tow"`},
		"an empty delta":          {`"delta":"two"`, `"delta":""`},
		"another whole text":      {`"text":"onetwo","logprobs":[]}` + "\n\nevent: response.content_part.done", `"text":"one","logprobs":[]}` + "\n\nevent: response.content_part.done"},
		"other arguments":         {`"arguments":"{\"a\":1}"}`, `"arguments":"{}"}`},
		"no usage":                {`"usage":{`, `"usage":null,"x":{`},
		"a usage out of thin air": {`"total_tokens":5`, `"total_tokens":7`},
		"another id":              {`"item_id":"msg_x_1","output_index":1,"content_index":0,"delta":"two"`, `"item_id":"msg_y","output_index":1,"content_index":0,"delta":"two"`},
		"no summary part":         {`"summary":[{"type":"summary_text","text":"hm"}]`, `"summary":[]`},
		"a broken status":         {`"status":"completed","call_id"`, `"status":"done","call_id"`},
		"another call id":         {`"call_id":"c","name":"f","arguments":"{`, `"call_id":"d","name":"f","arguments":"{`},
		"the end twice":           {"", "event: response.completed\ndata: {}\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(string(good), c.old, c.new, 1)
			if c.old == "" {
				bad = string(good) + c.new
			}
			if bad == string(good) {
				t.Fatal("nothing was changed")
			}
			if checkResponsesStream([]byte(bad)) == nil {
				t.Errorf("it finds nothing in\n%s", bad)
			}
		})
	}
	t.Run("cut", func(t *testing.T) {
		for ev := range sse.Events(good) {
			for _, n := range []int{len(good) - len(ev.Raw), len(ev.Raw), len(good) - 1} {
				if checkResponsesStream(good[:n]) == nil {
					t.Fatalf("it finds nothing in the first %d bytes", n)
				}
			}
		}
	})
}
