package translate

import "github.com/tidwall/gjson"

// argumentsObject are the arguments of a call for a dialect that has them as an object and not as a text. A model may
// have written anything: what is no object stands in one, as it was written.
func argumentsObject(text string) string {
	switch {
	case text == "":
		return "{}"
	case valid(text) && gjson.Parse(text).IsObject():
		return text
	}
	var w writer
	w.begin('{')
	w.textMember("_raw", text)
	w.end('}')
	return string(w.b)
}
