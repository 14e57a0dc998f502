package translate

import "github.com/tidwall/gjson"

// Hosts have several members for how much a model should think. OpenAI's own is reasoning_effort.

func (r *chatReading) reasoningEffort(v gjson.Result) error {
	return r.setEffort("reasoning_effort", v)
}

func (r *chatReading) setEffort(name string, v gjson.Result) error {
	said, err := textAt(v, name)
	if err != nil || said == "" {
		return err
	}
	if effort := effortNamed(said); effort != "" {
		r.reason.effort = effort
	} else {
		r.n.drop(name)
	}
	return nil
}

// reasoningObject reads OpenRouter's member: an effort or a budget, and whether the reasoning is shown.
func (r *chatReading) reasoningObject(v gjson.Result) error {
	if !v.IsObject() {
		return broken("reasoning", "reasoning has to be an object.")
	}
	if err := r.setEffort("reasoning.effort", v.Get("effort")); err != nil {
		return err
	}
	budget, err := numberAt(v.Get("max_tokens"), "reasoning.max_tokens")
	if err != nil {
		return err
	}
	r.reason.budget = budget
	if summary := v.Get("summary"); summary.Type == gjson.String {
		r.reason.summary = summary.Str
	}
	if exclude := v.Get("exclude"); exclude.Bool() {
		r.reason.shown = "false"
	}
	r.switchReasoning(v.Get("enabled"))
	dropRest(r.n, "reasoning", v, "effort", "max_tokens", "summary", "exclude", "enabled")
	return nil
}

// thinkingObject reads the member of DeepSeek, Z.ai and others, which is Anthropic's.
func (r *chatReading) thinkingObject(v gjson.Result) error {
	if !v.IsObject() {
		return broken("thinking", "thinking has to be an object.")
	}
	budget, err := numberAt(v.Get("budget_tokens"), "thinking.budget_tokens")
	if err != nil {
		return err
	}
	if budget != "" {
		r.reason.budget = budget
	}
	switch v.Get("type").Str {
	case "disabled":
		r.switchReasoning(gjson.Result{Type: gjson.False})
	case "enabled", "adaptive", "auto":
		r.switchReasoning(gjson.Result{Type: gjson.True})
	default:
		r.n.drop("thinking.type")
	}
	dropRest(r.n, "thinking", v, "type", "budget_tokens")
	return nil
}

// switchReasoning turns reasoning off, or on where nothing says how much of it: as much as OpenAI's models do then.
func (r *chatReading) switchReasoning(on gjson.Result) {
	switch said := r.reason.effort != "" || r.reason.budget != ""; {
	case on.Type == gjson.False:
		r.reason.effort, r.reason.budget = "none", ""
	case on.Type == gjson.True && !said:
		r.reason.effort = "medium"
	}
}

func (r *chatReading) includeReasoning(v gjson.Result) (err error) {
	r.reason.shown, err = flagAt(v, "include_reasoning")
	return err
}
