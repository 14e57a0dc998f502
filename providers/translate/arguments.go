package translate

import (
	"strings"

	"github.com/tidwall/gjson"
)

// orEmptyObject are a call's arguments in whole form: none, or nothing but white space, are an empty object.
func orEmptyObject(arguments string) string {
	if strings.TrimSpace(arguments) == "" {
		return "{}"
	}
	return arguments
}

// argumentsObject are the arguments of a call for a dialect that has them as an object and not as a text. A model may
// have written anything: what is no object stands in one, as it was written.
func argumentsObject(text string) string {
	text = orEmptyObject(text)
	if valid(text) && gjson.Parse(text).IsObject() {
		return text
	}
	var w writer
	w.begin('{')
	w.textMember("_raw", text)
	w.end('}')
	return string(w.b)
}
