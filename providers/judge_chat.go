package providers

import (
	"bytes"
	"encoding/json"
)

// readChat reads chat completions and the older completions of OpenAI's dialect.
func readChat(c *cursor, a *answered) {
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "choices":
			for more := c.firstElement(); more; more = c.nextElement() {
				a.listed = true
				a.readChoice(c)
			}
		case "error":
			a.readError(c)
		case "usage":
			a.readUsage(c)
		case "x_groq":
			for inner := c.firstKey(); inner != nil; inner = c.nextKey() {
				if string(inner) == "usage" && !a.counted {
					a.readUsage(c)
				} else {
					c.skip()
				}
			}
		case "base_resp":
			a.readBaseResponse(c)
		default:
			c.skip()
		}
	}
}

// readBaseResponse reads MiniMax's status under 200.
func (a *answered) readBaseResponse(c *cursor) {
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		if string(key) == "status_code" && c.int64() != 0 {
			a.failed = true
		} else if string(key) != "status_code" {
			c.skip()
		}
	}
}

func (a *answered) readChoice(c *cursor) {
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "finish_reason":
			if reason := c.string(); len(reason) > 0 && a.Finish == "" {
				a.Finish = finishName(reason)
			}
		case "message":
			a.readChatMessage(c)
		case "text":
			a.readText(c)
		case "error":
			a.readError(c)
		default:
			c.skip()
		}
	}
}

func (a *answered) readChatMessage(c *cursor) {
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "content", "reasoning_content", "reasoning", "thinking":
			a.readText(c)
		case "refusal":
			if len(c.string()) > 0 {
				a.Refusal = true
			}
		case "tool_calls":
			for more := c.firstElement(); more; more = c.nextElement() {
				a.ToolCall = true
				a.readToolCall(c)
			}
		case "function_call":
			if c.peek() == '{' {
				a.ToolCall = true
				a.readFunction(c)
				continue
			}
			c.skip()
		case "audio", "images":
			if b := c.peek(); b == '{' || b == '[' {
				a.Text = len(c.skipped()) > len("{}") || a.Text // skipped in any case
				continue
			}
			c.skip()
		default:
			c.skip()
		}
	}
}

// readText takes note of text that isn't empty: a string, or a list of parts.
func (a *answered) readText(c *cursor) {
	switch c.peek() {
	case '"':
		if len(c.string()) > 0 {
			a.Text = true
		}
	case '[':
		for more := c.firstElement(); more; more = c.nextElement() {
			a.readPart(c)
		}
	default:
		c.skip()
	}
}

// readPart reads one part of a message's content. A part that isn't text is content whatever it holds.
func (a *answered) readPart(c *cursor) {
	var refusal, other bool
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "type":
			typ := c.string()
			refusal = string(typ) == "refusal"
			other = string(typ) != "text" && string(typ) != "output_text"
		case "text":
			if len(c.string()) > 0 {
				a.Text = true
			}
		default:
			c.skip()
		}
	}
	a.Refusal = a.Refusal || refusal
	a.Text = a.Text || other && !refusal
}

func (a *answered) readToolCall(c *cursor) {
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		if string(key) == "function" {
			a.readFunction(c)
		} else {
			c.skip()
		}
	}
}

func (a *answered) readFunction(c *cursor) {
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		if string(key) == "arguments" {
			a.readArguments(c)
		} else {
			c.skip()
		}
	}
}

// readArguments checks that a tool call's arguments are JSON. An empty or a blank string stands for an empty object.
func (a *answered) readArguments(c *cursor) {
	if c.peek() != '"' {
		c.skip()
		return
	}
	quoted := c.skipped()
	if c.bad || len(quoted) <= len(`""`) {
		return
	}
	arguments := cursor{text: quoted[1 : len(quoted)-1]}
	if bytes.IndexByte(arguments.text, '\\') >= 0 {
		var unquoted string
		if json.Unmarshal(quoted, &unquoted) != nil {
			a.BrokenCall = true
			return
		}
		arguments.text = []byte(unquoted)
	}
	if arguments.end() {
		return
	}
	arguments.skip()
	a.BrokenCall = a.BrokenCall || !arguments.end()
}
