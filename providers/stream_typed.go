package providers

import (
	"bytes"
	"strings"

	"github.com/ohmroute/ohmroute/sse"
)

// typeOf is the type of an event: its own, or the one that its data names.
func typeOf(ev sse.Event) string {
	if len(ev.Type) > 0 {
		return string(ev.Type)
	}
	c := cursor{text: ev.Data}
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		if string(key) == "type" {
			return string(c.string())
		}
		c.skip()
	}
	return ""
}

// isEmpty tells whether an event's member of that name is the empty string.
func isEmpty(data []byte, member string) bool {
	return bytes.Contains(data, []byte(`"`+member+`":""`)) || bytes.Contains(data, []byte(`"`+member+`": ""`))
}

// readResponseEvent reads an event of a stream of OpenAI's Responses API.
func readResponseEvent(ev sse.Event, e *event) {
	typ := typeOf(ev)
	switch {
	case isDone(ev.Data):
	case strings.HasSuffix(typ, ".delta"):
		filled := !isEmpty(ev.Data, "delta")
		e.ToolCall = filled && strings.Contains(typ, "call")
		e.Refusal = filled && strings.Contains(typ, "refusal")
		e.Text = filled && !e.ToolCall && !e.Refusal
	case typ == "response.completed", typ == "response.incomplete":
		e.done = true
		e.odd = typ == "response.incomplete"
		e.readMember(ev.Data, "response", formResponse)
		e.failed = false // incomplete for a reason of its own, which the classifier looks at
	case typ == "response.failed", typ == "error":
		e.failed, e.odd = true, true
	case typ == "":
		e.odd = true
		e.undecodable = !isJSON(ev.Data)
	case strings.HasSuffix(typ, ".done"), strings.HasSuffix(typ, ".partial_image"):
		e.Text = typ != "response.content_part.done"
	}
}

// readMessageEvent reads an event of a stream of Anthropic's Messages API.
func readMessageEvent(ev sse.Event, e *event) {
	switch typ := typeOf(ev); typ {
	case "content_block_delta":
		e.Text = !isEmpty(ev.Data, "text") && !isEmpty(ev.Data, "thinking")
	case "message_start":
		e.readMember(ev.Data, "message", formMessage)
		e.Content = Content{}
	case "message_delta":
		e.readMember(ev.Data, "", formMessage)
		e.readMember(ev.Data, "delta", formMessage)
		if e.Finish != "" {
			e.finished = 1
		}
	case "message_stop":
		e.done = true
	case "error":
		e.failed, e.odd = true, true
	case "":
		e.odd = true
		e.undecodable = !isJSON(ev.Data)
	}
}

// readMember reads one member of an event's data, or all of it.
func (e *event) readMember(data []byte, name string, f form) {
	c := cursor{text: data}
	if name == "" {
		f.read(&c, &e.answered)
		return
	}
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		if string(key) == name {
			f.read(&c, &e.answered)
		} else {
			c.skip()
		}
	}
}

func isJSON(data []byte) bool {
	c := cursor{text: data}
	c.skip()
	return c.end()
}
