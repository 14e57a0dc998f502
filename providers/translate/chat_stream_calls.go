package translate

import "github.com/tidwall/gjson"

// chatCalling is a tool call of a stream.
type chatCalling struct {
	at      int // which block
	index   int64
	indexed bool // the host gave the index
	id      string
	progress
}

// call reads a piece of a tool call. It belongs to the call of its index; without one, to the call of its id, or to the
// last call if it says no more than arguments. A piece that names a function under another id, or without one behind a call
// that is whole, is another call, whatever its index: some hosts send all of them under index 0.
func (r *chatReader) call(v gjson.Result, said []event) []event {
	index, id, name := v.Get("index"), v.Get("id").String(), v.Get("function.name").String()
	c := r.calling(index, id)
	if c == nil || name != "" && (id != "" && id != c.id || id == "" && (index.Type == gjson.Null || c.whole)) {
		b := block{is: callBlock, id: id, name: name, signature: unsealed(v.Get(chatCallSignature).String(), Chat)}
		said = r.opened(b, r.close(said))
		r.calls = append(r.calls, chatCalling{
			at: r.blocks - 1, index: index.Int(), indexed: index.Type == gjson.Number, id: id,
		})
		c = &r.calls[len(r.calls)-1]
	}
	return c.argue(chatArgumentText(v.Get("function.arguments")), said)
}

// calling is the call that a piece belongs to by what it says of itself.
func (r *chatReader) calling(index gjson.Result, id string) *chatCalling {
	for i := len(r.calls) - 1; i >= 0; i-- {
		c := &r.calls[i]
		if index.Type == gjson.Number && c.indexed {
			if c.index == index.Int() {
				return c
			}
		} else if id == "" || id == c.id {
			return c
		}
	}
	return nil
}

// functionCall reads a piece of the older form, which has one call.
func (r *chatReader) functionCall(v gjson.Result, said []event) []event {
	if !r.function {
		r.function = true
		said = r.opened(block{is: callBlock, name: v.Get("name").String()}, r.close(said))
		r.calls = append(r.calls, chatCalling{at: r.blocks - 1})
	}
	return r.calls[len(r.calls)-1].argue(chatArgumentText(v.Get("arguments")), said)
}

// argue adds a piece of the arguments, and closes the call when they are whole.
func (c *chatCalling) argue(text string, said []event) []event {
	if text == "" || c.whole {
		return said
	}
	said = append(said, event{is: more, at: c.at, text: text})
	if c.take(text); c.whole {
		said = append(said, event{is: closed, at: c.at})
	}
	return said
}

// progress tells when a JSON object that comes in pieces is whole.
type progress struct {
	depth   int
	quoted  bool // within a string
	escaped bool // behind a backslash
	whole   bool
}

func (p *progress) take(piece string) {
	for i := range len(piece) {
		switch b := piece[i]; {
		case p.escaped:
			p.escaped = false
		case p.quoted:
			p.escaped, p.quoted = b == '\\', b != '"'
		case b == '"':
			p.quoted = true
		case b == '{' || b == '[':
			p.depth++
		case b == '}' || b == ']':
			p.depth--
			p.whole = p.whole || p.depth == 0
		}
	}
}
