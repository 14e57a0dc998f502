package translate

import "github.com/tidwall/gjson"

// readResponsesAnswer reads an answer of OpenAI's Responses API.
func readResponsesAnswer(body gjson.Result, n *notes) *answer {
	a := &answer{
		id: body.Get("id").String(), model: body.Get("model").String(), created: body.Get("created_at").Int(),
		usage: responsesUsage(body.Get("usage")),
	}
	body.Get("output").ForEach(func(_, item gjson.Result) bool {
		blocks, known := responsesBlocks(item, n)
		if !known {
			n.drop("output." + item.Get("type").String())
		}
		a.blocks = append(a.blocks, blocks...)
		return true
	})
	a.finish = responsesFinish(body, a.blocks)
	return a
}

// responsesBlocks are what an item of an answer says; known is false for types that other dialects can't say.
func responsesBlocks(item gjson.Result, n *notes) (blocks []block, known bool) {
	switch item.Get("type").Str {
	case "message":
		return messageBlocks(item, n), true
	case "function_call", "custom_tool_call":
		b := responsesCall(item)
		b.text = responsesArguments(item)
		return []block{b}, true
	case "reasoning":
		b := block{is: reasoningBlock, id: item.Get("id").String(), text: reasoningText(item)}
		if b.signature = responsesSignature(item); b.text == "" && b.signature.text == "" {
			return nil, true
		}
		return []block{b}, true
	}
	return nil, false
}

// messageBlocks are the parts of a message that say something.
func messageBlocks(item gjson.Result, n *notes) (blocks []block) {
	item.Get("content").ForEach(func(_, part gjson.Result) bool {
		b := block{is: textBlock, text: part.Get("text").String()}
		switch typ := part.Get("type").Str; typ {
		case "output_text":
			if !unset(part.Get("annotations")) {
				n.drop("output.content.annotations")
			}
		case "refusal":
			b = block{is: refusalBlock, text: part.Get("refusal").String()}
		default:
			n.drop("output.content." + typ)
			return true
		}
		if b.text != "" {
			blocks = append(blocks, b)
		}
		return true
	})
	return blocks
}

// responsesCall is a call without its arguments. A host may know only one of its ids.
func responsesCall(item gjson.Result) block {
	id := orElse(item.Get("call_id").String(), item.Get("id").String())
	return block{is: callBlock, id: id, name: item.Get("name").String()}
}

// responsesArguments are the arguments of a call's item.
func responsesArguments(item gjson.Result) string {
	if item.Get("type").Str == "custom_tool_call" {
		return customArguments(item.Get("input").String())
	}
	return item.Get("arguments").String()
}

func responsesSignature(item gjson.Result) signature {
	return unsealed(item.Get("encrypted_content").String(), Responses)
}

// responsesFinish is why a response ended that says so itself, or with a refusal or calls among its blocks.
func responsesFinish(response gjson.Result, blocks []block) finish {
	switch reason := response.Get("incomplete_details.reason").Str; {
	case reason == "content_filter":
		return finishFilter
	case reason != "" || response.Get("status").Str == "incomplete":
		return finishLength
	}
	end := finishStop
	for _, b := range blocks {
		switch b.is {
		case callBlock:
			return finishCalls
		case refusalBlock:
			end = finishRefusal
		}
	}
	return end
}

// responsesUsage reads what was counted; nil if nothing was.
func responsesUsage(v gjson.Result) *usage {
	if !v.IsObject() {
		return nil
	}
	return &usage{
		input:      v.Get("input_tokens").Int(),
		output:     v.Get("output_tokens").Int(),
		cacheRead:  v.Get("input_tokens_details.cached_tokens").Int(),
		cacheWrite: v.Get("input_tokens_details.cache_write_tokens").Int(),
		reasoning:  v.Get("output_tokens_details.reasoning_tokens").Int(),
	}
}
