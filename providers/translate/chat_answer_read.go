package translate

import "github.com/tidwall/gjson"

func readChatAnswer(body gjson.Result, n *notes) *answer {
	choices := body.Get("choices").Array()
	a := &answer{
		id: body.Get("id").String(), model: body.Get("model").String(), created: body.Get("created").Int(),
		usage: readChatUsage(body),
	}
	if len(choices) == 0 {
		return a
	}
	if len(choices) > 1 {
		n.drop("choices")
	}
	first := choices[0]
	m := first.Get("message")
	a.blocks = append(chatReasoning(m), chatContent(m.Get("content"), n)...)
	if refusal := m.Get("refusal").String(); refusal != "" {
		a.blocks = append(a.blocks, block{is: refusalBlock, text: refusal})
	}
	a.blocks = append(a.blocks, chatImages(m)...)
	called := false
	for call := range elements(m.Get("tool_calls")) {
		b := chatCall(call)
		b.signature = unsealed(call.Get(chatCallSignature).String(), Chat)
		a.blocks = append(a.blocks, b)
		called = true
	}
	if old := m.Get("function_call"); old.IsObject() {
		a.blocks = append(a.blocks, block{
			is: callBlock, name: old.Get("name").String(), text: chatArguments(old.Get("arguments")),
		})
		called = true
	}
	a.finish, a.stop = finishIn(chatFinishes, first.Get("finish_reason").String(), called), chatStop(first)
	for _, name := range [...]string{"annotations", "audio"} {
		if !unset(m.Get(name)) {
			n.drop("choices.message." + name)
		}
	}
	if !unset(first.Get("logprobs.content")) {
		n.drop("choices.logprobs")
	}
	return a
}

// chatContent are the parts of an answer's content: one text, or with some hosts a list.
func chatContent(v gjson.Result, n *notes) []block {
	if !v.IsArray() {
		return textBlocks(v.String())
	}
	var blocks []block
	for part := range elements(v) {
		switch typ := part.Get("type").Str; typ {
		case "text", "output_text":
			blocks = append(blocks, textBlocks(part.Get("text").String())...)
		case "thinking":
			if text := chatThinking(part); text != "" {
				blocks = append(blocks, block{is: reasoningBlock, text: text})
			}
		case "refusal":
			blocks = append(blocks, block{is: refusalBlock, text: part.Get("refusal").String()})
		default:
			n.drop("choices.message.content." + typ)
		}
	}
	return blocks
}

// chatImages are pictures that a model made, which routers put beside the content.
func chatImages(m gjson.Result) []block {
	var blocks []block
	for image := range elements(m.Get("images")) {
		if url := image.Get("image_url.url").String(); url != "" {
			blocks = append(blocks, block{is: imageBlock, media: mediaAt(url)})
		}
	}
	return blocks
}

// chatStop is the stop sequence that ended the answer, where a host tells it.
func chatStop(choice gjson.Result) string {
	for _, name := range [...]string{"stop_reason", "matched_stop"} {
		if v := choice.Get(name); v.Type == gjson.String {
			return v.Str
		}
	}
	return ""
}
