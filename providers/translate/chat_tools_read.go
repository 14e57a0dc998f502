package translate

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"
)

func (r *chatReading) readTools(v gjson.Result) error {
	list, err := listAt(v, "tools")
	if err != nil {
		return err
	}
	for i, t := range list {
		path := fmt.Sprintf("tools[%d]", i)
		switch typ := t.Get("type"); {
		case typ.Type != gjson.String:
			return broken(path+".type", "A tool has to have a type.")
		case typ.Str != "function":
			r.n.drop("tools." + typ.Str)
			continue
		}
		dropRest(r.n, "tools", t, "type", "function", "cache_control")
		f, err := r.readFunction(t.Get("function"), path+".function")
		if err != nil {
			return err
		}
		if f.cache == "" {
			f.cache = t.Get("cache_control").Raw
		}
		r.tools = append(r.tools, f)
	}
	return nil
}

// readFunctions reads what tools were before there were other kinds of them.
func (r *chatReading) readFunctions(v gjson.Result) error {
	list, err := listAt(v, "functions")
	if err != nil {
		return err
	}
	for i, f := range list {
		t, err := r.readFunction(f, fmt.Sprintf("functions[%d]", i))
		if err != nil {
			return err
		}
		r.tools = append(r.tools, t)
	}
	r.parallel = "false"
	return nil
}

func (r *chatReading) readFunction(f gjson.Result, path string) (tool, error) {
	o := &object{of: f, path: path}
	t := tool{
		name: o.need("name"), description: o.text("description"), schema: o.json("parameters"), strict: o.strict(),
		cache: o.json("cache_control"),
	}
	dropRest(r.n, "tools.function", f, "name", "description", "parameters", "strict", "cache_control")
	return t, o.err
}

// chatChoices are modes of tool_choice; "any" is Mistral's.
var chatChoices = map[string]string{"auto": "auto", "none": "none", "required": "required", "any": "required"}

func (r *chatReading) toolChoice(v gjson.Result) error {
	if v.Type == gjson.String {
		mode, ok := chatChoices[v.Str]
		if !ok {
			return broken("tool_choice", "There is no tool_choice %q.", v.Str)
		}
		r.choice = choice{mode: mode}
		return nil
	}
	if !v.IsObject() {
		return broken("tool_choice", "tool_choice has to be a string or an object.")
	}
	switch typ := v.Get("type").Str; typ {
	case "function":
		name := v.Get("function.name").Str
		if name == "" {
			return broken("tool_choice.function.name", "tool_choice has to name a function.")
		}
		r.choice = choice{mode: "named", name: name}
	case "allowed_tools":
		return r.allowTools(v.Get(typ))
	default:
		r.n.drop("tool_choice." + typ)
	}
	return nil
}

// allowTools reads which of the tools may be called. The others needn't be told.
func (r *chatReading) allowTools(v gjson.Result) error {
	mode, ok := chatChoices[v.Get("mode").Str]
	if !ok {
		return broken("tool_choice.allowed_tools.mode", "There is no mode %q.", v.Get("mode").Str)
	}
	r.choice = choice{mode: mode}
	r.allowed = map[string]bool{}
	for _, t := range v.Get("tools").Array() {
		r.allowed[t.Get("function.name").Str] = true
	}
	return nil
}

// functionChoice reads what tool_choice was before there were other kinds of tools.
func (r *chatReading) functionChoice(v gjson.Result) error {
	switch name := v.Get("name").Str; {
	case v.Type == gjson.String && (v.Str == "auto" || v.Str == "none"):
		r.choice = choice{mode: v.Str}
	case name != "":
		r.choice = choice{mode: "named", name: name}
	default:
		return broken("function_call", "function_call has to be auto, none, or an object with a name.")
	}
	return nil
}

// settleTools leaves out what is not allowed, and the choice where nothing is left to choose from.
func (r *chatReading) settleTools() {
	if r.allowed != nil {
		r.tools = slices.DeleteFunc(r.tools, func(t tool) bool { return !r.allowed[t.name] })
	}
	if r.choice.mode == "named" && !slices.ContainsFunc(r.tools, func(t tool) bool { return t.name == r.choice.name }) {
		r.n.drop("tool_choice")
		r.choice = choice{}
	}
	if len(r.tools) > 0 {
		return
	}
	if r.choice.mode == "required" {
		r.n.drop("tool_choice")
	}
	r.choice, r.parallel = choice{}, ""
}

func (r *chatReading) parallelToolCalls(v gjson.Result) (err error) {
	r.parallel, err = flagAt(v, "parallel_tool_calls")
	return err
}

// chatFormats are types of response_format.
var chatFormats = map[string]string{"text": "text", "json_object": "json", "json_schema": "schema"}

func (r *chatReading) responseFormat(v gjson.Result) error {
	typ := v.Get("type")
	if typ.Type != gjson.String {
		return broken("response_format.type", "response_format has to have a type.")
	}
	mode, ok := chatFormats[typ.Str]
	if !ok {
		r.n.drop("response_format." + typ.Str)
		return nil
	}
	r.format.mode = mode
	if mode != "schema" {
		return nil
	}
	o := &object{of: v.Get("json_schema"), path: "response_format.json_schema"}
	r.format.name, r.format.description = o.need("name"), o.text("description")
	r.format.schema, r.format.strict = o.json("schema"), o.strict()
	if r.format.schema == "" && o.err == nil {
		r.format = format{mode: "json"}
	}
	return o.err
}
