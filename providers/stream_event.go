package providers

import (
	"bytes"

	"github.com/ohmroute/ohmroute/sse"
)

// event is what a reader found in one event of a stream.
type event struct {
	answered
	finished    uint64 // choices with a finish reason, by index
	done        bool   // the protocol's own end
	odd         bool   // none of the events that a good stream consists of: it may be an error
	undecodable bool

	varying [mostVarying]span // strings of the data that change from event to event, in their order
	strings int
	texts   uint8 // which of them are content, a bit each
}

func (e *event) hasContent() bool { return e.Text || e.ToolCall || e.Refusal }

// vary reads a string that changes from event to event.
func (e *event) vary(c *cursor, isText bool) {
	if c.peek() != '"' {
		if isText {
			e.readText(c)
		} else {
			c.skip()
		}
		return
	}
	from := c.at + 1
	value := c.string()
	e.Text = e.Text || isText && len(value) > 0
	if e.strings < mostVarying {
		e.varying[e.strings] = span{from, from + len(value)}
		if isText {
			e.texts |= 1 << e.strings
		}
	}
	e.strings++
}

// dialect is in which events an endpoint streams.
type dialect uint8

const (
	dialectOther     dialect = iota // any event is content
	dialectChat                     // chat completions and the older completions
	dialectResponses                // OpenAI's Responses
	dialectMessages                 // Anthropic's Messages
	dialectGemini                   // Gemini's generateContent
)

func dialectOf(e Endpoint) dialect {
	switch e {
	case Chat, Completions:
		return dialectChat
	case Responses:
		return dialectResponses
	case Messages:
		return dialectMessages
	case GenerateContent:
		return dialectGemini
	default:
		return dialectOther
	}
}

// read calls the readers by name, so that the event stays off the heap.
func (d dialect) read(ev sse.Event, e *event) {
	switch d {
	case dialectChat:
		readChunk(ev, e)
	case dialectResponses:
		readResponseEvent(ev, e)
	case dialectMessages:
		readMessageEvent(ev, e)
	case dialectGemini:
		readGeminiChunk(ev, e)
	default:
		e.done = isDone(ev.Data)
		e.Text = !e.done
		e.finished = 1
	}
}

// closing is the event that says a stream's end; empty for dialects whose last event can't be made up.
func (d dialect) closing() string {
	switch d {
	case dialectChat:
		return "data: [DONE]\n\n"
	case dialectMessages:
		return "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	default:
		return ""
	}
}

// closes tells whether the rest of a stream is its last event but for the blank line that ends it.
func (d dialect) closes(rest []byte) bool {
	for ev := range sse.Events(append(bytes.Clone(rest), "\n\n"...)) {
		var e event
		d.read(ev, &e)
		switch d {
		case dialectChat:
			return e.done
		case dialectGemini: // which has no other end
			return e.finished != 0 && !e.undecodable
		default:
			return e.done && isJSON(ev.Data)
		}
	}
	return false
}

func isDone(data []byte) bool {
	return len(data) > 0 && data[0] == '[' && string(bytes.TrimRight(data, " ")) == "[DONE]"
}
