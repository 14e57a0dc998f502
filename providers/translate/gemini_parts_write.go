package translate

import "strings"

// parts writes what one side says.
func (w *geminiRequest) parts(c content) error {
	var s signing
	for i, b := range c.blocks {
		w.uncached(b, "messages.content.cache_control")
		w.notes.reasoning(&b, Gemini, b.text != "" || b.signature.of(Gemini) != "")
		if b.is == reasoningBlock {
			w.reasoning(b, &s, c.blocks[i+1:])
			continue
		}
		if b.is == resultBlock {
			if err := w.result(b); err != nil {
				return err
			}
			continue
		}
		if err := w.part(b, s.of(b)); err != nil {
			return err
		}
	}
	w.leftOver(&s)
	return nil
}

func (w *geminiRequest) textPart(text string) {
	w.begin('{')
	w.textMember("text", text)
	w.end('}')
}

// part writes a block that is no reasoning and no result. A text without a letter and a signature is left out: Gemini
// refuses it.
func (w *geminiRequest) part(b block, sign string) error {
	if (b.is == textBlock || b.is == refusalBlock) && b.text == "" && sign == "" {
		return nil
	}
	w.begin('{')
	switch b.is {
	case textBlock, refusalBlock:
		w.textMember("text", b.text)
	case callBlock:
		w.object("functionCall")
		w.callID(b.id)
		w.textMember("name", b.name)
		w.rawMember("args", argumentsObject(b.text))
		w.end('}')
	case imageBlock, audioBlock, fileBlock:
		if err := w.media(b); err != nil {
			return err
		}
	}
	if sign != "" {
		w.textMember("thoughtSignature", sign)
	}
	w.end('}')
	return nil
}

// callID writes an id that Gemini or another target gave. Those that were made up for Gemini's clients mean nothing to
// it, and hosts of its older models have no ids at all.
func (w *geminiRequest) callID(id string) {
	if !strings.HasPrefix(id, geminiIDs) {
		w.textMember("id", id)
	}
}

// result writes what a function returned. Media that can't stand within it stand behind it.
func (w *geminiRequest) result(b block) error {
	var texts []string
	var within, behind []block
	for _, inner := range b.content {
		w.uncached(inner, "messages.content.cache_control")
		switch {
		case inner.is == textBlock:
			texts = append(texts, inner.text)
		case w.model.takesMediaInResults() && inner.media.data != "":
			within = append(within, inner)
		default:
			behind = append(behind, inner)
		}
	}
	w.begin('{')
	w.object("functionResponse")
	w.callID(b.id)
	w.textMember("name", b.name)
	w.object("response")
	key := "output"
	if b.failed {
		key = "error"
	}
	w.textMember(key, strings.Join(texts, "\n"))
	w.end('}')
	if len(within) > 0 {
		w.array("parts")
		for _, inner := range within {
			if err := w.part(inner, ""); err != nil {
				return err
			}
		}
		w.end(']')
	}
	w.end('}')
	w.end('}')
	for _, inner := range behind {
		if err := w.part(inner, ""); err != nil {
			return err
		}
	}
	return nil
}
