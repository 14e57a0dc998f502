package providers

// Content is what an answer held, whole or at the end of its stream.
type Content struct {
	Finish     string // the finish reason, as the upstream spelled it; empty: none
	Text       bool   // text, reasoning, audio or an image
	ToolCall   bool
	Refusal    bool
	BrokenCall bool // a tool call whose arguments are no JSON
}

// Judge decides whether that is a success (empty), or what went wrong. It is asked for whole answers and for streams
// that ended before anything was passed on (spec: failures.md 2 and 3).
func (c Content) Judge(preset string) Kind {
	f := finishes[c.Finish]
	has := c.Text || c.ToolCall || c.Refusal
	switch {
	case f.cut:
		return ""
	case f.kind != "" && !(f.unlessContent && has) && f.isOf(preset):
		return f.kind
	case c.BrokenCall:
		return ModelFault
	case c.Refusal:
		return ContentPolicy
	case has:
		return ""
	case c.Finish == "":
		return Malformed
	default:
		return ModelFault
	}
}

const (
	finishContentFilter = "content_filter"
	finishError         = "error"
)

// finish is what a finish reason means for the verdict. The zero value is the model's own orderly end.
type finish struct {
	name          string
	cut           bool // a limit ended the answer: it may be empty, or end within a tool call
	kind          Kind
	unlessContent bool   // kind holds for an answer without content only
	preset        string // kind holds for that preset only
}

// isOf tells whether the finish reason means the same with that preset.
func (f finish) isOf(preset string) bool {
	if f.preset == "" {
		return true
	}
	p, _ := PresetOf(preset)
	return p.Name == f.preset
}

var finishes = byName([]finish{
	{name: "stop"},
	{name: "tool_calls"},
	{name: "function_call"},
	{name: "end_turn"},
	{name: "stop_sequence"},
	{name: "tool_use"},
	{name: "STOP"},
	{name: "COMPLETE"},
	{name: "TOOL_CALL"},
	{name: "completed"},

	{name: "length", cut: true},
	{name: "model_length", cut: true},
	{name: "max_tokens", cut: true},
	{name: "max_output_tokens", cut: true},
	{name: "MAX_TOKENS", cut: true},
	{name: "pause_turn", cut: true},

	{name: finishContentFilter, kind: ContentPolicy},
	{name: "refusal", kind: ContentPolicy},
	{name: "SAFETY", kind: ContentPolicy},
	{name: "RECITATION", kind: ContentPolicy},
	{name: "BLOCKLIST", kind: ContentPolicy},
	{name: "PROHIBITED_CONTENT", kind: ContentPolicy},
	{name: "SPII", kind: ContentPolicy},
	{name: "MODEL_ARMOR", kind: ContentPolicy},
	{name: "IMAGE_SAFETY", kind: ContentPolicy},
	{name: "IMAGE_PROHIBITED_CONTENT", kind: ContentPolicy},
	{name: "IMAGE_RECITATION", kind: ContentPolicy},

	{name: "model_context_window_exceeded", kind: ContextLength},
	{name: "insufficient_system_resource", kind: Overloaded, preset: "deepseek"},
	{name: "sensitive", kind: ContentPolicy, preset: "zai"},
	{name: "network_error", kind: ServerError, preset: "zai"},
	{name: finishError, kind: Malformed},
	{name: "MALFORMED_FUNCTION_CALL", kind: Malformed, unlessContent: true},
	{name: "UNEXPECTED_TOOL_CALL", kind: Malformed, unlessContent: true},
	{name: "MALFORMED_RESPONSE", kind: Malformed, unlessContent: true},
	{name: "TOO_MANY_TOOL_CALLS", kind: Malformed, unlessContent: true},
	{name: "MISSING_THOUGHT_SIGNATURE", kind: Malformed, unlessContent: true},
	{name: "LANGUAGE", kind: Malformed, unlessContent: true},
	{name: "NO_IMAGE", kind: Malformed, unlessContent: true},
	{name: "OTHER", kind: Malformed, unlessContent: true},
})

func byName(all []finish) map[string]finish {
	named := make(map[string]finish, len(all))
	for _, f := range all {
		named[f.name] = f
	}
	return named
}

// finishName returns a finish reason as a string, without allocating for those that are known.
func finishName(spelled []byte) string {
	if f, ok := finishes[string(spelled)]; ok {
		return f.name
	}
	return clean(string(spelled), longestWord)
}
