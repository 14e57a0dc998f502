package translate

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// checkResponsesStream tells what is wrong with a stream for a client of the dialect. It asks for all that any of them
// relies on: openai-js pushes items and parts in the order of their indexes and appends deltas to them, the AI SDK
// validates each event, openai-agents takes all from the last event, LangChain goes by indexes, Codex knows one text or
// thought at a time and takes calls from the item's last event.
func checkResponsesStream(stream []byte) error {
	c := responsesCheck{items: map[string]*checkedItem{}}
	var seen strings.Builder
	for ev := range sse.Events(stream) {
		seen.Write(ev.Raw)
		if err := c.event(ev); err != nil {
			return fmt.Errorf("event %d, %s: %w", c.count, ev.Type, err)
		}
		c.count++
	}
	switch {
	case seen.String() != string(stream):
		return fmt.Errorf("the stream ends within an event")
	case !c.ended:
		return fmt.Errorf("the last event doesn't end the response")
	}
	return nil
}

type responsesCheck struct {
	count     int
	id, model string
	created   int64
	items     map[string]*checkedItem
	order     []*checkedItem
	speaking  *checkedItem // the message or the reasoning that began last
	ended     bool
}

type checkedItem struct {
	is     gjson.Result // as it was added
	at     int
	parts  []checkedPart
	text   string // of a call
	whole  bool   // the call's text was told whole
	done   string // JSON
	listed string // the member that holds the parts
}

type checkedPart struct {
	text        string
	told, whole bool
}

// needed are the members of each event beside type and sequence_number, and the types that they have.
var needed = map[string]string{
	"response.created":     "response:{",
	"response.in_progress": "response:{",
	"response.completed":   "response:{",
	"response.incomplete":  "response:{",

	"response.output_item.added": "output_index:0 item:{",
	"response.output_item.done":  "output_index:0 item:{",

	"response.content_part.added": "item_id:s output_index:0 content_index:0 part:{",
	"response.content_part.done":  "item_id:s output_index:0 content_index:0 part:{",
	"response.output_text.delta":  "item_id:s output_index:0 content_index:0 delta:s logprobs:[",
	"response.output_text.done":   "item_id:s output_index:0 content_index:0 text:s logprobs:[",
	"response.refusal.delta":      "item_id:s output_index:0 content_index:0 delta:s",
	"response.refusal.done":       "item_id:s output_index:0 content_index:0 refusal:s",

	"response.reasoning_summary_part.added": "item_id:s output_index:0 summary_index:0 part:{",
	"response.reasoning_summary_part.done":  "item_id:s output_index:0 summary_index:0 part:{",
	"response.reasoning_summary_text.delta": "item_id:s output_index:0 summary_index:0 delta:s",
	"response.reasoning_summary_text.done":  "item_id:s output_index:0 summary_index:0 text:s",

	"response.function_call_arguments.delta": "item_id:s output_index:0 delta:s",
	"response.function_call_arguments.done":  "item_id:s output_index:0 arguments:s",
	"response.custom_tool_call_input.delta":  "item_id:s output_index:0 delta:s",
	"response.custom_tool_call_input.done":   "item_id:s output_index:0 input:s",
}

// neededItems are the members of each type of item.
var neededItems = map[string]string{
	"message":               "id:s status:s role:s content:[",
	"reasoning":             "id:s summary:[",
	"function_call":         "id:s status:s call_id:s name:s arguments:s",
	"custom_tool_call":      "id:s call_id:s name:s input:s",
	"image_generation_call": "id:s status:s",
}

const neededResponse = "id:s object:s created_at:0 status:s background:f error:n model:s output:[ parallel_tool_calls:f " +
	"previous_response_id:n store:f tools:[ metadata:{ truncation:s text:{ reasoning:{"

// members finds what is missing in an object or of a wrong type.
func members(v gjson.Result, names string) error {
	for need := range strings.FieldsSeq(names) {
		name, typ, _ := strings.Cut(need, ":")
		m := v.Get(name)
		ok := false
		switch typ {
		case "s":
			ok = m.Type == gjson.String
		case "0":
			ok = m.Type == gjson.Number
		case "f":
			ok = m.IsBool()
		case "n":
			ok = m.Exists() && m.Type == gjson.Null
		case "{":
			ok = m.IsObject()
		case "[":
			ok = m.IsArray()
		}
		if !ok {
			return fmt.Errorf("%s is missing or of a wrong type: %s", name, v.Raw)
		}
	}
	return nil
}

func (c *responsesCheck) event(ev sse.Event) error {
	data := gjson.ParseBytes(ev.Data)
	typ := data.Get("type").Str
	names, known := needed[typ]
	switch {
	case string(ev.Raw) != "event: "+string(ev.Type)+"\ndata: "+string(ev.Data)+"\n\n":
		return fmt.Errorf("it is not two lines: %q", ev.Raw)
	case !gjson.ValidBytes(ev.Data):
		return fmt.Errorf("no JSON: %s", ev.Data)
	case typ != string(ev.Type):
		return fmt.Errorf("the data's type is %q", typ)
	case !known:
		return fmt.Errorf("clients don't know it")
	case data.Get("sequence_number").Raw != fmt.Sprint(c.count):
		return fmt.Errorf("its sequence_number is %s", data.Get("sequence_number").Raw)
	case c.ended:
		return fmt.Errorf("it comes behind the end")
	}
	if err := members(data, names); err != nil {
		return err
	}
	if r := data.Get("response"); r.Exists() {
		return c.response(typ, r)
	}
	if c.count < 2 {
		return fmt.Errorf("it comes before the response was told to be in progress")
	}
	if item := data.Get("item"); item.Exists() {
		return c.item(typ, data.Get("output_index").Int(), item)
	}
	i := c.items[data.Get("item_id").Str]
	switch {
	case i == nil:
		return fmt.Errorf("there is no item %s", data.Get("item_id").Str)
	case i.done != "":
		return fmt.Errorf("the item is done")
	case data.Get("output_index").Int() != int64(i.at):
		return fmt.Errorf("the item is at %d", i.at)
	case strings.Contains(typ, "call"):
		return i.call(typ, data)
	case data.Get("delta").Exists() && i != c.speaking:
		return fmt.Errorf("item %d speaks now", c.speaking.at)
	}
	return i.part(typ, data)
}

// response checks an event that holds the response.
func (c *responsesCheck) response(typ string, r gjson.Result) error {
	if err := members(r, neededResponse); err != nil {
		return err
	}
	if c.count == 0 {
		c.id, c.model, c.created = r.Get("id").Str, r.Get("model").Str, r.Get("created_at").Int()
	}
	switch {
	case (typ == "response.created") != (c.count == 0), (typ == "response.in_progress") != (c.count == 1):
		return fmt.Errorf("it stands in the wrong place")
	case r.Get("object").Str != "response":
		return fmt.Errorf("the object is %s", r.Get("object").Raw)
	case !strings.HasPrefix(c.id, "resp_") || c.model == "" || c.created == 0:
		return fmt.Errorf("id, model or time are missing: %s", r.Raw)
	case c.id != r.Get("id").Str || c.model != r.Get("model").Str || c.created != r.Get("created_at").Int():
		return fmt.Errorf("id, model or time changed: %s", r.Raw)
	}
	for _, name := range []string{"instructions", "temperature", "top_p", "tool_choice", "incomplete_details"} {
		if !r.Get(name).Exists() {
			return fmt.Errorf("%s is missing", name)
		}
	}
	if c.count < 2 {
		if r.Get("status").Str != "in_progress" || r.Get("output").Raw != "[]" || r.Get("usage").Raw != "null" {
			return fmt.Errorf("it is ahead of its time: %s", r.Raw)
		}
		return nil
	}
	c.ended = true
	return c.end(typ, r)
}

// end checks the event that ends the response.
func (c *responsesCheck) end(typ string, r gjson.Result) error {
	var output []string
	for _, i := range c.order {
		if i.done == "" {
			return fmt.Errorf("item %d is not done", i.at)
		}
		output = append(output, i.done)
	}
	reason := r.Get("incomplete_details.reason").Str
	u := r.Get("usage")
	switch {
	case r.Get("output").Raw != "["+strings.Join(output, ",")+"]":
		return fmt.Errorf("its output is not what was streamed: %s", r.Get("output").Raw)
	case "response."+r.Get("status").Str != typ:
		return fmt.Errorf("the status is %s", r.Get("status").Str)
	case (typ == "response.incomplete") != (reason == "max_output_tokens" || reason == "content_filter"):
		return fmt.Errorf("it is incomplete because of %q", reason)
	case !u.Exists():
		return nil // the target counted nothing
	case u.Get("total_tokens").Int() != u.Get("input_tokens").Int()+u.Get("output_tokens").Int(),
		u.Get("input_tokens").Int() < u.Get("input_tokens_details.cached_tokens").Int():
		return fmt.Errorf("the usage makes no sense: %s", u.Raw)
	}
	return members(u, "input_tokens:0 output_tokens:0 total_tokens:0 input_tokens_details:{ output_tokens_details:{")
}
