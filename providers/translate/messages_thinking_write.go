package translate

// leastThinking is the smallest budget of a model that takes one.
const leastThinking = 1024

// writeThinking writes how the model may think, and the effort and the form of its answer.
func (w *messagesTarget) writeThinking() {
	effort := ""
	switch budget, said := w.c.reason.tokens(); {
	case !said:
	case budget == 0 && w.model.alwaysThinks():
		w.n.drop("reasoning")
	case budget == 0:
		w.object("thinking")
		w.textMember("type", "disabled")
		w.end('}')
	case w.model.thinksAdaptively():
		effort = w.effort()
		w.think("adaptive", 0)
	default:
		if budget >= w.maxTokens {
			budget = w.maxTokens / 2
		}
		w.think("enabled", max(budget, leastThinking))
	}
	if effort == "" && w.c.format.mode != "schema" {
		w.dropFormat()
		return
	}
	w.object("output_config")
	if effort != "" {
		w.textMember("effort", effort)
	}
	w.dropFormat()
	if w.c.format.mode == "schema" {
		w.object("format")
		w.textMember("type", "json_schema")
		w.rawMember("schema", w.c.format.schema)
		w.end('}')
	}
	w.end('}')
}

// think writes thinking of a type, unless this request can't have it.
func (w *messagesTarget) think(typ string, budget int) {
	forced := len(w.c.tools) > 0 && (w.c.choice.mode == "required" || w.c.choice.mode == "named")
	if forced || budget >= w.maxTokens || typ == "enabled" && w.thoughtIsMissing() {
		w.n.drop("reasoning")
		return
	}
	w.thinking = true
	w.object("thinking")
	w.textMember("type", typ)
	if budget > 0 {
		w.intMember("budget_tokens", int64(budget))
	}
	switch {
	case w.c.reason.shown == "false":
		w.textMember("display", "omitted")
	case typ == "adaptive":
		w.textMember("display", "summarized")
	}
	w.end('}')
}

// thoughtIsMissing tells whether the model is about to go on behind its own tool calls, but the thinking in front of
// them did not come back: with a budget it refuses to go on thinking then.
func (w *messagesTarget) thoughtIsMissing() bool {
	last := len(w.turns) - 2
	if last < 0 || w.turns[last+1].assistant || w.turns[last+1].blocks[0].is != resultBlock {
		return false
	}
	return w.turns[last].blocks[0].is != reasoningBlock
}

// effort is the effort in the dialect's words.
func (w *messagesTarget) effort() string {
	switch level := w.c.reason.level(); {
	case level == "minimal":
		return "low"
	case level == "xhigh" && !w.model.knowsXhigh():
		return "high"
	default:
		return level
	}
}

// dropFormat names the form that the dialect can't demand.
func (w *messagesTarget) dropFormat() {
	if w.c.format.mode == "json" {
		w.n.drop("response_format")
	}
}
