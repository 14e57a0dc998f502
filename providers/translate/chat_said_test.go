package translate

import (
	"fmt"
	"iter"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// said is what a client puts together from a chat's stream.
type said struct {
	content, reasoning, refusal string
	calls                       string
	prompt, completion          int64
}

// chatSaid puts together the first choice of a stream, the simplest way that works with every recorded host.
func chatSaid(t *testing.T, pieces iter.Seq[[]byte]) said {
	t.Helper()
	var s said
	type call struct{ id, name, arguments string }
	var calls []call
	for piece := range pieces {
		for ev := range sse.Events(piece) {
			chunk := gjson.ParseBytes(ev.Data)
			for _, u := range []gjson.Result{chunk.Get("x_groq.usage"), chunk.Get("usage")} {
				if u.IsObject() {
					s.prompt = u.Get("prompt_tokens").Int()
					s.completion = u.Get("total_tokens").Int() - s.prompt
				}
			}
			for _, choice := range chunk.Get("choices").Array() {
				if choice.Get("index").Int() > 0 {
					continue
				}
				delta := choice.Get("delta")
				s.content += delta.Get("content").String()
				s.refusal += delta.Get("refusal").String()
				reasoning := delta.Get("reasoning").String() + delta.Get("reasoning_content").String()
				if reasoning == "" && !delta.Get("reasoning_content").Exists() && len(delta.Get("reasoning_details").Array()) > 0 {
					reasoning = detailTexts(delta)
				}
				s.reasoning += reasoning
				for _, c := range delta.Get("tool_calls").Array() {
					if i := int(c.Get("index").Int()); i == len(calls) {
						calls = append(calls, call{c.Get("id").String(), c.Get("function.name").String(), ""})
					}
					calls[c.Get("index").Int()].arguments += c.Get("function.arguments").String()
				}
			}
		}
	}
	for i := range calls {
		if calls[i].arguments == "" {
			calls[i].arguments = "{}"
		}
	}
	s.calls = fmt.Sprint(calls)
	return s
}

// detailTexts are texts of details that aren't signed; those that are signed repeat what was said before.
func detailTexts(delta gjson.Result) string {
	text := ""
	for _, d := range delta.Get("reasoning_details").Array() {
		if d.Get("signature").String() == "" {
			text += d.Get("text").String()
		}
	}
	return text
}
