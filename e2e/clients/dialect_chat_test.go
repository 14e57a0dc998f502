package clients

func chatCalls() string {
	var calls []object
	for n, city := range cities {
		whole, _, _ := arguments(city)
		calls = append(calls, object{"id": callID(n), "type": "function", "function": object{"name": "get_weather", "arguments": whole}})
	}
	return "json " + asJSON(object{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": "scripted",
		"choices": []object{{
			"index": 0, "message": object{"role": "assistant", "content": nil, "refusal": nil, "tool_calls": calls},
			"logprobs": nil, "finish_reason": "tool_calls",
		}},
		"usage": object{"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
	})
}

// chatCall is a chunk with a piece of a call. It has the id and the role that providertest's own chunks have.
func chatCall(n int, call object) string {
	call["index"] = n
	return "event " + asJSON(object{
		"id": "chatcmpl-test", "object": "chat.completion.chunk", "created": 1700000000, "model": "scripted",
		"choices": []object{{"index": 0, "delta": object{"tool_calls": []object{call}}, "logprobs": nil, "finish_reason": nil}},
	})
}

// chatPieces are the begin of a call and the two pieces of its arguments.
func chatPieces(n int) (begin, one, two string) {
	_, first, second := arguments(cities[n])
	begin = chatCall(n, object{"id": callID(n), "type": "function", "function": object{"name": "get_weather", "arguments": ""}})
	return begin, chatCall(n, object{"function": object{"arguments": first}}), chatCall(n, object{"function": object{"arguments": second}})
}

// chatCallsStreamed streams one call after the other, as OpenAI does.
func chatCallsStreamed() string {
	begin1, one1, two1 := chatPieces(0)
	begin2, one2, two2 := chatPieces(1)
	return script("role", begin1, one1, two1, begin2, one2, two2, "finish tool_calls", "done")
}

// chatCallsInterleaved streams both calls at once, as other hosts do.
func chatCallsInterleaved() string {
	begin1, one1, two1 := chatPieces(0)
	begin2, one2, two2 := chatPieces(1)
	return script("role", begin1, begin2, one1, one2, two1, two2, "finish tool_calls", "done")
}
