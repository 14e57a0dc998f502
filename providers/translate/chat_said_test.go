package translate

import (
	"fmt"
	"iter"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// chatHeard is what a client puts together from a chat's stream.
type chatHeard struct {
	content, reasoning, refusal string
	calls, images, finish       string
	ids, details                []string
	prompt, completion          int64
}

// chatSaid puts together the first choice of a stream, the simplest way that works with every recorded host.
func chatSaid(pieces iter.Seq[[]byte]) chatHeard {
	var h chatHeard
	type call struct{ id, name, arguments string }
	var calls []call
	for piece := range pieces {
		for ev := range sse.Events(piece) {
			chunk := gjson.ParseBytes(ev.Data)
			h.count(chunk)
			for _, choice := range chunk.Get("choices").Array() {
				if choice.Get("index").Int() > 0 {
					continue
				}
				delta := choice.Get("delta")
				h.hear(delta)
				if reason := choice.Get("finish_reason").String(); h.finish == "" {
					h.finish = reason
				}
				for _, c := range delta.Get("tool_calls").Array() {
					i := int(c.Get("index").Int())
					if i == len(calls) {
						calls = append(calls, call{c.Get("id").String(), c.Get("function.name").String(), ""})
						h.ids = append(h.ids, c.Get("id").String())
					}
					calls[i].arguments += c.Get("function.arguments").String()
				}
			}
		}
	}
	for i := range calls {
		if calls[i].arguments == "" {
			calls[i].arguments = "{}"
		}
	}
	h.calls = fmt.Sprint(calls)
	return h
}

// count takes the usage. Some hosts count reasoning beside the answer, but none in the prompt.
func (h *chatHeard) count(chunk gjson.Result) {
	for _, name := range []string{"x_groq.usage", "usage"} {
		if u := chunk.Get(name); u.IsObject() {
			h.prompt = u.Get("prompt_tokens").Int()
			h.completion = u.Get("total_tokens").Int() - h.prompt
		}
	}
}

func (h *chatHeard) hear(delta gjson.Result) {
	h.content += delta.Get("content").String()
	h.refusal += delta.Get("refusal").String()
	h.images += delta.Get("images").Raw
	reasoning := delta.Get("reasoning").String() + delta.Get("reasoning_content").String()
	var text strings.Builder
	for _, d := range delta.Get("reasoning_details").Array() {
		h.details = append(h.details, d.Raw)
		if d.Get("signature").String() == "" { // one that is signed repeats what was said before
			text.WriteString(d.Get("text").String())
		}
	}
	if reasoning == "" && !delta.Get("reasoning_content").Exists() {
		reasoning = text.String()
	}
	h.reasoning += reasoning
}
