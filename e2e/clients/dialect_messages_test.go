package clients

func messagesHead() object {
	return object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": []object{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 5, "output_tokens": 1},
	}
}

func messagesCalls() string {
	var content []object
	for n, city := range cities {
		content = append(content, object{"type": "tool_use", "id": callID(n), "name": "get_weather", "input": object{"city": city}})
	}
	body := messagesHead()
	body["content"], body["stop_reason"] = content, "tool_use"
	return "json " + asJSON(body)
}

func messagesEvent(name string, members object) string {
	members["type"] = name
	return "typed " + name + " " + asJSON(members)
}

func messagesCallsStreamed() string {
	lines := []string{messagesEvent("message_start", object{"message": messagesHead()}), messagesEvent("ping", object{})}
	for n, city := range cities {
		_, one, two := arguments(city)
		lines = append(lines, messagesEvent("content_block_start", object{
			"index": n, "content_block": object{"type": "tool_use", "id": callID(n), "name": "get_weather", "input": object{}},
		}))
		for _, piece := range []string{"", one, two} {
			lines = append(lines, messagesEvent("content_block_delta", object{
				"index": n, "delta": object{"type": "input_json_delta", "partial_json": piece},
			}))
		}
		lines = append(lines, messagesEvent("content_block_stop", object{"index": n}))
	}
	return script(append(lines,
		messagesEvent("message_delta", object{
			"delta": object{"stop_reason": "tool_use", "stop_sequence": nil}, "usage": object{"output_tokens": 2},
		}),
		messagesEvent("message_stop", object{}))...)
}
