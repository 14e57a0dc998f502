package translate

import (
	"strings"

	"github.com/tidwall/gjson"
)

// chatReasonings are the members that hosts have a message's reasoning in, all of it as one text.
var chatReasonings = []string{"reasoning_content", "reasoning", "thinking"}

// chatReasoningText is the reasoning of a message or a delta as one text.
func chatReasoningText(m gjson.Result) string {
	for _, name := range chatReasonings {
		if v := m.Get(name); v.Type == gjson.String && v.Str != "" {
			return v.Str
		}
	}
	return ""
}

// chatReasoning is the reasoning of a whole message. Details are the better source: they have signatures. But some have
// no text, and the text beside them is theirs.
func chatReasoning(m gjson.Result) []block {
	var blocks []block
	readable := false
	for detail := range elements(m.Get("reasoning_details")) {
		text := chatDetailText(detail)
		b := block{is: reasoningBlock, text: text, signature: chatDetailSignature(detail)}
		last := len(blocks) - 1
		switch readable = readable || text != ""; {
		case text == "" && b.signature.text == "":
		case text == "" && b.signature.from == Chat && last >= 0 && blocks[last].text != "" && blocks[last].signature.text == "":
			blocks[last].signature = b.signature // hosts have an entry for each
		default:
			blocks = append(blocks, b)
		}
	}
	text := chatReasoningText(m)
	switch {
	case readable || text == "":
	case len(blocks) > 0:
		blocks[0].text = text
	default:
		blocks = []block{{is: reasoningBlock, text: text}}
	}
	return blocks
}

// chatDetailText is what can be read of an entry of reasoning_details.
func chatDetailText(detail gjson.Result) string {
	if text := detail.Get("text"); text.Type == gjson.String {
		return text.Str
	}
	return detail.Get("summary").String()
}

// chatDetailSignature is what makes an entry of reasoning_details worth sending back: a signature, or reasoning that
// can't be read. One that a chat host made is kept with all that the entry says beside its text.
func chatDetailSignature(detail gjson.Result) signature {
	text := detail.Get("signature").String()
	if text == "" {
		text = detail.Get("data").String()
	}
	s := unsealed(text, Chat)
	if s.from != Chat || text == "" {
		return s
	}
	w := withoutText(detail)
	w.end('}')
	return signature{Chat, string(w.b)}
}

// withoutText begins an entry of reasoning_details with what it says beside its text.
func withoutText(detail gjson.Result) *writer {
	w := &writer{}
	w.begin('{')
	detail.ForEach(func(key, value gjson.Result) bool {
		if name := key.String(); name != "text" && name != "summary" {
			w.rawMember(name, value.Raw)
		}
		return true
	})
	return w
}

// chatDetail writes the members that an entry of reasoning_details has for a client.
func (w *writer) chatDetail(b *block) {
	sealed := b.signature.sealed(Chat)
	if b.text == "" {
		w.textMember("type", "reasoning.encrypted")
		w.textMember("data", sealed)
	} else {
		w.textMember("type", "reasoning.text")
		w.textMember("text", b.text)
		if sealed != "" {
			w.textMember("signature", sealed)
		}
	}
}

// chatDetailsBack are the entries of reasoning_details that a host made a block of reasoning from; there are none of what
// somebody else made up.
func (b *block) chatDetailsBack() []string {
	kept := b.signature.of(Chat)
	if !valid(kept) || !gjson.Parse(kept).IsObject() {
		return nil
	}
	entry := gjson.Parse(kept)
	w := withoutText(entry)
	if !entry.Get("data").Exists() {
		w.textMember("text", b.text)
		w.end('}')
		return []string{string(w.b)}
	}
	w.end('}')
	if b.text == "" {
		return []string{string(w.b)}
	}
	var summary writer
	summary.begin('{')
	summary.textMember("type", "reasoning.summary")
	summary.textMember("summary", b.text)
	summary.rawMember("format", entry.Get("format").Raw)
	summary.rawMember("index", entry.Get("index").Raw)
	summary.end('}')
	return []string{string(summary.b), string(w.b)}
}

// chatReasoningContent is what blocks of reasoning say, as one text.
func chatReasoningContent(blocks []block) string {
	var texts []string
	for i := range blocks {
		if blocks[i].is == reasoningBlock && blocks[i].text != "" {
			texts = append(texts, blocks[i].text)
		}
	}
	return strings.Join(texts, reasoningGap)
}
