package translate

import (
	"strings"

	"github.com/tidwall/gjson"
)

// chatAnswer is an answer that is being written.
type chatAnswer struct {
	writer
	*answer
	reply Reply
	calls int
}

func writeChatAnswer(a *answer, r Reply, _ *notes) []byte {
	w := &chatAnswer{answer: a, reply: r}
	functions := asksFunctions(r.Request)
	w.begin('{')
	w.textMember("id", a.id)
	w.textMember("object", "chat.completion")
	w.intMember("created", a.created)
	w.textMember("model", a.model)
	w.array("choices")
	w.begin('{')
	w.intMember("index", 0)
	w.object("message")
	w.textMember("role", "assistant")
	refused := w.content()
	w.reasoning()
	w.images()
	if functions {
		w.functionCall()
	} else {
		w.toolCalls()
	}
	w.end('}')
	w.rawMember("logprobs", "null")
	w.textMember("finish_reason", chatReason(a.finish, refused, functions))
	w.end('}')
	w.end(']')
	if a.usage != nil {
		w.chatUsage(a.usage)
	}
	w.end('}')
	return w.b
}

// asksFunctions tells whether a client knows functions only, and no tools.
func asksFunctions(request []byte) bool {
	return gjson.GetBytes(request, "functions").IsArray() && !gjson.GetBytes(request, "tools").IsArray()
}

// content writes all texts as one, and tells whether there is a refusal.
func (w *chatAnswer) content() (refused bool) {
	var text, refusal strings.Builder
	bare := true // nothing is said in other members
	for i := range w.blocks {
		switch b := &w.blocks[i]; b.is {
		case textBlock:
			text.WriteString(b.text)
		case refusalBlock:
			refusal.WriteString(b.text)
			bare = false
		case callBlock:
			bare = false
		}
	}
	if text.Len() > 0 || bare {
		w.textMember("content", text.String())
	} else {
		w.rawMember("content", "null")
	}
	if refusal.Len() > 0 {
		w.textMember("refusal", refusal.String())
	} else {
		w.rawMember("refusal", "null")
	}
	return refusal.Len() > 0
}

// reasoning writes the reasoning as one text, and block by block if it has to come back unchanged.
func (w *chatAnswer) reasoning() {
	if text := chatReasoningContent(w.blocks); text != "" {
		w.textMember("reasoning_content", text)
	}
	signed := false
	for i := range w.blocks {
		signed = signed || w.blocks[i].is == reasoningBlock && w.blocks[i].signature.text != ""
	}
	if !signed {
		return
	}
	w.array("reasoning_details")
	for i := range w.blocks {
		if w.blocks[i].is == reasoningBlock {
			w.begin('{')
			w.chatDetail(&w.blocks[i])
			w.end('}')
		}
	}
	w.end(']')
}

// images writes pictures that the model made, as routers do.
func (w *chatAnswer) images() {
	listed := false
	for i := range w.blocks {
		if w.blocks[i].is != imageBlock {
			continue
		}
		if !listed {
			w.array("images")
			listed = true
		}
		w.begin('{')
		w.chatImage(&w.blocks[i])
		w.end('}')
	}
	if listed {
		w.end(']')
	}
}

// chatImage writes the members that an entry of images has.
func (w *writer) chatImage(b *block) {
	w.textMember("type", "image_url")
	w.object("image_url")
	w.textMember("url", b.media.at("image/png"))
	w.end('}')
}

func (w *chatAnswer) toolCalls() {
	for i := range w.blocks {
		b := &w.blocks[i]
		if b.is != callBlock {
			continue
		}
		if w.calls == 0 {
			w.array("tool_calls")
		}
		w.begin('{')
		w.textMember("id", chatCallID(b, w.reply, w.calls))
		w.textMember("type", "function")
		w.object("function")
		w.textMember("name", b.name)
		w.textMember("arguments", orEmptyObject(b.text))
		w.end('}')
		w.callSignature(b.signature.sealed(Gemini))
		w.end('}')
		w.calls++
	}
	if w.calls > 0 {
		w.end(']')
	}
}

// functionCall writes the first call in the older form, which has room for one.
func (w *chatAnswer) functionCall() {
	for i := range w.blocks {
		if b := &w.blocks[i]; b.is == callBlock {
			w.object("function_call")
			w.textMember("name", b.name)
			w.textMember("arguments", orEmptyObject(b.text))
			w.end('}')
			return
		}
	}
}

// chatCallID is the id of an answer's n-th call for a client.
func chatCallID(b *block, r Reply, n int) string {
	if b.id == "" {
		return madeCallID(r, n)
	}
	return b.id
}
