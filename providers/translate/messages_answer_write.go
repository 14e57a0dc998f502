package translate

// stopReasons are Anthropic's words for why a model stopped.
var stopReasons = map[finish]string{
	finishStop:    "end_turn",
	finishLength:  "max_tokens",
	finishCalls:   "tool_use",
	finishFilter:  "refusal",
	finishRefusal: "refusal",
	finishPause:   "pause_turn",
	finishWindow:  "model_context_window_exceeded",
}

func writeMessagesAnswer(a *answer, r Reply, n *notes) []byte {
	var w writer
	w.begin('{')
	w.textMember("id", a.id)
	w.textMember("type", "message")
	w.textMember("role", "assistant")
	w.textMember("model", a.model)
	w.array("content")
	var calls, refusals bool
	for i := range a.blocks {
		b := &a.blocks[i]
		calls = calls || b.is == callBlock
		refusals = refusals || b.is == refusalBlock
		w.writePart(b, r.callIDOf(b, i), n)
	}
	w.end(']')
	w.writeStopReason(a.finish.told(calls, refusals), a.stop)
	w.key("usage")
	w.writeUsage(a.usage)
	w.end('}')
	return w.b
}

// writePart writes a whole block of an answer.
func (w *writer) writePart(b *block, id string, n *notes) {
	switch b.is {
	case textBlock, refusalBlock:
		if b.text == "" {
			return
		}
		w.begin('{')
		w.textMember("type", "text")
		w.textMember("text", b.text)
	case reasoningBlock:
		if b.text == "" && b.signature.text == "" {
			return
		}
		w.begin('{')
		w.writeReasoning(b.text, b.signature.orUnsigned())
	case callBlock:
		w.writeCallSignature(b.signature)
		w.begin('{')
		w.writeCallHead(b, id)
		w.rawMember("input", argumentsObject(b.text))
	default:
		n.drop("content." + messagesMedia[b.is])
		return
	}
	w.end('}')
}

// messagesMedia are the names of blocks that an answer can't hold.
var messagesMedia = map[blockType]string{imageBlock: "image", audioBlock: "audio", fileBlock: "document"}

// writeCallSignature writes the signature of the call that comes next as a block of its own, which clients carry along.
func (w *writer) writeCallSignature(s signature) {
	if s.text == "" {
		return
	}
	w.begin('{')
	w.textMember("type", "redacted_thinking")
	w.textMember("data", signature{s.from, callMark + s.text}.sealed(Messages))
	w.end('}')
}

// writeCallHead writes the members of a tool_use in front of its input.
func (w *writer) writeCallHead(b *block, id string) {
	w.textMember("type", "tool_use")
	w.textMember("id", id)
	w.textMember("name", b.name)
}

// callIDOf is the id of an answer's block number at, if it is a call.
func (r Reply) callIDOf(b *block, at int) string {
	id := b.id
	if id == "" {
		id = madeCallID(r, at)
	}
	return legalID(id, longestCallID)
}

// told is why the model stopped, as the answer shows it: there are targets that stop for no reason behind calls and
// refusals, and some that stop for calls and make none.
func (f finish) told(calls, refusals bool) finish {
	switch {
	case f > finishStop && f != finishCalls:
		return f
	case calls:
		return finishCalls
	case refusals:
		return finishRefusal
	}
	return finishStop
}

// writeStopReason writes the members that tell why the model stopped.
func (w *writer) writeStopReason(f finish, stop string) {
	if f == finishStop && stop != "" {
		w.textMember("stop_reason", "stop_sequence")
		w.textMember("stop_sequence", stop)
		return
	}
	w.textMember("stop_reason", stopReasons[f])
	w.rawMember("stop_sequence", "null")
}

// writeUsage writes what was counted. Clients want the object with all its numbers, known or not.
func (w *writer) writeUsage(u *usage) {
	if u == nil {
		u = &usage{}
	}
	w.begin('{')
	w.intMember("input_tokens", max(u.input-u.cacheRead-u.cacheWrite, 0))
	w.intMember("cache_creation_input_tokens", max(u.cacheWrite, 0))
	w.intMember("cache_read_input_tokens", max(u.cacheRead, 0))
	w.intMember("output_tokens", max(u.output, 0))
	if u.reasoning > 0 {
		w.object("output_tokens_details")
		w.intMember("thinking_tokens", u.reasoning)
		w.end('}')
	}
	w.end('}')
}
