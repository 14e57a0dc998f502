package clients

func messagesHead() object {
	return object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": []object{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": inputTokens, "output_tokens": 1},
	}
}

func messagesReason(s speech) string {
	if len(s.cities) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func messagesAnswer(s speech) string {
	var content []object
	if s.text != "" {
		content = append(content, object{"type": "text", "text": s.text})
	}
	for n, city := range s.cities {
		content = append(content, object{"type": "tool_use", "id": callID(n), "name": "get_weather", "input": object{"city": city}})
	}
	body := messagesHead()
	body["content"], body["stop_reason"] = content, messagesReason(s)
	body["usage"] = object{"input_tokens": inputTokens, "output_tokens": outputTokens}
	return "json " + asJSON(body)
}

func messagesEvent(name string, members object) string {
	members["type"] = name
	return "typed " + name + " " + asJSON(members)
}

// messagesBlock streams one block of the content in the pieces given, each a delta.
func messagesBlock(n int, block object, deltas ...object) []string {
	lines := []string{messagesEvent("content_block_start", object{"index": n, "content_block": block})}
	for _, delta := range deltas {
		lines = append(lines, messagesEvent("content_block_delta", object{"index": n, "delta": delta}))
	}
	return append(lines, messagesEvent("content_block_stop", object{"index": n}))
}

func messagesStream(s speech) transcript {
	var said []string
	if s.text != "" {
		var deltas []object
		for _, word := range words(s.text) {
			deltas = append(deltas, object{"type": "text_delta", "text": word})
		}
		said = messagesBlock(0, object{"type": "text", "text": ""}, deltas...)
	}
	for n, city := range s.cities {
		text := argumentsFor(city)
		middle := len(text) / 2
		said = append(said, messagesBlock(n, object{"type": "tool_use", "id": callID(n), "name": "get_weather", "input": object{}},
			object{"type": "input_json_delta", "partial_json": ""},
			object{"type": "input_json_delta", "partial_json": text[:middle]},
			object{"type": "input_json_delta", "partial_json": text[middle:]})...)
	}
	return transcript{
		opening: []string{messagesEvent("message_start", object{"message": messagesHead()}), said[0], messagesEvent("ping", object{})},
		first:   said[1],
		rest: append(said[2:],
			messagesEvent("message_delta", object{
				"delta": object{"stop_reason": messagesReason(s), "stop_sequence": nil},
				"usage": object{"output_tokens": outputTokens},
			}),
			messagesEvent("message_stop", object{})),
	}
}
