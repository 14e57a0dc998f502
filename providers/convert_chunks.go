package providers

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/tidwall/gjson"
)

// chunksOf turns a whole answer into the stream that was asked for: one event with all that each choice says, one
// with its finish reason, the usage if the client wants it, and the end. What stands in the answer is taken over as
// it is spelled. It is false for endpoints whose streams are more than pieces of the answer.
func chunksOf(e Endpoint, body []byte, includeUsage bool) ([]byte, bool) {
	if e != Chat && e != Completions {
		return nil, false
	}
	var compact bytes.Buffer // one line for each event
	if json.Compact(&compact, trimBlank(body)) != nil {
		return nil, false
	}
	answer := gjson.ParseBytes(compact.Bytes())
	head := chunkHead(e, answer)
	choices := answer.Get("choices").Array()

	var out bytes.Buffer
	event := func(choices []byte, usage string) {
		out.WriteString("data: {")
		out.Write(head)
		out.WriteString(`"choices":[`)
		out.Write(choices)
		out.WriteByte(']')
		if usage != "" {
			out.WriteString(`,"usage":` + usage)
		}
		out.WriteString("}\n\n")
	}
	var said, finished []byte
	for i, choice := range choices {
		if i > 0 {
			said, finished = append(said, ','), append(finished, ',')
		}
		said = appendSaid(said, e, choice)
		finished = appendFinish(finished, e, choice)
	}
	event(said, "")
	event(finished, "")
	if usage := answer.Get("usage"); includeUsage && usage.IsObject() {
		event(nil, usage.Raw)
	}
	out.WriteString(dialectChat.closing())
	return out.Bytes(), true
}

// chunkHead writes the members that all chunks of an answer share.
func chunkHead(e Endpoint, answer gjson.Result) []byte {
	var head []byte
	answer.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "choices", "usage", "error":
			return true
		case "object":
			if e == Chat {
				head = append(head, `"object":"chat.completion.chunk",`...)
				return true
			}
		}
		head = append(append(append(append(head, key.Raw...), ':'), value.Raw...), ',')
		return true
	})
	return head
}

// appendSaid writes a choice with its content and without its finish reason.
func appendSaid(b []byte, e Endpoint, choice gjson.Result) []byte {
	b = append(b, '{')
	choice.ForEach(func(key, value gjson.Result) bool {
		switch {
		case key.Str == "finish_reason":
			return true
		case key.Str == "message" && e == Chat:
			b = append(appendDelta(append(b, `"delta":`...), value), ',')
		default:
			b = append(append(append(append(b, key.Raw...), ':'), value.Raw...), ',')
		}
		return true
	})
	return append(b, `"finish_reason":null}`...)
}

// appendDelta writes a message as a delta: tool calls are numbered.
func appendDelta(b []byte, message gjson.Result) []byte {
	b = append(b, '{')
	first := true
	message.ForEach(func(key, value gjson.Result) bool {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(append(b, key.Raw...), ':')
		if key.Str == "tool_calls" && value.IsArray() {
			b = appendCalls(b, value)
		} else {
			b = append(b, value.Raw...)
		}
		return true
	})
	return append(b, '}')
}

func appendCalls(b []byte, calls gjson.Result) []byte {
	b = append(b, '[')
	for i, call := range calls.Array() {
		if i > 0 {
			b = append(b, ',')
		}
		if !call.IsObject() || call.Get("index").Exists() {
			b = append(b, call.Raw...)
			continue
		}
		b = append(strconv.AppendInt(append(b, `{"index":`...), int64(i), 10), ',')
		b = append(b, call.Raw[1:]...)
	}
	return append(b, ']')
}

func appendFinish(b []byte, e Endpoint, choice gjson.Result) []byte {
	reason := choice.Get("finish_reason").Raw
	if reason == "" {
		reason = "null"
	}
	b = append(strconv.AppendInt(append(b, `{"index":`...), choice.Get("index").Int(), 10), `,`...)
	if e == Chat {
		b = append(b, `"delta":{},`...)
	} else {
		b = append(b, `"text":"",`...)
	}
	return append(append(append(b, `"finish_reason":`...), reason...), '}')
}
