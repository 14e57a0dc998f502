package translate

// turn writes what one side says, as items.
func (w *responsesRequest) turn(t turn) error {
	for rest := t.blocks; len(rest) > 0; {
		n := 1
		for inMessage(rest[0].is) && n < len(rest) && inMessage(rest[n].is) {
			n++
		}
		if err := w.item(t, rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// inMessage tells whether a block is part of a message; all others are items of their own.
func inMessage(is blockType) bool {
	switch is {
	case callBlock, resultBlock, reasoningBlock:
		return false
	default:
		return true
	}
}

// item writes a block, or the blocks of a message.
func (w *responsesRequest) item(t turn, blocks []block) error {
	first := blocks[0]
	if !inMessage(first.is) {
		w.uncached(first.cache, "messages.content.cache_control")
	}
	switch first.is {
	case callBlock:
		w.n.reasoning(&first, Responses, true)
		w.begin('{')
		w.textMember("type", "function_call")
		w.textMember("call_id", legalID(first.id, longestCallID))
		w.textMember("name", first.name)
		w.textMember("arguments", orEmptyObject(first.text))
		w.end('}')
	case resultBlock:
		return w.result(first)
	case reasoningBlock:
		w.thought(first)
	default:
		return w.message(t, blocks)
	}
	return nil
}

func (w *responsesRequest) message(t turn, blocks []block) error {
	w.begin('{')
	w.textMember("type", "message")
	w.textMember("role", role(t))
	w.array("content")
	for _, b := range blocks {
		if err := w.part(b, t.assistant); err != nil {
			return err
		}
	}
	w.end(']')
	w.end('}')
	return nil
}

func role(t turn) string {
	switch {
	case t.assistant:
		return "assistant"
	case t.system:
		return "developer"
	}
	return "user"
}

// result writes what came of a call: a text, or parts if there is more to it than text.
func (w *responsesRequest) result(b block) error {
	if b.failed {
		w.n.drop("messages.content.is_error")
	}
	w.begin('{')
	w.textMember("type", "function_call_output")
	w.textMember("call_id", legalID(b.id, longestCallID))
	switch {
	case len(b.content) == 0:
		w.textMember("output", "")
	case len(b.content) == 1 && b.content[0].is == textBlock:
		w.uncached(b.content[0].cache, "messages.content.cache_control")
		w.textMember("output", b.content[0].text)
	default:
		w.array("output")
		for _, part := range b.content {
			if err := w.part(part, false); err != nil {
				return err
			}
		}
		w.end(']')
	}
	w.end('}')
	return nil
}

// thought writes reasoning that OpenAI gave out; it can't be made to believe any other.
func (w *responsesRequest) thought(b block) {
	sign := b.signature.of(Responses)
	w.n.reasoning(&b, Responses, sign != "")
	if sign == "" {
		return
	}
	w.begin('{')
	w.textMember("type", "reasoning")
	if b.id != "" {
		w.textMember("id", b.id)
	}
	w.array("summary")
	if b.text != "" {
		w.begin('{')
		w.textMember("type", "summary_text")
		w.textMember("text", b.text)
		w.end('}')
	}
	w.end(']')
	w.textMember("encrypted_content", sign)
	w.end('}')
}

// part writes a part of a message or of a result.
func (w *responsesRequest) part(b block, said bool) error {
	w.uncached(b.cache, "messages.content.cache_control")
	if m := b.media; m.kept != "" && m.data == "" && m.url == "" {
		return unsayable("messages", "The file %q is kept by one provider, and no other can read it.", m.kept)
	}
	if said && b.is != textBlock && b.is != refusalBlock {
		return unsayable("messages", "A Responses API takes only text of what the assistant said.")
	}
	w.begin('{')
	defer w.end('}')
	switch b.is {
	case textBlock:
		w.textMember("type", textType(said))
		w.textMember("text", b.text)
	case refusalBlock:
		w.textMember("type", "refusal")
		w.textMember("refusal", b.text)
	case imageBlock:
		w.textMember("type", "input_image")
		w.textMember("image_url", b.media.at("image/png"))
		w.textMember("detail", orElse(b.detail, "auto"))
	case fileBlock:
		w.file(b)
	default:
		return unsayable("messages", "A Responses API takes no audio.")
	}
	return nil
}

func textType(said bool) string {
	if said {
		return "output_text"
	}
	return "input_text"
}

// file writes a file. Its name has to be told with its bytes, and tells how to read them.
func (w *responsesRequest) file(b block) {
	w.textMember("type", "input_file")
	if b.media.data == "" {
		w.textMember("file_url", b.media.url)
		return
	}
	w.textMember("filename", orElse(b.name, orElse(fileNames[b.media.mimeType], "file")))
	w.textMember("file_data", b.media.at("application/pdf"))
}

// fileNames are names for files without one.
var fileNames = map[string]string{"": "file.pdf", "application/pdf": "file.pdf", "text/plain": "file.txt"}
