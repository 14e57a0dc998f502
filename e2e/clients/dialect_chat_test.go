package clients

import (
	"maps"
	"slices"
)

func chatHead(kind string) object {
	return object{"id": "chatcmpl-1", "object": kind, "created": 1700000000, "model": "scripted"}
}

var chatUsage = object{"prompt_tokens": inputTokens, "completion_tokens": outputTokens, "total_tokens": inputTokens + outputTokens}

func chatCall(n int, city string) object {
	return object{"id": callID(n), "type": "function", "function": object{"name": "get_weather", "arguments": argumentsFor(city)}}
}

func chatAnswer(s speech) string {
	message := object{"role": "assistant", "content": nil, "refusal": nil}
	reason := "stop"
	if s.text != "" {
		message["content"] = s.text
	}
	var calls []object
	for n, city := range s.cities {
		calls = append(calls, chatCall(n, city))
	}
	if calls != nil {
		message["tool_calls"], reason = calls, "tool_calls"
	}
	body := chatHead("chat.completion")
	body["choices"] = []object{{"index": 0, "message": message, "logprobs": nil, "finish_reason": reason}}
	body["usage"] = chatUsage
	return "json " + asJSON(body)
}

func chatChunk(delta object, finish any) string {
	body := chatHead("chat.completion.chunk")
	body["choices"] = []object{{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}}
	return "event " + asJSON(body)
}

func chatCallChunk(n int, function object, more object) string {
	call := object{"index": n, "function": function}
	maps.Copy(call, more)
	return chatChunk(object{"tool_calls": []object{call}}, nil)
}

// chatStream streams one call after the other, as OpenAI does, or all of them at once, as other hosts do.
func chatStream(s speech) transcript {
	begun, halves := make([]string, len(s.cities)), [2][]string{}
	for n, city := range s.cities {
		begun[n] = chatCallChunk(n, object{"name": "get_weather", "arguments": ""}, object{"id": callID(n), "type": "function"})
		text := argumentsFor(city)
		middle := len(text) / 2
		halves[0] = append(halves[0], chatCallChunk(n, object{"arguments": text[:middle]}, nil))
		halves[1] = append(halves[1], chatCallChunk(n, object{"arguments": text[middle:]}, nil))
	}
	said := slices.Concat(begun, halves[0], halves[1])
	if !s.interleaved {
		said = nil
		for n := range begun {
			said = append(said, begun[n], halves[0][n], halves[1][n])
		}
	}
	reason := "tool_calls"
	if s.text != "" {
		reason = "stop"
		for _, word := range words(s.text) {
			said = append(said, chatChunk(object{"content": word}, nil))
		}
	}
	usage := chatHead("chat.completion.chunk")
	usage["choices"], usage["usage"] = []object{}, chatUsage
	return transcript{
		opening: []string{chatChunk(object{"role": "assistant", "content": ""}, nil)},
		first:   said[0],
		rest:    append(said[1:], chatChunk(object{}, reason), "event "+asJSON(usage), "done"),
	}
}
