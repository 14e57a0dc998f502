package translate

import (
	"slices"
	"strconv"

	"github.com/tidwall/gjson"
)

// tools reads functions and custom tools. What a provider does on its own has no counterpart.
func (r *responsesReader) tools(v gjson.Result, param string) error {
	list, err := listAt(v, param)
	if err != nil {
		return err
	}
	for i, t := range list {
		o := object{of: t, path: param + "[" + strconv.Itoa(i) + "]"}
		if !t.IsObject() {
			return broken(o.path, "%s has to be an object.", o.path)
		}
		switch typ := o.need("type"); typ {
		case "function":
			r.rest(t, param, "type", "name", "description", "parameters", "strict")
			r.c.tools = append(r.c.tools, tool{
				name: o.need("name"), description: o.text("description"),
				schema: o.json("parameters"), strict: o.strict(),
			})
		case "custom":
			r.customTool(&o, param)
		default:
			if o.err == nil {
				r.n.drop(param + "." + typ)
			}
		}
		if o.err != nil {
			return o.err
		}
	}
	return nil
}

// customTool reads a tool that takes any text as a function of that text. A grammar can only be asked for.
func (r *responsesReader) customTool(o *object, path string) {
	r.rest(o.of, path, "type", "name", "description", "format")
	t := tool{name: o.need("name"), description: o.text("description")}
	o.json("format")
	grammar := o.of.Get("format.definition").Str
	if grammar != "" {
		r.n.drop(path + ".format")
	}
	t.schema = customSchema(o.of.Get("format.syntax").Str, grammar)
	r.c.tools = append(r.c.tools, t)
}

func (r *responsesReader) keepChoice(v gjson.Result, _ string) error {
	r.choice = v
	return nil
}

// choose reads tool_choice. A choice among no tools is none.
func (r *responsesReader) choose() error {
	v := r.choice
	if v.Type == gjson.String {
		if !slices.Contains([]string{"auto", "none", "required"}, v.Str) {
			return broken("tool_choice", "tool_choice can't be %q.", v.Str)
		}
		r.c.choice.mode = v.Str
	} else if _, err := objectAt(v, "tool_choice"); err != nil {
		return broken("tool_choice", "tool_choice has to be a string or an object.")
	} else if !unset(v) {
		if err := r.chooseTool(v); err != nil {
			return err
		}
	}
	if len(r.c.tools) == 0 {
		if r.c.choice.mode == "required" {
			r.n.drop("tool_choice")
		}
		r.c.choice, r.c.parallel = choice{}, ""
	}
	return nil
}

func (r *responsesReader) chooseTool(v gjson.Result) error {
	o := object{of: v, path: "tool_choice"}
	switch typ := o.need("type"); typ {
	case "function", "custom":
		name := o.need("name")
		if !slices.ContainsFunc(r.c.tools, func(t tool) bool { return t.name == name }) {
			r.n.drop("tool_choice")
			break
		}
		r.c.choice = choice{mode: "named", name: name}
	case "allowed_tools":
		mode := o.need("mode")
		if o.err == nil && mode != "auto" && mode != "required" {
			return broken("tool_choice.mode", "tool_choice.mode can't be %q.", mode)
		}
		r.c.choice.mode = mode
		return r.allow(v.Get("tools"))
	default:
		if o.err == nil {
			r.n.drop("tool_choice." + typ)
		}
	}
	return o.err
}

// allow leaves only the tools that may be called: those that may not need not be known.
func (r *responsesReader) allow(v gjson.Result) error {
	list, err := listAt(v, "tool_choice.tools")
	if err != nil {
		return err
	}
	r.c.tools = slices.DeleteFunc(r.c.tools, func(t tool) bool {
		return !slices.ContainsFunc(list, func(allowed gjson.Result) bool { return allowed.Get("name").Str == t.name })
	})
	return nil
}
