package clients

import (
	"encoding/json"
	"fmt"
)

// What the operations of all clients of Go have in common.

const (
	question = "How is the weather in Paris and in Rome?"
	pixel    = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	picture  = "data:image/png;base64," + pixel
)

var (
	weatherSchema = object{
		"type": "object", "properties": object{"city": object{"type": "string"}}, "required": []string{"city"}, "additionalProperties": false,
	}
	citySchema = object{
		"type": "object", "properties": object{"city": object{"type": "string"}, "population": object{"type": "number"}},
		"required": []string{"city", "population"}, "additionalProperties": false,
	}
)

// weather is the tool.
func weather(name, arguments string) (call, string, error) {
	called := call{Name: name}
	if err := json.Unmarshal([]byte(arguments), &called.Arguments); err != nil {
		return call{}, "", fmt.Errorf("the arguments of %s: %w", name, err)
	}
	return called, "Sunny in " + called.Arguments.City, nil
}

func readCity(text string) (result, error) {
	var answer city
	err := json.Unmarshal([]byte(text), &answer)
	return result{Object: &answer}, err
}
