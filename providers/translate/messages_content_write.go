package translate

import "strings"

func (w *messagesTarget) writeMessages() error {
	w.array("messages")
	for i := range w.turns {
		t := &w.turns[i]
		w.begin('{')
		role := "user"
		if t.assistant {
			role = "assistant"
		}
		w.textMember("role", role)
		w.key("content")
		if err := w.writeContent(t.blocks); err != nil {
			return err
		}
		w.end('}')
	}
	w.end(']')
	return nil
}

// writeContent writes blocks as a list, or a single text as it is.
func (w *messagesTarget) writeContent(blocks []block) error {
	if len(blocks) == 1 && blocks[0].is == textBlock && blocks[0].cache == "" {
		w.text(blocks[0].text)
		return nil
	}
	w.begin('[')
	for i := range blocks {
		w.begin('{')
		if err := w.writeBlock(&blocks[i]); err != nil {
			return err
		}
		w.rawMember("cache_control", blocks[i].cache)
		w.end('}')
	}
	w.end(']')
	return nil
}

// writeBlock writes the members of a block.
func (w *messagesTarget) writeBlock(b *block) error {
	switch b.is {
	case textBlock, refusalBlock:
		w.textMember("type", "text")
		w.textMember("text", b.text)
	case imageBlock:
		return w.writeImage(b)
	case fileBlock:
		return w.writeFile(b)
	case callBlock:
		w.textMember("type", "tool_use")
		w.textMember("id", legalID(b.id, longestCallID))
		w.textMember("name", b.name)
		w.rawMember("input", argumentsObject(b.text))
	case resultBlock:
		w.textMember("type", "tool_result")
		w.textMember("tool_use_id", legalID(b.id, longestCallID))
		if b.failed {
			w.rawMember("is_error", "true")
		}
		if content := filled(b.content); len(content) > 0 {
			w.key("content")
			return w.writeContent(content)
		}
	case reasoningBlock:
		w.writeReasoning(b.text, b.signature)
	case audioBlock:
		return unsayable("messages", "The request holds audio, which this model can't listen to.")
	}
	return nil
}

// longestCallID is the length that every dialect takes.
const longestCallID = 64

// redacted is the data of a redacted_thinking that stands for reasoning, if it is to stand for it: Anthropic's own goes
// back as it came, and another's without text has no other form.
func redacted(text string, s signature) (data string, ok bool) {
	data, ok = strings.CutPrefix(s.sealed(Messages), redactedMark)
	return data, ok || text == "" && s.from != Messages
}

// writeReasoning writes the members of a block of reasoning.
func (w *writer) writeReasoning(text string, s signature) {
	if data, ok := redacted(text, s); ok {
		w.textMember("type", "redacted_thinking")
		w.textMember("data", data)
		return
	}
	w.textMember("type", "thinking")
	w.textMember("thinking", text)
	w.textMember("signature", s.sealed(Messages))
}

func (w *messagesTarget) writeImage(b *block) error {
	m := b.media
	if m.data == "" && m.url == "" {
		return unsayable("messages", "The request holds an image that only another provider has.")
	}
	if m.mimeType == "image/jpg" {
		m.mimeType = "image/jpeg"
	}
	w.n.detail(b)
	w.textMember("type", "image")
	w.writeSource(m)
	return nil
}

func (w *messagesTarget) writeFile(b *block) error {
	m := b.media
	text, plain := m.plain()
	switch {
	case m.data == "" && m.url == "":
		return unsayable("messages", "The request holds a file that only another provider has.")
	case m.data != "" && !plain && m.mimeType != "application/pdf":
		return unsayable("messages", "The request holds a file of type %q, which this model can't read.", m.mimeType)
	}
	w.textMember("type", "document")
	if b.name != "" {
		w.textMember("title", b.name)
	}
	if !plain {
		w.writeSource(m)
		return nil
	}
	w.object("source")
	w.textMember("type", "text")
	w.textMember("media_type", "text/plain")
	w.textMember("data", text)
	w.end('}')
	return nil
}

// writeSource writes where the bytes are.
func (w *messagesTarget) writeSource(m media) {
	w.object("source")
	if m.data != "" {
		w.textMember("type", "base64")
		w.textMember("media_type", m.mimeType)
		w.textMember("data", m.data)
	} else {
		w.textMember("type", "url")
		w.textMember("url", m.url)
	}
	w.end('}')
}
