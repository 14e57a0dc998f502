package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// part says what a part of the content says.
func (r *geminiReader) part(p gjson.Result, said []event) []event {
	sign := signature{Gemini, p.Get("thoughtSignature").String()}
	if call := p.Get("functionCall"); call.IsObject() {
		return r.call(call, sign, said)
	}
	said = r.whole(said)
	if p.Get("thought").Bool() {
		if text := p.Get("text").Str; text != "" {
			said = r.grow(text, r.in(reasoningBlock, said))
		}
		return r.sign(sign, said)
	}
	text := geminiText(p)
	if text == "" || r.open == reasoningBlock || r.open == 0 {
		said = r.sign(sign, said)
		sign = signature{}
	}
	if text != "" {
		said = r.grow(text, r.in(textBlock, said))
	}
	if b, ok := geminiMedia(p); ok {
		said = r.opened(b, r.close(said))
		said = append(said, event{is: closed, at: r.blocks - 1})
	}
	return r.sign(sign, said)
}

// sign says a signature that came with a text or with a thought. Other dialects keep signatures with reasoning only: it
// belongs to the reasoning that is open, or to one that nobody can read.
func (r *geminiReader) sign(s signature, said []event) []event {
	if s.text == "" {
		return said
	}
	said = r.in(reasoningBlock, said)
	said = append(said, event{is: signed, at: r.blocks - 1, signature: s})
	return r.close(said)
}

// call says a function's call, which is whole unless its arguments come in pieces.
func (r *geminiReader) call(call gjson.Result, sign signature, said []event) []event {
	name := call.Get("name").String()
	if r.partly != nil && (name == "" || name == r.partly.name) {
		return r.piece(call, said)
	}
	said = r.close(r.whole(said))
	id := call.Get("id").String()
	if id == "" {
		id = r.id + strconv.Itoa(r.calls)
	}
	r.calls++
	b := block{is: callBlock, id: id, name: name}
	if sign.text != "" {
		b.signature = sign
	}
	said = r.opened(b, said)
	if call.Get("willContinue").Bool() || call.Get("partialArgs").IsArray() {
		r.partly = &partialCall{name: name}
		return r.piece(call, said)
	}
	return r.argued(call.Get("args|@ugly").Raw, said)
}

// argued says the arguments of the call that is open, and that it is whole.
func (r *geminiReader) argued(args string, said []event) []event {
	if args != "{}" && args != "null" {
		said = r.grow(args, said)
	}
	return append(said, event{is: closed, at: r.blocks - 1})
}

// geminiText is the text of a part. Code that the model ran and what came of it are text in other dialects.
func geminiText(p gjson.Result) string {
	if code := p.Get("executableCode"); code.IsObject() {
		return fenced(strings.ToLower(code.Get("language").String()), code.Get("code").String())
	}
	if result := p.Get("codeExecutionResult"); result.IsObject() {
		return fenced("", result.Get("output").String())
	}
	return p.Get("text").Str
}

func fenced(language, text string) string {
	return "\n```" + language + "\n" + strings.TrimSuffix(text, "\n") + "\n```\n"
}

// geminiMedia is the image, the sound or the file that a part holds.
func geminiMedia(p gjson.Result) (block, bool) {
	at := p.Get("inlineData")
	m := media{data: at.Get("data").String()}
	if !at.IsObject() {
		at = p.Get("fileData")
		m = media{url: at.Get("fileUri").String()}
	}
	if m.data == "" && m.url == "" {
		return block{}, false
	}
	m.mimeType = at.Get("mimeType").String()
	b := block{is: fileBlock, media: m, name: at.Get("displayName").String()}
	switch kind, _, _ := strings.Cut(m.mimeType, "/"); kind {
	case "image":
		b.is = imageBlock
	case "audio":
		b.is = audioBlock
	}
	return b, true
}

// geminiIDs is what ids of calls begin with that Gemini gave none.
const geminiIDs = "gemini_"

// longestIDBase keeps ids within what other dialects take.
const longestIDBase = 40

// geminiIDBase is what ids of an answer's calls are made of: the answer's own id, or a digest of its first event, whose
// counts of tokens grow with the conversation.
func geminiIDBase(id, data string) string {
	if id == "" {
		sum := sha256.Sum256([]byte(data))
		id = hex.EncodeToString(sum[:8])
	}
	return geminiIDs + legalID(id, longestIDBase) + "_"
}
