package clients

import (
	"fmt"
	"maps"
)

func responsesHead(status string) object {
	return object{
		"id": "resp_1", "object": "response", "created_at": 1700000000, "status": status, "model": "scripted", "output": []object{},
		"error": nil, "incomplete_details": nil, "instructions": nil, "metadata": object{}, "parallel_tool_calls": true,
		"temperature": 1, "top_p": 1, "tool_choice": "auto", "tools": []object{}, "usage": nil,
	}
}

func responsesText(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []object{}, "logprobs": []object{}}
}

// responsesItems are the output of a turn.
func responsesItems(s speech) []object {
	var items []object
	if s.text != "" {
		items = append(items, object{
			"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": []object{responsesText(s.text)},
		})
	}
	for n, city := range s.cities {
		items = append(items, object{
			"id": fmt.Sprintf("fc_%d", n+1), "type": "function_call", "status": "completed", "call_id": callID(n),
			"name": "get_weather", "arguments": argumentsFor(city),
		})
	}
	return items
}

func responsesDone(s speech) object {
	body := responsesHead("completed")
	body["output"] = responsesItems(s)
	body["usage"] = object{
		"input_tokens": inputTokens, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": outputTokens,
		"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": inputTokens + outputTokens,
	}
	return body
}

func responsesAnswer(s speech) string { return "json " + asJSON(responsesDone(s)) }

// responsesEvents are the events of a stream, numbered as they are added.
type responsesEvents []string

func (e *responsesEvents) add(name string, members object) {
	members["type"], members["sequence_number"] = name, len(*e)
	*e = append(*e, "typed "+name+" "+asJSON(members))
}

func (e *responsesEvents) message(n int, item object, text string) {
	id := item["id"]
	empty := object{"id": id, "type": "message", "role": "assistant", "status": "in_progress", "content": []object{}}
	e.add("response.output_item.added", object{"output_index": n, "item": empty})
	at := func(more object) object {
		more["item_id"], more["output_index"], more["content_index"] = id, n, 0
		return more
	}
	e.add("response.content_part.added", at(object{"part": responsesText("")}))
	for _, word := range words(text) {
		e.add("response.output_text.delta", at(object{"delta": word, "logprobs": []object{}}))
	}
	e.add("response.output_text.done", at(object{"text": text, "logprobs": []object{}}))
	e.add("response.content_part.done", at(object{"part": responsesText(text)}))
	e.add("response.output_item.done", object{"output_index": n, "item": item})
}

func (e *responsesEvents) call(n int, item object, arguments string) {
	empty := maps.Clone(item)
	empty["arguments"], empty["status"] = "", "in_progress"
	e.add("response.output_item.added", object{"output_index": n, "item": empty})
	middle := len(arguments) / 2
	for _, piece := range []string{arguments[:middle], arguments[middle:]} {
		e.add("response.function_call_arguments.delta", object{"item_id": item["id"], "output_index": n, "delta": piece})
	}
	e.add("response.function_call_arguments.done", object{"item_id": item["id"], "output_index": n, "name": item["name"], "arguments": arguments})
	e.add("response.output_item.done", object{"output_index": n, "item": item})
}

func responsesStream(s speech) transcript {
	var events responsesEvents
	events.add("response.created", object{"response": responsesHead("in_progress")})
	events.add("response.in_progress", object{"response": responsesHead("in_progress")})
	meaningful := len(events) + 1
	for n, item := range responsesItems(s) {
		if item["type"] == "message" {
			meaningful++ // a message's part begins empty too
			events.message(n, item, s.text)
		} else {
			events.call(n, item, argumentsFor(s.cities[n]))
		}
	}
	events.add("response.completed", object{"response": responsesDone(s)})
	return transcript{opening: events[:meaningful], first: events[meaningful], rest: events[meaningful+1:]}
}
