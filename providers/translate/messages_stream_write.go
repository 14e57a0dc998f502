package translate

import "slices"

// messagesWriter writes a stream of Anthropic's dialect, in which one block is open at a time. What other blocks say
// meanwhile is kept until their turn has come.
type messagesWriter struct {
	reply Reply

	open    *waitingPart   // the client has its start
	waiting []*waitingPart // in the order in which they were opened
	index   int64          // of the next block that the client gets
	parts   int            // blocks of the answer so far

	calls, refusals bool
	input           *usage // as far as it was known in the beginning
}

// waitingPart is a block that is not told to its end.
type waitingPart struct {
	at        int
	number    int // among the blocks of the answer
	block     block
	text      []byte // said, and not told
	told      bool   // some text was
	signature signature
	whole     bool
}

func newMessagesWriter(r Reply) streamWriter { return &messagesWriter{reply: r} }

func (m *messagesWriter) write(dst []byte, ev event) []byte {
	switch ev.is {
	case began:
		return m.start(dst, &ev)
	case finished:
		return m.finish(dst, &ev)
	case opened:
		m.waiting = append(m.waiting, &waitingPart{at: ev.at, number: m.parts, block: ev.block, signature: ev.block.signature})
		m.parts++
		m.calls = m.calls || ev.block.is == callBlock
		m.refusals = m.refusals || ev.block.is == refusalBlock
	case more:
		if p := m.part(ev.at); p != nil {
			p.text = append(p.text, ev.text...)
		}
	case signed:
		if p := m.part(ev.at); p != nil {
			p.signature = ev.signature
		}
	case closed:
		if p := m.part(ev.at); p != nil {
			p.whole = true
		}
	}
	return m.tell(dst)
}

// part is the block of that number, if it still grows.
func (m *messagesWriter) part(at int) *waitingPart {
	if m.open != nil && m.open.at == at {
		return m.open
	}
	for _, p := range m.waiting {
		if p.at == at {
			return p
		}
	}
	return nil
}

// tell writes all that may be told by now.
func (m *messagesWriter) tell(dst []byte) []byte {
	for {
		if m.open == nil {
			if m.open = m.next(); m.open == nil {
				return dst
			}
			dst = m.openPart(dst, m.open)
		}
		dst = m.grow(dst, m.open)
		if !m.open.whole {
			return dst
		}
		dst = m.closePart(dst, m.open)
		m.open = nil
	}
}

// next takes the first of the waiting blocks that has something to say; nil if there is none.
func (m *messagesWriter) next() *waitingPart {
	for len(m.waiting) > 0 && m.waiting[0].whole && !m.waiting[0].says() {
		m.waiting = m.waiting[1:]
	}
	i := slices.IndexFunc(m.waiting, (*waitingPart).says)
	if i < 0 {
		return nil
	}
	p := m.waiting[i]
	m.waiting = slices.Delete(m.waiting, i, i+1)
	return p
}

// says tells whether there is anything to tell of the block. Of reasoning whose text stays unknown there may be no more
// than a signature, which is known when the block is whole.
func (p *waitingPart) says() bool {
	switch p.block.is {
	case callBlock:
		return true
	case textBlock, refusalBlock:
		return len(p.text) > 0
	case reasoningBlock:
		return len(p.text) > 0 || p.whole && p.signature.text != ""
	}
	return false
}

// redacted tells whether the block is a redacted_thinking.
func (p *waitingPart) redacted() bool {
	_, ok := redacted("", p.signature)
	return ok && !p.told && len(p.text) == 0
}

func (m *messagesWriter) start(dst []byte, ev *event) []byte {
	m.input = ev.usage
	var w writer
	w.begin('{')
	w.textMember("type", "message_start")
	w.object("message")
	w.textMember("id", ev.id)
	w.textMember("type", "message")
	w.textMember("role", "assistant")
	w.textMember("model", ev.model)
	w.array("content")
	w.end(']')
	w.rawMember("stop_reason", "null")
	w.rawMember("stop_sequence", "null")
	w.key("usage")
	w.writeUsage(ev.usage)
	w.end('}')
	w.end('}')
	return frame(dst, "message_start", w.b)
}

// openPart writes the start of a block; a call's signature goes in front of it.
func (m *messagesWriter) openPart(dst []byte, p *waitingPart) []byte {
	if s := p.block.signature; p.block.is == callBlock && s.text != "" {
		w := m.event("content_block_start")
		w.key("content_block")
		w.writeCallSignature(s)
		dst = m.stop(w.frame(dst, "content_block_start"))
	}
	w := m.event("content_block_start")
	w.object("content_block")
	switch {
	case p.block.is == callBlock:
		w.writeCallHead(&p.block, m.reply.callIDOf(&p.block, p.number))
		w.object("input")
		w.end('}')
	case p.block.is != reasoningBlock:
		w.textMember("type", "text")
		w.textMember("text", "")
	case p.redacted():
		w.writeReasoning("", p.signature)
	default:
		w.writeReasoning("", signature{from: Messages})
	}
	w.end('}')
	return w.frame(dst, "content_block_start")
}

// messagesDeltas are the types of deltas and the names of their texts.
var messagesDeltas = map[blockType][2]string{
	textBlock:      {"text_delta", "text"},
	refusalBlock:   {"text_delta", "text"},
	reasoningBlock: {"thinking_delta", "thinking"},
	callBlock:      {"input_json_delta", "partial_json"},
}

// grow writes what was said of the open block and not told yet.
func (m *messagesWriter) grow(dst []byte, p *waitingPart) []byte {
	if len(p.text) == 0 {
		return dst
	}
	names := messagesDeltas[p.block.is]
	dst = m.delta(dst, names[0], names[1], string(p.text))
	p.text, p.told = p.text[:0], true
	return dst
}

func (m *messagesWriter) delta(dst []byte, typ, name, text string) []byte {
	w := m.event("content_block_delta")
	w.object("delta")
	w.textMember("type", typ)
	w.textMember(name, text)
	w.end('}')
	return w.frame(dst, "content_block_delta")
}

func (m *messagesWriter) closePart(dst []byte, p *waitingPart) []byte {
	if p.block.is == reasoningBlock && !p.redacted() {
		dst = m.delta(dst, "signature_delta", "signature", p.signature.orUnsigned().sealed(Messages))
	}
	return m.stop(dst)
}

// stop writes the end of a block.
func (m *messagesWriter) stop(dst []byte) []byte {
	w := m.event("content_block_stop")
	m.index++
	return w.frame(dst, "content_block_stop")
}

// event begins an event of the block whose turn it is.
func (m *messagesWriter) event(typ string) *writer {
	w := &writer{}
	w.begin('{')
	w.textMember("type", typ)
	w.intMember("index", m.index)
	return w
}

// frame ends an event and appends it.
func (w *writer) frame(dst []byte, typ string) []byte {
	w.end('}')
	return frame(dst, typ, w.b)
}

func (m *messagesWriter) finish(dst []byte, ev *event) []byte {
	u := ev.usage
	if u == nil {
		u = m.input
	}
	var w writer
	w.begin('{')
	w.textMember("type", "message_delta")
	w.object("delta")
	w.writeStopReason(ev.finish.told(m.calls, m.refusals), ev.stop)
	w.end('}')
	w.key("usage")
	w.writeUsage(u)
	dst = w.frame(dst, "message_delta")
	return frame(dst, "message_stop", []byte(`{"type":"message_stop"}`))
}
