package translate

import (
	"slices"
	"strconv"

	"github.com/tidwall/gjson"
)

// readTools reads the tools. Those that have a type are Anthropic's own and are dropped.
func (r *messagesRequest) readTools(v gjson.Result) error {
	list, err := listAt(v, "tools")
	for i, t := range list {
		path := "tools[" + strconv.Itoa(i) + "]"
		if !t.IsObject() {
			return broken(path, "A tool has to be an object.")
		}
		if typ := t.Get("type").Str; typ != "" && typ != "custom" {
			r.n.drop("tools." + typ)
			r.typed = append(r.typed, t.Get("name").Str)
			continue
		}
		if err := r.readTool(t, path); err != nil {
			return err
		}
	}
	return err
}

func (r *messagesRequest) readTool(v gjson.Result, path string) error {
	t := tool{name: v.Get("name").Str}
	if t.name == "" {
		return broken(path+".name", "A tool has to have a name.")
	}
	var err error
	v.ForEach(func(name, v gjson.Result) bool {
		switch name.Str {
		case "name", "type":
		case "description":
			t.description, err = textAt(v, path+".description")
		case "input_schema":
			t.schema, err = objectAt(v, path+".input_schema")
		case "strict":
			t.strict, err = flagAt(v, path+".strict")
		case "cache_control":
			t.cache = cacheControl(v)
		default:
			if !idle(name.Str, v) && (name.Str != "allowed_callers" || v.Get("#").Int() != 1 || v.Get("0").Str != "direct") {
				r.n.drop("tools." + name.Str)
			}
		}
		return err == nil
	})
	r.tools = append(r.tools, t)
	return err
}

// cacheControl is the value of a cache_control that says something.
func cacheControl(v gjson.Result) string {
	if !v.IsObject() {
		return ""
	}
	return v.Raw
}

// messagesChoices are the modes of tool_choice.
var messagesChoices = map[string]string{"auto": "auto", "none": "none", "any": "required", "tool": "named"}

func (r *messagesRequest) readChoice(v gjson.Result) error {
	mode, known := messagesChoices[v.Get("type").Str]
	if !known {
		return broken("tool_choice.type", "tool_choice has to be of type auto, any, tool or none.")
	}
	r.choice = choice{mode: mode, name: v.Get("name").Str}
	if mode == "named" && r.choice.name == "" {
		return broken("tool_choice.name", "tool_choice has to name the tool.")
	}
	if v.Get("disable_parallel_tool_use").Bool() {
		r.parallel = "false"
	}
	return nil
}

// settleChoice takes back a choice whose tools were dropped.
func (r *messagesRequest) settleChoice() {
	if len(r.typed) == 0 {
		return
	}
	gone := r.choice.mode == "named" && slices.Contains(r.typed, r.choice.name)
	if gone || len(r.tools) == 0 && r.choice.mode == "required" {
		r.n.drop("tool_choice")
		r.choice = choice{}
	}
}

// readThinking reads how the model may think.
func (r *messagesRequest) readThinking(v gjson.Result) error {
	if _, err := objectAt(v, "thinking"); err != nil {
		return err
	}
	switch v.Get("type").Str {
	case "disabled":
		r.reason.effort, r.reason.usual = "none", true
		return nil
	case "enabled":
		var err error
		if r.reason.budget, err = numberAt(v.Get("budget_tokens"), "thinking.budget_tokens"); err != nil {
			return err
		}
	case "adaptive":
	default:
		r.n.drop("thinking")
		return nil
	}
	r.reason.shown = strconv.FormatBool(v.Get("display").Str != "omitted")
	return nil
}

// readOutput reads how much effort the answer is worth, and the form that it has to have.
func (r *messagesRequest) readOutput(v gjson.Result) error {
	if _, err := objectAt(v, "output_config"); err != nil {
		return err
	}
	var err error
	v.ForEach(func(name, v gjson.Result) bool {
		switch {
		case idle(name.Str, v):
		case name.Str == "format":
			err = r.readFormat(v)
		case name.Str == "effort" && effortNamed(v.Str) != "":
			if r.reason.effort == "" {
				r.reason.effort = effortNamed(v.Str)
			}
		default:
			r.n.drop("output_config." + name.Str)
		}
		return err == nil
	})
	return err
}

func (r *messagesRequest) readFormat(v gjson.Result) error {
	if typ := v.Get("type").Str; typ != "json_schema" {
		return broken("output_config.format.type", "There is no format of type %q.", typ)
	}
	schema := v.Get("schema")
	if !schema.IsObject() {
		return broken("output_config.format.schema", "schema has to be an object.")
	}
	r.format = format{mode: "schema", schema: schema.Raw}
	return nil
}
