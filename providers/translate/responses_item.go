package translate

// responsesItem is one item of an answer for a client.
type responsesItem struct {
	is     blockType
	custom bool // a call of a tool that takes any text
	id     string
	index  int
	call   block // of a call: its id and name
	image  string
	text   []byte
	sign   signature
}

// itemKinds are what ids of items begin with.
var itemKinds = map[blockType]string{
	textBlock: "msg", refusalBlock: "msg", callBlock: "fc", reasoningBlock: madeReasoning, imageBlock: "ig",
}

// madeReasoning is what ids of reasoning begin with that no API of Responses gave out. Clients that believe it kept there
// send back nothing but the id, whatever they were told of store; nobody can look it up.
const madeReasoning = "rs_ohmroute"

// item makes an item of a block; nil if clients have none for it.
func (o *responsesObject) item(b block, index int) *responsesItem {
	kind := itemKinds[b.is]
	if kind == "" || b.is == imageBlock && b.media.data == "" {
		return nil
	}
	i := &responsesItem{is: b.is, index: index, call: b, image: b.media.data}
	if b.is == callBlock {
		if b.id == "" {
			i.call.id = madeCallID(o.reply, o.calls)
		}
		o.calls++
		if o.custom[b.name] {
			i.custom, kind = true, "ctc"
		}
	}
	i.id = o.itemID(kind, index)
	o.refused = o.refused || b.is == refusalBlock
	return i
}

// signs makes an item that holds nothing but the signature of the call behind it, which has no place for one.
func (o *responsesObject) signs(call block, index int) *responsesItem {
	s := call.signature
	s.text = callMark + s.text
	return &responsesItem{is: reasoningBlock, id: o.itemID(madeReasoning, index), index: index, sign: s}
}

// arguments are a function's arguments.
func (i *responsesItem) arguments() string { return orEmptyObject(string(i.text)) }

// status is that of a whole item. Arguments that were cut are none to call a function with.
func (i *responsesItem) status() string {
	if i.is == callBlock && !valid(i.arguments()) {
		return "incomplete"
	}
	return "completed"
}

// write writes the item: as it begins, without content, or whole.
func (i *responsesItem) write(w *writer, whole bool) {
	status := "in_progress"
	if whole {
		status = i.status()
	}
	w.begin('{')
	w.textMember("id", i.id)
	switch i.is {
	case callBlock:
		i.writeCall(w, status, whole)
	case reasoningBlock:
		w.textMember("type", "reasoning")
		w.array("summary")
		if whole && len(i.text) > 0 {
			i.writePart(w, true)
		}
		w.end(']')
		if sealed := i.sign.sealed(Responses); sealed != "" {
			w.textMember("encrypted_content", sealed)
		}
	case imageBlock:
		w.textMember("type", "image_generation_call")
		w.textMember("status", status)
		if whole {
			w.textMember("result", i.image)
		} else {
			w.rawMember("result", "null")
		}
	default:
		w.textMember("type", "message")
		w.textMember("status", status)
		w.textMember("role", "assistant")
		w.array("content")
		if whole {
			i.writePart(w, true)
		}
		w.end(']')
	}
	w.end('}')
}

func (i *responsesItem) writeCall(w *writer, status string, whole bool) {
	typ, member, value := "function_call", "arguments", i.arguments()
	if i.custom {
		typ, member, value = "custom_tool_call", "input", customInput(value)
	}
	if !whole {
		value = ""
	}
	w.textMember("type", typ)
	w.textMember("status", status)
	w.textMember("call_id", i.call.id)
	w.textMember("name", i.call.name)
	w.textMember(member, value)
}

// writePart writes the one part that a message or a summary has.
func (i *responsesItem) writePart(w *writer, whole bool) {
	text := ""
	if whole {
		text = string(i.text)
	}
	w.begin('{')
	switch i.is {
	case refusalBlock:
		w.textMember("type", "refusal")
		w.textMember("refusal", text)
	case reasoningBlock:
		w.textMember("type", "summary_text")
		w.textMember("text", text)
	default:
		w.textMember("type", "output_text")
		w.textMember("text", text)
		w.rawMember("annotations", "[]")
		w.rawMember("logprobs", "[]")
	}
	w.end('}')
}

// writeResponsesAnswer writes an answer of OpenAI's Responses API.
func writeResponsesAnswer(a *answer, r Reply, n *notes) []byte {
	o := newResponsesObject(r)
	o.named(a.id, a.model, a.created)
	var output writer
	output.begin('[')
	index := 0
	for _, b := range a.blocks {
		if b.is == callBlock && b.signature.text != "" {
			o.signs(b, index).write(&output, true)
			index++
		}
		i := o.item(b, index)
		if i == nil {
			n.drop("output." + unheldBlocks[b.is])
			continue
		}
		i.text, i.sign = []byte(b.text), b.signature
		i.write(&output, true)
		index++
	}
	output.end(']')
	var w writer
	status, reason := o.ended(a.finish)
	o.write(&w, status, reason, string(output.b), a.usage)
	return w.b
}

// unheldBlocks are what blocks are called that no item can hold.
var unheldBlocks = map[blockType]string{imageBlock: "image", audioBlock: "audio", fileBlock: "file"}
