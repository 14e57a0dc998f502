package translate

// chatWriter writes a chat's stream: the role first, then what the model says, then one finish reason, the usage if the
// client asked for it, and the end.
type chatWriter struct {
	reply     Reply
	functions bool // the client knows no tools
	head      []byte
	open      map[int]*chatOpen
	calls     int
	images    int  // how many entries the list has
	details   int  // likewise
	reasoned  bool // reasoning was said before
	refused   bool // a refusal was said
}

// chatOpen is a block that is open.
type chatOpen struct {
	block
	index int  // of a call
	begun bool // something of its text was said
}

func newChatWriter(r Reply) streamWriter {
	return &chatWriter{reply: r, functions: asksFunctions(r.Request), open: map[int]*chatOpen{}}
}

// write implements [streamWriter].
func (w *chatWriter) write(dst []byte, ev event) []byte {
	switch ev.is {
	case began:
		return w.begin(dst, ev)
	case opened:
		return w.opens(dst, ev)
	case more:
		return w.more(dst, ev)
	case signed:
		if o := w.open[ev.at]; o != nil {
			o.signature = ev.signature
		}
	case closed:
		return w.closes(dst, ev)
	case finished:
		return w.finish(dst, ev)
	}
	return dst
}

// begin writes the event that says who speaks, and what all events begin with.
func (w *chatWriter) begin(dst []byte, ev event) []byte {
	var head writer
	head.begin('{')
	head.textMember("id", ev.id)
	head.textMember("object", "chat.completion.chunk")
	head.intMember("created", ev.created)
	head.textMember("model", ev.model)
	w.head = head.b
	return w.delta(dst, func(c *writer) {
		c.textMember("role", "assistant")
		c.textMember("content", "")
	})
}

// delta writes an event that adds to the message.
func (w *chatWriter) delta(dst []byte, add func(c *writer)) []byte {
	return w.choice(dst, add, "")
}

func (w *chatWriter) choice(dst []byte, add func(c *writer), reason string) []byte {
	c := writer{append(make([]byte, 0, len(w.head)+256), w.head...)}
	c.array("choices")
	c.begin('{')
	c.intMember("index", 0)
	c.object("delta")
	add(&c)
	c.end('}')
	c.rawMember("logprobs", "null")
	if reason == "" {
		c.rawMember("finish_reason", "null")
	} else {
		c.textMember("finish_reason", reason)
	}
	c.end('}')
	c.end(']')
	if w.reply.IncludeUsage {
		c.rawMember("usage", "null")
	}
	c.end('}')
	return frame(dst, "", c.b)
}

// entry writes an event that adds an entry to a list of count entries. Clients put lists together by the index of their
// entries.
func (w *chatWriter) entry(dst []byte, list string, count *int, members func(c *writer)) []byte {
	dst = w.delta(dst, func(c *writer) {
		c.array(list)
		c.begin('{')
		c.intMember("index", int64(*count))
		members(c)
		c.end('}')
		c.end(']')
	})
	*count++
	return dst
}

func (w *chatWriter) opens(dst []byte, ev event) []byte {
	o := &chatOpen{block: ev.block}
	w.open[ev.at] = o
	switch o.is {
	case imageBlock:
		return w.entry(dst, "images", &w.images, func(c *writer) { c.chatImage(&o.block) })
	case callBlock:
		o.index = w.calls
		w.calls++
		return w.call(dst, o, "", true)
	}
	return dst
}

// call writes a piece of a call's arguments; the first piece says which tool is called.
func (w *chatWriter) call(dst []byte, o *chatOpen, arguments string, first bool) []byte {
	if w.functions && o.index > 0 {
		return dst // the older form has room for one
	}
	return w.delta(dst, func(c *writer) {
		if w.functions {
			c.object("function_call")
		} else {
			c.array("tool_calls")
			c.begin('{')
			c.intMember("index", int64(o.index))
			if first {
				c.textMember("id", chatCallID(&o.block, w.reply, o.index))
				c.textMember("type", "function")
			}
			c.object("function")
		}
		if first {
			c.textMember("name", o.name)
		}
		c.textMember("arguments", arguments)
		c.end('}')
		if w.functions {
			return
		}
		if first {
			c.callSignature(o.signature.sealed(Gemini))
		}
		c.end('}')
		c.end(']')
	})
}

// chatGrowing are the members of a delta that blocks of text grow in.
var chatGrowing = map[blockType]string{
	textBlock: "content", refusalBlock: "refusal", reasoningBlock: "reasoning_content",
}

func (w *chatWriter) more(dst []byte, ev event) []byte {
	o := w.open[ev.at]
	if o == nil || ev.text == "" {
		return dst
	}
	first, text := !o.begun, ev.text
	o.begun = true
	if o.is == callBlock {
		return w.call(dst, o, text, false)
	}
	name := chatGrowing[o.is]
	if name == "" {
		return dst
	}
	if o.is == reasoningBlock {
		o.text += text
		if first && w.reasoned {
			text = reasoningGap + text
		}
		w.reasoned = true
	}
	w.refused = w.refused || o.is == refusalBlock
	return w.delta(dst, func(c *writer) { c.textMember(name, text) })
}

// closes completes a block: a call without arguments has an empty object for them, and signed reasoning is said again
// as what has to come back.
func (w *chatWriter) closes(dst []byte, ev event) []byte {
	o := w.open[ev.at]
	if o == nil {
		return dst
	}
	delete(w.open, ev.at)
	switch {
	case o.is == callBlock && !o.begun:
		return w.call(dst, o, "{}", false)
	case o.is == reasoningBlock && o.signature.text != "":
		return w.entry(dst, "reasoning_details", &w.details, func(c *writer) { c.chatDetail(&o.block) })
	}
	return dst
}

func (w *chatWriter) finish(dst []byte, ev event) []byte {
	dst = w.choice(dst, func(*writer) {}, chatReason(ev.finish, w.refused, w.functions))
	if w.reply.IncludeUsage && ev.usage != nil {
		c := writer{append(make([]byte, 0, len(w.head)+256), w.head...)}
		c.rawMember("choices", "[]")
		c.chatUsage(ev.usage)
		c.end('}')
		dst = frame(dst, "", c.b)
	}
	return frame(dst, "", []byte(chatDone))
}
