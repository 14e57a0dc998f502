package translate

import "strings"

// longestChatID is how long the id of a tool call may be at OpenAI.
const longestChatID = 40

func (w *chatWriting) messages() error {
	w.array("messages")
	if len(w.system) > 0 {
		w.systemMessage(w.system, "system")
	}
	for i := range w.turns {
		t := &w.turns[i]
		var err error
		switch {
		case t.system:
			w.systemMessage(t.blocks, "messages.content")
		case t.assistant:
			err = w.assistantMessage(t)
		default:
			err = w.userMessages(t)
		}
		if err != nil {
			return err
		}
	}
	w.end(']')
	return nil
}

// message opens a message.
func (w *chatWriting) message(role string) {
	w.begin('{')
	w.textMember("role", role)
}

// systemMessage writes texts as one: many hosts take no list for this role.
func (w *chatWriting) systemMessage(blocks []block, path string) {
	texts := make([]string, 0, len(blocks))
	for i := range blocks {
		w.uncached(&blocks[i], path)
		texts = append(texts, blocks[i].text)
	}
	w.message("system")
	w.textMember("content", strings.Join(texts, "\n\n"))
	w.end('}')
}

// uncached names a mark for a cache that a chat can't set.
func (w *chatWriting) uncached(b *block, path string) {
	if b.cache != "" {
		w.n.drop(path + ".cache_control")
	}
}

// userMessages writes the results of tools, a message each, and then what else the turn holds. Such a message holds text
// only: images of a result stand in what the user says behind it.
func (w *chatWriting) userMessages(t *turn) error {
	var said []block
	for i := range t.blocks {
		b := &t.blocks[i]
		if b.is != resultBlock {
			said = append(said, *b)
			continue
		}
		said = append(said, w.toolMessage(b)...)
	}
	if len(said) == 0 {
		return nil
	}
	w.message("user")
	w.key("content")
	if len(said) == 1 && said[0].is == textBlock {
		w.uncached(&said[0], "messages.content")
		w.text(said[0].text)
	} else {
		w.begin('[')
		for i := range said {
			if err := w.part(&said[i]); err != nil {
				return err
			}
		}
		w.end(']')
	}
	w.end('}')
	return nil
}

// toolMessage writes a result, and returns what of it the user has to show.
func (w *chatWriting) toolMessage(b *block) (shown []block) {
	w.uncached(b, "messages.content")
	if b.failed {
		w.n.drop("messages.content.is_error")
	}
	var texts []string
	for i := range b.content {
		w.uncached(&b.content[i], "messages.content")
		if b.content[i].is == textBlock {
			texts = append(texts, b.content[i].text)
			continue
		}
		if shown == nil {
			shown = append(shown, block{is: textBlock, text: "Result of the tool call " + shortened(b.id, longestChatID) + ":"})
		}
		shown = append(shown, b.content[i])
	}
	if len(texts) == 0 && len(shown) > 0 {
		texts = append(texts, "The user's next message shows the result.")
	}
	w.message("tool")
	w.textMember("tool_call_id", shortened(b.id, longestChatID))
	w.textMember("content", strings.Join(texts, "\n"))
	w.end('}')
	return shown
}

// assistantMessage writes a turn of the model, unless nothing is left of it. Reasoning goes back with the tool calls
// that it led to: hosts of models that reason ask for it then, and ignore it otherwise.
func (w *chatWriting) assistantMessage(t *turn) error {
	var texts, refusals []string
	calls := 0
	for i := range t.blocks {
		b := &t.blocks[i]
		w.uncached(b, "messages.content")
		switch b.is {
		case textBlock:
			texts = append(texts, b.text)
		case refusalBlock:
			refusals = append(refusals, b.text)
		case callBlock:
			calls++
		case reasoningBlock:
		default:
			return unsayable("messages", "The model's own turn holds an image or a file, and chat completions can't say that.")
		}
	}
	w.noteReasoning(t.blocks, calls > 0 && !w.o.NoReasoning)
	if len(texts)+len(refusals)+calls == 0 {
		return nil
	}
	w.message("assistant")
	if len(texts) > 0 {
		w.textMember("content", strings.Join(texts, ""))
	} else {
		w.rawMember("content", "null")
	}
	w.optional("refusal", strings.Join(refusals, ""))
	if calls > 0 {
		w.reasoningBack(t.blocks)
		w.calls(t.blocks)
	}
	w.end('}')
	return nil
}

// noteReasoning notes what of the turn's reasoning the host doesn't get; told says that it gets what it can read.
func (w *chatWriting) noteReasoning(blocks []block, told bool) {
	for i := range blocks {
		b := &blocks[i]
		w.n.reasoning(b, Chat, told && (b.text != "" || b.signature.of(Chat) != ""))
	}
}

func (w *chatWriting) reasoningBack(blocks []block) {
	if w.o.NoReasoning {
		return
	}
	w.optional("reasoning_content", chatReasoningContent(blocks))
	var details []string
	for i := range blocks {
		if blocks[i].is == reasoningBlock {
			details = append(details, blocks[i].chatDetailsBack()...)
		}
	}
	if len(details) > 0 {
		w.rawMember("reasoning_details", "["+strings.Join(details, ",")+"]")
	}
}

func (w *chatWriting) calls(blocks []block) {
	w.array("tool_calls")
	for i := range blocks {
		b := &blocks[i]
		if b.is != callBlock {
			continue
		}
		w.begin('{')
		w.textMember("id", shortened(b.id, longestChatID))
		w.textMember("type", "function")
		w.object("function")
		w.textMember("name", b.name)
		w.textMember("arguments", orEmptyObject(b.text))
		w.end('}')
		w.callSignature(b.signature.of(Chat))
		w.end('}')
	}
	w.end(']')
}

// callSignature writes what has to come back with a call, where Google's hosts have it.
func (w *writer) callSignature(text string) {
	if text == "" {
		return
	}
	w.object("extra_content")
	w.object("google")
	w.textMember("thought_signature", text)
	w.end('}')
	w.end('}')
}
