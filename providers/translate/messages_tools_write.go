package translate

import (
	"strings"

	"github.com/tidwall/gjson"
)

func (w *messagesTarget) writeTools() {
	if len(w.c.tools) == 0 {
		return
	}
	w.array("tools")
	for i := range w.c.tools {
		t := &w.c.tools[i]
		w.begin('{')
		w.textMember("name", t.name)
		if t.description != "" {
			w.textMember("description", t.description)
		}
		w.rawMember("input_schema", objectSchema(t.schema))
		switch {
		case t.strict != "true":
		case w.model.followsSchemas():
			w.rawMember("strict", t.strict)
		default:
			w.n.drop("tools.strict")
		}
		w.rawMember("cache_control", t.cache)
		w.end('}')
	}
	w.end(']')
	w.writeChoice()
}

// objectSchema is a schema that says what the dialect wants to be told: that the input is an object.
func objectSchema(schema string) string {
	s := gjson.Parse(schema)
	if !s.IsObject() || unset(s) {
		return `{"type":"object","properties":{}}`
	}
	if s.Get("type").Exists() {
		return schema
	}
	return `{"type":"object",` + strings.TrimSpace(schema)[1:]
}

func (w *messagesTarget) writeChoice() {
	mode := w.c.choice.mode
	alone := w.c.parallel == "false" && mode != "none"
	if mode == "" && !alone {
		return
	}
	typ := "auto"
	for theirs, ours := range messagesChoices {
		if ours == mode {
			typ = theirs
		}
	}
	w.object("tool_choice")
	w.textMember("type", typ)
	if mode == "named" {
		w.textMember("name", w.c.choice.name)
	}
	if alone {
		w.rawMember("disable_parallel_tool_use", "true")
	}
	w.end('}')
}
