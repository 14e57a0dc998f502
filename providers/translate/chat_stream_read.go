package translate

import (
	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// chatReader reads a chat's stream. Content, reasoning and a refusal are open one at a time; calls stay open until their
// arguments are whole, as hosts may interleave them.
type chatReader struct {
	begun    bool
	done     bool
	blocks   int // how many were opened
	current  int // the open block that isn't a call, +1; 0: none
	is       blockType
	detail   int64 // the index of the entry of reasoning_details that the open reasoning came with
	signed   bool  // the open reasoning
	calls    []chatCalling
	finish   string
	stop     string
	counted  *usage
	function bool // the host speaks of a function_call
}

func newChatReader() streamReader { return &chatReader{} }

// read implements [streamReader].
func (r *chatReader) read(ev sse.Event, said []event) []event {
	if string(ev.Data) == chatDone {
		return r.end(said)
	}
	chunk := gjson.ParseBytes(ev.Data)
	if u := readChatUsage(chunk); u != nil {
		r.counted = u
	}
	for choice := range elements(chunk.Get("choices")) {
		if choice.Get("index").Int() == 0 {
			said = r.choice(choice, r.begin(chunk, said))
		}
	}
	return said
}

// chatDone is the data of a stream's last event.
const chatDone = "[DONE]"

// end implements [ender]. Some hosts end without their last event.
func (r *chatReader) end(said []event) []event {
	if r.done {
		return said
	}
	r.done = true
	said = r.close(said)
	return append(said, event{
		is: finished, finish: finishIn(chatFinishes, r.finish, len(r.calls) > 0), stop: r.stop, usage: r.counted,
	})
}

func (r *chatReader) begin(chunk gjson.Result, said []event) []event {
	if r.begun {
		return said
	}
	r.begun = true
	return append(said, event{
		is: began, id: chunk.Get("id").String(), model: chunk.Get("model").String(), created: chunk.Get("created").Int(),
	})
}

func (r *chatReader) choice(choice gjson.Result, said []event) []event {
	delta := choice.Get("delta")
	if !delta.IsObject() {
		delta = choice.Get("message") // some hosts send a whole answer in one event
	}
	said = r.reasoning(delta, said)
	said = r.content(delta.Get("content"), said)
	said = r.grow(refusalBlock, delta.Get("refusal").String(), said)
	for _, image := range chatImages(delta) {
		said = r.close(said)
		said = append(r.opened(image, said), event{is: closed, at: r.blocks - 1})
	}
	for call := range elements(delta.Get("tool_calls")) {
		said = r.call(call, said)
	}
	if old := delta.Get("function_call"); old.IsObject() {
		said = r.functionCall(old, said)
	}
	if reason := choice.Get("finish_reason").String(); reason != "" && r.finish == "" {
		r.finish = reason
	}
	if stop := chatStop(choice); stop != "" {
		r.stop = stop
	}
	return said
}

// content reads a piece of the content: a text, or with Mistral a list of parts.
func (r *chatReader) content(v gjson.Result, said []event) []event {
	if !v.IsArray() {
		return r.grow(textBlock, v.String(), said)
	}
	for part := range elements(v) {
		switch part.Get("type").Str {
		case "text", "output_text":
			said = r.grow(textBlock, part.Get("text").String(), said)
		case "thinking":
			said = r.grow(reasoningBlock, chatThinking(part), said)
		}
	}
	return said
}

// reasoning reads a piece of the reasoning, which may stand in two members at once, and what has to come back with it.
func (r *chatReader) reasoning(delta gjson.Result, said []event) []event {
	readable := false
	for detail := range elements(delta.Get("reasoning_details")) {
		if text := chatDetailText(detail); text != "" {
			readable = true
			if index := detail.Get("index").Int(); r.current > 0 && r.is == reasoningBlock && index != r.detail {
				said = r.close(said)
			}
			r.detail = detail.Get("index").Int()
			said = r.grow(reasoningBlock, text, said)
		}
		if s := chatDetailSignature(detail); s.text != "" {
			if !readable {
				said = r.grow(reasoningBlock, chatReasoningText(delta), said)
				readable = true
			}
			said = r.sign(s, said)
		}
	}
	if readable {
		return said
	}
	return r.grow(reasoningBlock, chatReasoningText(delta), said)
}

// sign signs the open reasoning, or says that there is reasoning that can't be read.
func (r *chatReader) sign(s signature, said []event) []event {
	if r.current > 0 && r.is == reasoningBlock && !r.signed {
		r.signed = true
		return append(said, event{is: signed, at: r.current - 1, signature: s})
	}
	said = r.opened(block{is: reasoningBlock}, said)
	at := r.blocks - 1
	return append(said, event{is: signed, at: at, signature: s}, event{is: closed, at: at})
}

// grow adds text to the open block, or to a new one if that is of another type.
func (r *chatReader) grow(is blockType, text string, said []event) []event {
	if text == "" {
		return said
	}
	if r.current == 0 || r.is != is {
		said = r.opened(block{is: is}, r.close(said))
		r.current, r.is, r.signed = r.blocks, is, false
	}
	return append(said, event{is: more, at: r.current - 1, text: text})
}

// opened opens a block.
func (r *chatReader) opened(b block, said []event) []event {
	r.blocks++
	return append(said, event{is: opened, at: r.blocks - 1, block: b})
}

// close closes the open block that isn't a call.
func (r *chatReader) close(said []event) []event {
	if r.current == 0 {
		return said
	}
	said = append(said, event{is: closed, at: r.current - 1})
	r.current = 0
	return said
}
