package translate

// responsesWriter writes the events of one stream.
type responsesWriter struct {
	object *responsesObject
	items  map[int]*responsesItem // that are open, by their blocks
	whole  map[int]string         // JSON of those that are whole, by their indexes
	count  int                    // of items
	number int64                  // of the next event
	w      writer                 // the event's data
	typ    string
}

func newResponsesWriter(r Reply) streamWriter {
	return &responsesWriter{
		object: newResponsesObject(r), items: map[int]*responsesItem{}, whole: map[int]string{},
	}
}

func (s *responsesWriter) write(dst []byte, ev event) []byte {
	switch ev.is {
	case began:
		s.object.named(ev.id, ev.model, ev.created)
		dst = s.response(dst, "response.created", "in_progress", "", nil)
		return s.response(dst, "response.in_progress", "in_progress", "", nil)
	case opened:
		return s.open(dst, ev)
	case finished:
		status, reason := s.object.ended(ev.finish)
		return s.response(dst, "response."+status, status, reason, ev.usage)
	}
	i := s.items[ev.at]
	if i == nil {
		return dst
	}
	switch ev.is {
	case more:
		return s.more(dst, i, ev.text)
	case signed:
		i.sign = ev.signature
	case closed:
		delete(s.items, ev.at)
		return s.close(dst, i)
	}
	return dst
}

// event begins an event.
func (s *responsesWriter) event(typ string) *writer {
	s.typ, s.w.b = typ, s.w.b[:0]
	s.w.begin('{')
	s.w.textMember("type", typ)
	s.w.intMember("sequence_number", s.number)
	s.number++
	return &s.w
}

// send ends the event.
func (s *responsesWriter) send(dst []byte) []byte {
	s.w.end('}')
	return frame(dst, s.typ, s.w.b)
}

// response writes an event that holds the response as it is.
func (s *responsesWriter) response(dst []byte, typ, status, reason string, u *usage) []byte {
	var output writer
	output.begin('[')
	for index := range s.count {
		output.raw(s.whole[index])
	}
	output.end(']')
	w := s.event(typ)
	w.key("response")
	s.object.write(w, status, reason, string(output.b), u)
	return s.send(dst)
}

func (s *responsesWriter) open(dst []byte, ev event) []byte {
	if ev.block.is == callBlock && ev.block.signature.text != "" {
		i := s.object.signs(ev.block, s.count)
		dst = s.close(s.item(dst, "response.output_item.added", i, false), i)
		s.count++
	}
	i := s.object.item(ev.block, s.count)
	if i == nil {
		return dst
	}
	s.items[ev.at] = i
	s.count++
	dst = s.item(dst, "response.output_item.added", i, false)
	if i.is == textBlock || i.is == refusalBlock {
		dst = s.part(dst, "response.content_part.added", i, false)
	}
	return dst
}

// item writes an event that holds an item.
func (s *responsesWriter) item(dst []byte, typ string, i *responsesItem, whole bool) []byte {
	w := s.event(typ)
	w.intMember("output_index", int64(i.index))
	w.key("item")
	i.write(w, whole)
	return s.send(dst)
}

// part writes an event that holds an item's part.
func (s *responsesWriter) part(dst []byte, typ string, i *responsesItem, whole bool) []byte {
	w := s.of(typ, i)
	w.key("part")
	i.writePart(w, whole)
	return s.send(dst)
}

// of begins an event about an item.
func (s *responsesWriter) of(typ string, i *responsesItem) *writer {
	w := s.event(typ)
	w.textMember("item_id", i.id)
	w.intMember("output_index", int64(i.index))
	switch i.is {
	case textBlock, refusalBlock:
		w.intMember("content_index", 0)
	case reasoningBlock:
		w.intMember("summary_index", 0)
	}
	return w
}

// textEvents are the events of a block's text: what they begin with, and the member that holds all of the text.
var textEvents = map[blockType]struct{ name, member string }{
	textBlock:      {"response.output_text", "text"},
	refusalBlock:   {"response.refusal", "refusal"},
	reasoningBlock: {"response.reasoning_summary_text", "text"},
	callBlock:      {"response.function_call_arguments", "arguments"},
}

// more writes a piece of an item's text. What a custom tool takes is known when its arguments are whole.
func (s *responsesWriter) more(dst []byte, i *responsesItem, text string) []byte {
	if i.is == reasoningBlock && len(i.text) == 0 {
		dst = s.part(dst, "response.reasoning_summary_part.added", i, false)
	}
	i.text = append(i.text, text...)
	if i.custom {
		return dst
	}
	return s.delta(dst, textEvents[i.is].name+".delta", i, text)
}

func (s *responsesWriter) delta(dst []byte, typ string, i *responsesItem, text string) []byte {
	w := s.of(typ, i)
	w.textMember("delta", text)
	if i.is == textBlock {
		w.rawMember("logprobs", "[]")
	}
	return s.send(dst)
}

// close writes what ends an item.
func (s *responsesWriter) close(dst []byte, i *responsesItem) []byte {
	switch i.is {
	case textBlock, refusalBlock:
		dst = s.part(s.textDone(dst, i, string(i.text)), "response.content_part.done", i, true)
	case reasoningBlock:
		if len(i.text) > 0 {
			dst = s.part(s.textDone(dst, i, string(i.text)), "response.reasoning_summary_part.done", i, true)
		}
	case callBlock:
		dst = s.called(dst, i)
	}
	var w writer
	i.write(&w, true)
	s.whole[i.index] = string(w.b)
	return s.item(dst, "response.output_item.done", i, true)
}

// textDone writes all of an item's text.
func (s *responsesWriter) textDone(dst []byte, i *responsesItem, text string) []byte {
	names := textEvents[i.is]
	w := s.of(names.name+".done", i)
	w.textMember(names.member, text)
	if i.is == textBlock {
		w.rawMember("logprobs", "[]")
	}
	return s.send(dst)
}

// called writes what a call is made with, if it was not written piece by piece.
func (s *responsesWriter) called(dst []byte, i *responsesItem) []byte {
	if i.custom {
		input := customInput(i.arguments())
		if input != "" {
			dst = s.delta(dst, "response.custom_tool_call_input.delta", i, input)
		}
		w := s.of("response.custom_tool_call_input.done", i)
		w.textMember("input", input)
		return s.send(dst)
	}
	if len(i.text) == 0 {
		dst = s.delta(dst, textEvents[callBlock].name+".delta", i, i.arguments())
	}
	return s.textDone(dst, i, i.arguments())
}
