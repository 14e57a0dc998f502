package translate

import (
	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// messagesReader reads a stream of Anthropic's dialect.
type messagesReader struct {
	usage   messagesUsage
	counted bool
	finish  finish
	stop    string
	why     string // the model refuses, as far as Anthropic explains it

	opened  int                    // blocks, of those that can be told
	growing map[int64]*messagePart // by the index that Anthropic gives
}

// messagePart is a block that is being streamed.
type messagePart struct {
	at        int
	input     string // of a call: what its start said, in case that nothing follows
	signature signature
	grown     bool
}

func newMessagesReader() streamReader { return &messagesReader{growing: map[int64]*messagePart{}} }

// messagesEvents read the types of events. Others say nothing that could be told.
var messagesEvents = map[string]func(r *messagesReader, v gjson.Result, said []event) []event{
	"message_start":       (*messagesReader).start,
	"content_block_start": (*messagesReader).open,
	"content_block_delta": (*messagesReader).grow,
	"content_block_stop":  (*messagesReader).close,
	"message_delta":       (*messagesReader).change,
	"message_stop":        (*messagesReader).end,
}

func (r *messagesReader) read(ev sse.Event, said []event) []event {
	v := gjson.ParseBytes(ev.Data)
	typ := v.Get("type").Str
	if typ == "" {
		typ = string(ev.Type)
	}
	if read, known := messagesEvents[typ]; known {
		return read(r, v, said)
	}
	return said
}

func (r *messagesReader) start(v gjson.Result, said []event) []event {
	m := v.Get("message")
	ev := event{is: began, id: m.Get("id").Str, model: m.Get("model").Str}
	if u := m.Get("usage"); u.IsObject() {
		r.usage.read(u)
		r.counted = true
		ev.usage = r.usage.usage()
	}
	return append(said, ev)
}

func (r *messagesReader) open(v gjson.Result, said []event) []event {
	b, known := readMessagesPart(v.Get("content_block"))
	if !known {
		return said
	}
	part := &messagePart{at: r.opened, signature: b.signature}
	r.growing[v.Get("index").Int()] = part
	r.opened++
	text := b.text
	if b.is == callBlock {
		part.input, text = text, ""
	}
	b.text, b.signature = "", signature{}
	said = append(said, event{is: opened, at: part.at, block: b})
	return part.more(text, said)
}

// more says that the block has grown.
func (p *messagePart) more(text string, said []event) []event {
	if text == "" {
		return said
	}
	p.grown = true
	return append(said, event{is: more, at: p.at, text: text})
}

func (r *messagesReader) grow(v gjson.Result, said []event) []event {
	part, known := r.growing[v.Get("index").Int()]
	if !known {
		return said
	}
	switch delta := v.Get("delta"); delta.Get("type").Str {
	case "text_delta":
		return part.more(delta.Get("text").Str, said)
	case "thinking_delta":
		return part.more(delta.Get("thinking").Str, said)
	case "input_json_delta":
		return part.more(delta.Get("partial_json").Str, said)
	case "signature_delta":
		s := unsealed(delta.Get("signature").Str, Messages)
		part.signature = signature{s.from, part.signature.text + s.text}
	}
	return said
}

func (r *messagesReader) close(v gjson.Result, said []event) []event {
	index := v.Get("index").Int()
	part, known := r.growing[index]
	if !known {
		return said
	}
	delete(r.growing, index)
	if !part.grown {
		said = part.more(part.input, said)
	}
	if part.signature.text != "" {
		said = append(said, event{is: signed, at: part.at, signature: part.signature})
	}
	return append(said, event{is: closed, at: part.at})
}

// change reads what is known in the end only. Some hosts tell it in several events.
func (r *messagesReader) change(v gjson.Result, said []event) []event {
	delta := v.Get("delta")
	if f, known := messagesFinish[delta.Get("stop_reason").Str]; known {
		r.finish = f
	}
	if stop := delta.Get("stop_sequence").Str; stop != "" {
		r.stop = stop
	}
	if why := delta.Get("stop_details.explanation").Str; why != "" {
		r.why = why
	}
	if u := v.Get("usage"); u.IsObject() {
		r.usage.read(u)
		r.counted = true
	}
	return said
}

func (r *messagesReader) end(_ gjson.Result, said []event) []event {
	if r.why != "" {
		said = append(said,
			event{is: opened, at: r.opened, block: block{is: refusalBlock}},
			event{is: more, at: r.opened, text: r.why},
			event{is: closed, at: r.opened})
	}
	ev := event{is: finished, finish: r.finish, stop: r.stop}
	if r.counted {
		ev.usage = r.usage.usage()
	}
	return append(said, ev)
}
