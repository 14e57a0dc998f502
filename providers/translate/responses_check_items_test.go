package translate

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// item checks an event that holds an item.
func (c *responsesCheck) item(typ string, at int64, item gjson.Result) error {
	kind := item.Get("type").Str
	names, known := neededItems[kind]
	if !known {
		return fmt.Errorf("clients don't know items of type %q", kind)
	}
	if err := members(item, names); err != nil {
		return err
	}
	if typ == "response.output_item.done" {
		return c.itemDone(at, item)
	}
	id := item.Get("id").Str
	speaks := kind == "message" || kind == "reasoning" && !item.Get("encrypted_content").Exists() // which is a call's signature
	switch {
	case at != int64(len(c.order)):
		return fmt.Errorf("its index is %d, and %d items came before it", at, len(c.order))
	case id == "" || c.items[id] != nil || len(id) > 64:
		return fmt.Errorf("the id %q is missing, long or taken", id)
	case item.Get("status").Exists() && item.Get("status").Str != "in_progress":
		return fmt.Errorf("it begins with the status %s", item.Get("status").Str)
	case item.Get("content.0").Exists(), item.Get("summary.0").Exists(),
		item.Get("arguments").Str != "", item.Get("input").Str != "":
		return fmt.Errorf("it begins with content: %s", item.Raw)
	}
	i := &checkedItem{is: item, at: int(at), listed: map[string]string{"message": "content", "reasoning": "summary"}[kind]}
	if speaks {
		c.speaking = i
	}
	c.items[id] = i
	c.order = append(c.order, i)
	return nil
}

func (c *responsesCheck) itemDone(at int64, item gjson.Result) error {
	i := c.items[item.Get("id").Str]
	switch {
	case i == nil || i.done != "" || int64(i.at) != at:
		return fmt.Errorf("no such item is open at %d: %s", at, item.Raw)
	case i.is.Get("type").Str != item.Get("type").Str || i.is.Get("name").Str != item.Get("name").Str,
		i.is.Get("call_id").Str != item.Get("call_id").Str:
		return fmt.Errorf("it changed: %s", item.Raw)
	case item.Get("type").Str == "message" && item.Get("role").Str != "assistant":
		return fmt.Errorf("its role is %s", item.Get("role").Raw)
	}
	i.done = item.Raw
	if status := item.Get("status"); status.Exists() && status.Str != "completed" && status.Str != "incomplete" {
		return fmt.Errorf("its status is %s", status.Str)
	}
	switch {
	case i.listed != "":
		return i.listDone(item.Get(i.listed).Array())
	case item.Get("call_id").Exists():
		return i.callDone(item)
	}
	return nil
}

func (i *checkedItem) listDone(parts []gjson.Result) error {
	if len(parts) != len(i.parts) {
		return fmt.Errorf("it has %d parts, %d were streamed", len(parts), len(i.parts))
	}
	for n, p := range parts {
		if !i.parts[n].whole || partText(p) != i.parts[n].text {
			return fmt.Errorf("part %d is not what was streamed: %s", n, p.Raw)
		}
	}
	return nil
}

func (i *checkedItem) callDone(item gjson.Result) error {
	text := item.Get("arguments").Str + item.Get("input").Str
	switch {
	case !i.whole || text != i.text:
		return fmt.Errorf("its arguments are not what was streamed: %s", item.Raw)
	case item.Get("call_id").Str == "" || item.Get("name").Str == "":
		return fmt.Errorf("its name or its id is missing: %s", item.Raw)
	case item.Get("type").Str == "function_call" && item.Get("status").Str == "completed" && !gjson.Valid(text):
		return fmt.Errorf("its arguments are no JSON: %s", item.Raw)
	}
	return nil
}

// call checks an event about a call's arguments or input.
func (i *checkedItem) call(typ string, data gjson.Result) error {
	member := "arguments"
	if strings.Contains(typ, "custom") {
		member = "input"
	}
	delta := data.Get("delta")
	switch {
	case !i.is.Get(member).Exists():
		return fmt.Errorf("it belongs to another type of item than %s", i.is.Get("type").Str)
	case i.whole:
		return fmt.Errorf("the call was told whole before")
	case delta.Exists() && delta.Str == "":
		return fmt.Errorf("an empty delta")
	case delta.Exists():
		i.text += delta.Str
		return nil
	case data.Get(member).Str != i.text:
		return fmt.Errorf("the deltas say %q, the end says %q", i.text, data.Get(member).Str)
	}
	i.whole = true
	return nil
}

// partText is the text of a part, of whatever type.
func partText(p gjson.Result) string { return p.Get("text").Str + p.Get("refusal").Str }

// part checks an event about a part of a message or of a summary.
func (i *checkedItem) part(typ string, data gjson.Result) error {
	at := data.Get("content_index").Int() + data.Get("summary_index").Int()
	if (i.listed == "summary") != data.Get("summary_index").Exists() {
		return fmt.Errorf("it belongs to another type of item than %s", i.is.Get("type").Str)
	}
	if strings.HasSuffix(typ, "part.added") {
		if at != int64(len(i.parts)) || partText(data.Get("part")) != "" {
			return fmt.Errorf("it is no new part: %s", data.Raw)
		}
		i.parts = append(i.parts, checkedPart{})
		return members(data.Get("part"), "type:s")
	}
	if at >= int64(len(i.parts)) {
		return fmt.Errorf("there is no part %d", at)
	}
	p := &i.parts[at]
	delta := data.Get("delta")
	switch {
	case p.whole:
		return fmt.Errorf("the part is done")
	case delta.Exists() && (p.told || delta.Str == ""):
		return fmt.Errorf("a delta behind the text's end, or an empty one")
	case delta.Exists():
		p.text += delta.Str
	case data.Get("part").Exists():
		p.whole = true
		if !p.told || partText(data.Get("part")) != p.text {
			return fmt.Errorf("the part is not what was streamed: %s", data.Raw)
		}
	case p.told || partText(data) != p.text:
		return fmt.Errorf("the text is not what was streamed: %s", data.Raw)
	default:
		p.told = true
	}
	return nil
}
