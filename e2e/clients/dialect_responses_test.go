package clients

import "fmt"

func responsesBody(status string, output []object) object {
	return object{
		"id": "resp_1", "object": "response", "created_at": 1700000000, "status": status, "model": "scripted", "output": output,
		"error": nil, "incomplete_details": nil, "parallel_tool_calls": true, "tool_choice": "auto", "tools": []object{},
		"usage": object{
			"input_tokens": 5, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": 2, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 7,
		},
	}
}

func responsesCall(n int, status, arguments string) object {
	return object{
		"id": fmt.Sprintf("fc_%d", n+1), "type": "function_call", "status": status, "call_id": callID(n),
		"name": "get_weather", "arguments": arguments,
	}
}

func responsesOutput() []object {
	var output []object
	for n, city := range cities {
		whole, _, _ := arguments(city)
		output = append(output, responsesCall(n, "completed", whole))
	}
	return output
}

func responsesCalls() string { return "json " + asJSON(responsesBody("completed", responsesOutput())) }

func responsesCallsStreamed() string {
	var lines []string
	add := func(name string, members object) {
		members["type"], members["sequence_number"] = name, len(lines)
		lines = append(lines, "typed "+name+" "+asJSON(members))
	}
	add("response.created", object{"response": responsesBody("in_progress", []object{})})
	add("response.in_progress", object{"response": responsesBody("in_progress", []object{})})
	for n, item := range responsesOutput() {
		whole, one, two := arguments(cities[n])
		add("response.output_item.added", object{"output_index": n, "item": responsesCall(n, "in_progress", "")})
		for _, piece := range []string{one, two} {
			add("response.function_call_arguments.delta", object{"item_id": item["id"], "output_index": n, "delta": piece})
		}
		add("response.function_call_arguments.done", object{"item_id": item["id"], "output_index": n, "arguments": whole})
		add("response.output_item.done", object{"output_index": n, "item": item})
	}
	add("response.completed", object{"response": responsesBody("completed", responsesOutput())})
	return script(lines...)
}
