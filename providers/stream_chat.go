package providers

import "github.com/ohmroute/ohmroute/sse"

// readChunk reads an event of a chat completion's stream, or of the older completions.
func readChunk(ev sse.Event, e *event) {
	if isDone(ev.Data) {
		e.done = true
		return
	}
	c := cursor{text: ev.Data}
	if c.peek() != '{' {
		e.undecodable, e.odd = true, true
		return
	}
	choices := false
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "choices":
			choices = true
			for more := c.firstElement(); more; more = c.nextElement() {
				e.listed = true
				e.readChunkChoice(&c)
			}
		case "error":
			e.readError(&c)
		case "usage":
			e.readUsage(&c)
		case "x_groq":
			e.readGroq(&c)
		case "base_resp":
			e.readBaseResponse(&c)
		case "obfuscation":
			e.vary(&c, false)
		default:
			c.skip()
		}
	}
	e.undecodable = !c.end()
	e.odd = !choices || string(ev.Type) == "error"
}

// readGroq reads the usage that Groq puts beside the chunk, if the chunk has none.
func (e *event) readGroq(c *cursor) {
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch {
		case string(key) == "usage" && !e.counted:
			e.readUsage(c)
		case string(key) == "error":
			e.readError(c)
		default:
			c.skip()
		}
	}
}

func (e *event) readChunkChoice(c *cursor) {
	index, finished := int64(0), false
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "index":
			index = c.int64()
		case "delta":
			e.readDelta(c)
		case "message":
			e.readChatMessage(c)
		case "text":
			e.vary(c, true)
		case "finish_reason":
			if reason := c.string(); len(reason) > 0 {
				finished = true
				if e.Finish == "" {
					e.Finish = finishName(reason)
				}
			}
		case "error":
			e.readError(c)
		default:
			c.skip()
		}
	}
	if finished {
		e.finished |= 1 << (index & 63)
	}
}

// readDelta reads what an event adds to a message.
func (e *event) readDelta(c *cursor) {
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "content", "reasoning_content", "reasoning", "thinking":
			e.vary(c, true)
		case "refusal":
			e.Refusal = len(c.string()) > 0 || e.Refusal
		case "tool_calls":
			e.ToolCall = holds(c) || e.ToolCall
		case "function_call":
			e.ToolCall = c.peek() == '{' || e.ToolCall
			c.skip()
		case "audio", "images", "reasoning_details":
			e.Text = holds(c) || e.Text
		default:
			c.skip()
		}
	}
}

// holds tells whether the next value is an array or object with something in it.
func holds(c *cursor) bool {
	first := c.peek()
	value := c.skipped()
	return (first == '[' || first == '{') && len(value) > len("[]")
}
