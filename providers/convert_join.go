package providers

import (
	"cmp"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// joinChunks makes one whole answer of a stream that was judged good. It is false for streams that can't be joined.
func joinChunks(e Endpoint, body []byte) ([]byte, bool) {
	switch e {
	case Chat, Completions:
		return joinChat(e, body)
	case Responses:
		return lastResponse(body)
	default:
		return nil, false
	}
}

// lastResponse takes the response out of the event that ends its stream.
func lastResponse(body []byte) ([]byte, bool) {
	for ev := range sse.Events(sse.TrimBOM(body)) {
		var e event
		if readResponseEvent(ev, &e); e.done {
			response := gjson.GetBytes(ev.Data, "response")
			return []byte(response.Raw), response.IsObject()
		}
	}
	return nil, false
}

func joinChat(e Endpoint, body []byte) ([]byte, bool) {
	var answer joint
	choices := map[int64]*joint{}
	for ev := range sse.Events(sse.TrimBOM(body)) {
		if isDone(ev.Data) {
			break
		}
		gjson.ParseBytes(ev.Data).ForEach(func(key, value gjson.Result) bool {
			switch key.Str {
			case "choices":
				for _, choice := range value.Array() {
					joinChoice(choices, choice)
				}
			case "obfuscation", "error":
			default:
				answer.member(key).replace(value)
			}
			return true
		})
	}
	if e == Chat {
		answer.member(gjson.Parse(`"object"`)).replace(gjson.Parse(`"chat.completion"`))
	}
	list := answer.member(gjson.Parse(`"choices"`))
	list.kind = '['
	for _, choice := range choices {
		list.items = append(list.items, choice)
	}
	slices.SortFunc(list.items, func(a, b *joint) int { return cmp.Compare(a.index, b.index) })
	return answer.append(nil), len(choices) > 0
}

func joinChoice(choices map[int64]*joint, choice gjson.Result) {
	index := choice.Get("index").Int()
	joined := choices[index]
	if joined == nil {
		joined = &joint{index: index}
		choices[index] = joined
	}
	choice.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "delta", "message":
			joined.member(gjson.Parse(`"message"`)).merge("", value)
		case "finish_reason":
			joined.member(key).replace(value)
		default:
			joined.member(key).merge(key.Str, value)
		}
		return true
	})
}

// joint is a JSON value that is put together from those of many events. Strings grow as they are spelled, objects
// are merged member by member, lists become longer, and of anything else the last value counts.
type joint struct {
	kind  byte   // of the value: '{', '[', '"', or 0 for what is only replaced
	raw   []byte // as it is spelled, unless it is an object or a list
	names []string
	under map[string]*joint // the members by their names, which keep the order in which they were first seen
	items []*joint
	index int64 // of a choice or a tool call
	call  bool  // a tool call, whose index is told in streams only
}

func (j *joint) member(key gjson.Result) *joint {
	m := j.under[key.Raw]
	if m == nil {
		m = &joint{}
		if j.under == nil {
			j.kind, j.under = '{', map[string]*joint{}
		}
		j.under[key.Raw] = m
		j.names = append(j.names, key.Raw)
	}
	return m
}

// replace takes a value instead of the one before, unless there is nothing in it.
func (j *joint) replace(v gjson.Result) {
	if v.Type != gjson.Null || j.raw == nil {
		*j = joint{raw: []byte(v.Raw), index: j.index}
	}
}

// merge adds a value that came under a name.
func (j *joint) merge(name string, v gjson.Result) {
	switch {
	case v.IsObject() && (j.kind == '{' || j.kind == 0):
		j.kind = '{'
		v.ForEach(func(key, value gjson.Result) bool {
			j.member(key).merge(key.Str, value)
			return true
		})
	case v.IsArray() && (j.kind == '[' || j.kind == 0):
		j.kind = '['
		for _, item := range v.Array() {
			j.item(name, item).merge("", item)
		}
	case v.Type == gjson.String && j.kind == '"' && !said[name]:
		j.raw = append(j.raw[:len(j.raw)-1], v.Raw[1:]...)
	default:
		j.replace(v)
		if v.Type == gjson.String {
			j.kind = '"'
		}
	}
}

// said are strings that are said once, or over and over, but never in pieces.
var said = map[string]bool{"role": true, "id": true, "type": true, "name": true}

// item finds the part of a list that an item belongs to. Only tool calls are told in pieces, by their index; one
// without an index, or with another id, is a call of its own.
func (j *joint) item(name string, v gjson.Result) *joint {
	index := v.Get("index")
	if name == "tool_calls" && index.Exists() {
		id := v.Get("id").Raw
		for _, other := range slices.Backward(j.items) {
			if other.index != index.Int() {
				continue
			}
			if before := other.under[`"id"`]; before == nil || len(id) <= len(`""`) || string(before.raw) == id {
				return other
			}
			break
		}
	}
	item := &joint{index: index.Int(), call: name == "tool_calls"}
	j.items = append(j.items, item)
	return item
}

// append writes the value.
func (j *joint) append(b []byte) []byte {
	switch j.kind {
	case '{':
		open := len(b)
		for _, name := range j.names {
			if !j.call || name != `"index"` {
				b = j.under[name].append(append(append(append(b, ','), name...), ':'))
			}
		}
		if len(b) == open {
			return append(b, "{}"...)
		}
		b[open] = '{'
		return append(b, '}')
	case '[':
		b = append(b, '[')
		for i, item := range j.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.append(b)
		}
		return append(b, ']')
	default:
		return append(b, j.raw...)
	}
}
