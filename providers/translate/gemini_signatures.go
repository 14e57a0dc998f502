package translate

import "slices"

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
