package translate

import (
	"slices"
	"strings"
)

// signing carries signatures back to the parts that they came with. A signature that came with a text, or that the
// client's dialect can't keep with a call, travels as reasoning in front of it.
type signing struct {
	waiting string
	called  bool // a call was written
}

// of is the signature of a block's part.
func (s *signing) of(b block) string {
	own := b.signature.of(Gemini)
	if own == "" && s.takes([]block{b}) {
		own, s.waiting = s.waiting, ""
	}
	s.called = s.called || b.is == callBlock
	return own
}

// takes tells whether the first part of those blocks has room for a signature.
func (s *signing) takes(blocks []block) bool {
	i := slices.IndexFunc(blocks, func(b block) bool { return b.is != reasoningBlock })
	return i >= 0 && (blocks[i].is != callBlock || !s.called && blocks[i].signature.of(Gemini) == "")
}

// parts writes what one side says.
func (w *geminiRequest) parts(c content) error {
	var s signing
	for i, b := range c.blocks {
		w.uncached(b, "messages.content.cache_control")
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

// reasoning writes what the model thought. Its signature belongs to the part behind it, if that takes one; else a
// thought that can be read keeps it, and another one's waits.
func (w *geminiRequest) reasoning(b block, s *signing, behind []block) {
	sign := b.signature.of(Gemini)
	if sign != "" && (b.text == "" || s.takes(behind)) {
		w.leftOver(s)
		s.waiting, sign = sign, ""
	}
	if b.text != "" {
		w.begin('{')
		w.textMember("text", b.text)
		w.rawMember("thought", "true")
		if sign != "" {
			w.textMember("thoughtSignature", sign)
		}
		w.end('}')
	}
}

// leftOver writes a signature that came with nothing.
func (w *geminiRequest) leftOver(s *signing) {
	if s.waiting != "" {
		w.begin('{')
		w.textMember("text", "")
		w.textMember("thoughtSignature", s.waiting)
		w.end('}')
		s.waiting = ""
	}
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

// media writes an image, a file or a piece of audio.
func (w *geminiRequest) media(b block) error {
	m := b.media
	if m.data == "" && m.url == "" {
		return unsayable("messages", "The file %q is kept by another provider than Gemini, which can't read it.", m.kept)
	}
	if b.detail == "low" || b.detail == "high" {
		w.notes.drop("messages.content.image_url.detail")
	}
	if b.is == fileBlock && b.name != "" {
		w.notes.drop("messages.content.file.filename")
	}
	member, value := "inlineData", m.data
	if m.data == "" {
		member, value = "fileData", m.url
	}
	w.object(member)
	if kind := m.kind(b.name); kind != "" {
		w.textMember("mimeType", kind)
	}
	if m.data == "" {
		w.textMember("fileUri", value)
	} else {
		w.textMember("data", value)
	}
	w.end('}')
	return nil
}
