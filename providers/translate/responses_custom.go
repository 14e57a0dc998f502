package translate

import "github.com/tidwall/gjson"

// A custom tool of Responses takes any text, without JSON around it. Other dialects know functions only, so it is a
// function there that takes one string.

// customMember is the name of that string.
const customMember = "input"

// customSchema is what a custom tool's function takes.
func customSchema(syntax, grammar string) string {
	var w writer
	w.begin('{')
	w.textMember("type", "object")
	w.object("properties")
	w.object(customMember)
	w.textMember("type", "string")
	description := "All that the tool takes, as plain text."
	if grammar != "" {
		description += " It has to follow this " + syntax + " grammar:\n" + grammar
	}
	w.textMember("description", description)
	w.end('}')
	w.end('}')
	w.array("required")
	w.text(customMember)
	w.end(']')
	w.rawMember("additionalProperties", "false")
	w.end('}')
	return string(w.b)
}

// customArguments are the arguments of the function for a custom tool's input.
func customArguments(input string) string {
	var w writer
	w.begin('{')
	w.textMember(customMember, input)
	w.end('}')
	return string(w.b)
}

// customInput is the input of a custom tool that a function's arguments hold. A model may have left the JSON out.
func customInput(arguments string) string {
	if valid(arguments) {
		switch v := gjson.Parse(arguments); {
		case v.Get(customMember).Type == gjson.String:
			return v.Get(customMember).Str
		case v.Type == gjson.String:
			return v.Str
		case v.IsObject() && unset(v):
			return ""
		}
	}
	return arguments
}

// customTools are the names of the custom tools among a request's tools.
func customTools(tools gjson.Result) map[string]bool {
	names := map[string]bool{}
	tools.ForEach(func(_, t gjson.Result) bool {
		if t.Get("type").Str == "custom" {
			names[t.Get("name").Str] = true
		}
		return true
	})
	return names
}
