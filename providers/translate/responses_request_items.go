package translate

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// responsesItems are the items of an input that other dialects can say.
var responsesItems = map[string]responsesMember{
	"message":                 (*responsesReader).message,
	"function_call":           (*responsesReader).functionCall,
	"function_call_output":    (*responsesReader).output,
	"custom_tool_call":        (*responsesReader).customCall,
	"custom_tool_call_output": (*responsesReader).output,
	"reasoning":               (*responsesReader).reasoned,

	// What a provider did on its own, between the messages that tell what came of it.
	"web_search_call":       dropItem,
	"file_search_call":      dropItem,
	"code_interpreter_call": dropItem,
	"image_generation_call": dropItem,
	"mcp_list_tools":        dropItem,
	"mcp_call":              dropItem,
	"tool_search_call":      dropItem,
	"tool_search_output":    dropItem,
	"additional_tools":      dropItem,
	"configuration_update":  dropItem,

	// What only the provider that made it can look up or read.
	"item_reference": (*responsesReader).reference,
	"compaction":     refuseItem,
}

// input reads what was said so far.
func (r *responsesReader) input(v gjson.Result, param string) error {
	if v.Type == gjson.String {
		r.say(turn{blocks: texts(v.Str)})
		return nil
	}
	items, err := listAt(v, param)
	if err != nil {
		return broken(param, "input has to be a string or a list of items.")
	}
	for i, item := range items {
		if err := r.item(item, param+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	return nil
}

func (r *responsesReader) item(v gjson.Result, param string) error {
	if !v.IsObject() {
		return broken(param, "%s has to be an object.", param)
	}
	typ := v.Get("type")
	if !typ.Exists() && v.Get("role").Exists() {
		return r.message(v, param)
	}
	read, known := responsesItems[typ.Str]
	switch {
	case known:
		return read(r, v, param)
	case typ.Str == "":
		return broken(param+".type", "%s has neither a type nor a role.", param)
	}
	return unsayable(param+".type", "Items of type %q can't be said in another dialect.", typ.Str)
}

func dropItem(r *responsesReader, v gjson.Result, _ string) error {
	r.n.drop("input." + v.Get("type").Str)
	return nil
}

// reference drops what a client believes to be kept of reasoning that is not, and refuses to do without anything else.
func (r *responsesReader) reference(v gjson.Result, param string) error {
	if strings.HasPrefix(v.Get("id").Str, madeReasoning) {
		r.n.unreasoned = true
		return nil
	}
	return refuseItem(r, v, param)
}

func refuseItem(_ *responsesReader, v gjson.Result, param string) error {
	return unsayable(param+".type", "Items of type %q are about what one provider keeps, and can't be said in another "+
		"dialect. Send the whole conversation as input, with store: false.", v.Get("type").Str)
}

func (r *responsesReader) message(v gjson.Result, param string) error {
	r.rest(v, "input", "type", "role", "content", "id", "status")
	blocks, err := r.content(v.Get("content"), param+".content", "input.content")
	if err != nil {
		return err
	}
	switch role := v.Get("role"); role.Str {
	case "user":
		r.say(turn{blocks: blocks})
	case "assistant":
		r.answered(blocks...)
	case "system", "developer":
		return r.told(blocks, param)
	default:
		return broken(param+".role", "%s.role can't be %q.", param, role.String())
	}
	return nil
}

// say begins a turn, if there is something in it.
func (r *responsesReader) say(t turn) {
	if len(t.blocks) > 0 {
		r.c.turns = append(r.c.turns, t)
	}
}

// answered adds to what the model said: all that it said in one go is one turn.
func (r *responsesReader) answered(blocks ...block) {
	if last := r.last(); last != nil && last.assistant {
		last.blocks = append(last.blocks, blocks...)
		return
	}
	r.say(turn{assistant: true, blocks: blocks})
}

// told adds what the operator says.
func (r *responsesReader) told(blocks []block, param string) error {
	for _, b := range blocks {
		if b.is != textBlock {
			return unsayable(param+".content", "Instructions of other than text can't be said in another dialect.")
		}
	}
	if len(r.c.turns) == 0 {
		r.c.system = append(r.c.system, blocks...)
	} else {
		r.say(turn{system: true, blocks: blocks})
	}
	return nil
}

// last is the turn that was said last.
func (r *responsesReader) last() *turn {
	if len(r.c.turns) == 0 {
		return nil
	}
	return &r.c.turns[len(r.c.turns)-1]
}

func (r *responsesReader) functionCall(v gjson.Result, param string) error {
	r.rest(v, "input", "type", "id", "call_id", "name", "arguments", "status")
	o := object{of: v, path: param}
	r.called(block{is: callBlock, id: o.need("call_id"), name: o.need("name"), text: o.text("arguments")})
	return o.err
}

func (r *responsesReader) customCall(v gjson.Result, param string) error {
	r.rest(v, "input", "type", "id", "call_id", "name", "input", "status")
	o := object{of: v, path: param}
	r.called(block{
		is: callBlock, id: o.need("call_id"), name: o.need("name"), text: customArguments(o.text("input")),
	})
	return o.err
}

// called adds a call.
func (r *responsesReader) called(call block) {
	call.text = orEmptyObject(call.text)
	call.signature, r.sign = r.sign, signature{}
	r.answered(call)
}

// output reads what came of a call.
func (r *responsesReader) output(v gjson.Result, param string) error {
	r.rest(v, "input", "type", "id", "call_id", "name", "output", "status")
	o := object{of: v, path: param}
	result := block{is: resultBlock, id: o.need("call_id")}
	if o.err != nil {
		return o.err
	}
	var err error
	if result.content, err = r.content(v.Get("output"), param+".output", "input.output"); err != nil {
		return err
	}
	if last := r.last(); last != nil && last.blocks[len(last.blocks)-1].is == resultBlock {
		last.blocks = append(last.blocks, result)
		return nil
	}
	r.say(turn{blocks: []block{result}})
	return nil
}

// reasoned reads reasoning: as it was thought, if the provider shows that, else its summary. It may hold nothing but the
// signature of the call behind it.
func (r *responsesReader) reasoned(v gjson.Result, param string) error {
	r.rest(v, "input", "type", "id", "summary", "content", "encrypted_content", "status")
	o := object{of: v, path: param}
	b := block{is: reasoningBlock, id: o.text("id"), text: reasoningText(v)}
	b.signature = unsealed(o.text("encrypted_content"), Responses)
	if rest, ofCall := strings.CutPrefix(b.signature.text, callMark); ofCall && b.signature.from != Responses {
		b.signature.text = rest
		r.sign = b.signature
		return o.err
	}
	if b.text == "" && b.signature.text == "" {
		r.n.unreasoned = true // the provider keeps it, if there is anything
	} else {
		r.answered(b)
	}
	return o.err
}

// reasoningText is what an item of reasoning says.
func reasoningText(item gjson.Result) string {
	for _, name := range [...]string{"content", "summary"} {
		var parts []string
		item.Get(name).ForEach(func(_, part gjson.Result) bool {
			if text := part.Get("text").Str; text != "" {
				parts = append(parts, text)
			}
			return true
		})
		if len(parts) > 0 {
			return strings.Join(parts, reasoningGap)
		}
	}
	return ""
}

// reasoningGap stands between pieces of reasoning that become one text.
const reasoningGap = "\n\n"
