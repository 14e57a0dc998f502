package translate

import (
	"cmp"
	"slices"
)

// content is what one side says at a time. Gemini wants the results of all calls of a model's content in the one that
// follows it, so turns of the same side that follow one another become one.
type content struct {
	role   string
	blocks []block
}

func (w *geminiRequest) contents() error {
	w.array("contents")
	var calls []block
	for _, c := range w.said.contents() {
		if c.role == "user" {
			c.resultsFirst(calls)
		}
		calls = callsOf(c.blocks)
		before := len(w.b)
		w.begin('{')
		w.textMember("role", c.role)
		w.array("parts")
		empty := len(w.b)
		if err := w.parts(c); err != nil {
			return err
		}
		if len(w.b) == empty {
			w.b = w.b[:before]
			continue
		}
		w.end(']')
		w.end('}')
	}
	w.end(']')
	return nil
}

// contents are the turns, or what the operator says where nobody else does.
func (c *conversation) contents() []content {
	if len(c.turns) == 0 {
		return []content{{role: "user", blocks: c.system}}
	}
	var all []content
	for _, t := range c.turns {
		role := "user"
		if t.assistant {
			role = "model"
		}
		if n := len(all); n == 0 || all[n-1].role != role {
			all = append(all, content{role: role})
		}
		last := &all[len(all)-1]
		for _, b := range t.blocks {
			if t.system {
				b.text = "<system>\n" + b.text + "\n</system>"
			}
			last.blocks = append(last.blocks, b)
		}
	}
	return all
}

func callsOf(blocks []block) []block {
	return slices.DeleteFunc(slices.Clone(blocks), func(b block) bool { return b.is != callBlock })
}

// resultsFirst puts results in front of the rest, in the order of their calls: Gemini tells calls of the same function
// that have no id by their order.
func (c *content) resultsFirst(calls []block) {
	place := func(b block) int {
		if b.is != resultBlock {
			return len(calls) + 1
		}
		if i := slices.IndexFunc(calls, func(call block) bool { return call.id == b.id }); i >= 0 {
			return i
		}
		return len(calls)
	}
	slices.SortStableFunc(c.blocks, func(a, b block) int { return cmp.Compare(place(a), place(b)) })
}
