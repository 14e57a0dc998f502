package translate

import (
	"slices"
	"strings"
)

// chatWriting is a chat request that is being written.
type chatWriting struct {
	writer
	*conversation
	o Options
	n *notes
}

func writeChatRequest(c *conversation, o Options, n *notes) ([]byte, error) {
	w := &chatWriting{conversation: c, o: o, n: n}
	w.begin('{')
	w.textMember("model", o.Model)
	if err := w.messages(); err != nil {
		return nil, err
	}
	if c.stream {
		w.rawMember("stream", "true")
		w.rawMember("stream_options", `{"include_usage":true}`)
	}
	w.rawMember(chatMaxTokens(o.Model), c.maxTokens)
	w.rawMember("temperature", c.temperature)
	w.rawMember("top_p", c.topP)
	w.rawMember("frequency_penalty", c.frequencyPenalty)
	w.rawMember("presence_penalty", c.presencePenalty)
	w.rawMember("seed", c.seed)
	w.stops()
	w.writeTools()
	w.responseFormat()
	w.optional("reasoning_effort", c.reason.said())
	w.optional("verbosity", c.verbosity)
	w.optional("user", shortened(c.user, longestUser))
	w.rest()
	w.end('}')
	return w.b, nil
}

// longestUser is how long a user's name may be at OpenAI.
const longestUser = 64

// optional writes a member that is a string, if there is one.
func (w *chatWriting) optional(name, value string) {
	if value != "" {
		w.textMember(name, value)
	}
}

// countsReasoning are the starts of names of OpenAI's models that don't know max_tokens.
var countsReasoning = []string{"o1", "o3", "o4", "gpt-5"}

// chatMaxTokens is the member for the most tokens of an answer. Every host knows the older one, except OpenAI's own
// models that reason. Routers put the maker in front of a model's name.
func chatMaxTokens(model string) string {
	name := model[strings.LastIndexByte(model, '/')+1:]
	if slices.ContainsFunc(countsReasoning, func(start string) bool { return strings.HasPrefix(name, start) }) {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

func (w *chatWriting) stops() {
	if len(w.stop) == 0 {
		return
	}
	w.array("stop")
	for _, s := range w.stop {
		w.text(s)
	}
	w.end(']')
}

// chatOthers are members that a chat has and the conversation doesn't understand.
var chatOthers = map[string]bool{
	"metadata": true, "service_tier": true, "safety_identifier": true, "prompt_cache_key": true,
	"prompt_cache_retention": true, "logit_bias": true,
}

// rest writes what else a chat can say, and names what it can't. To store an answer means something else in a chat: it
// can't be continued.
func (w *chatWriting) rest() {
	if w.topK != "" {
		w.n.drop("top_k")
	}
	for _, m := range w.others {
		switch {
		case chatOthers[m.name]:
			w.rawMember(m.name, m.raw)
		case m.name == "store" && m.raw == "false":
		default:
			w.n.drop(m.name)
		}
	}
}

func (w *chatWriting) writeTools() {
	if len(w.tools) == 0 {
		return
	}
	w.array("tools")
	for i := range w.tools {
		w.writeTool(&w.tools[i])
	}
	w.end(']')
	switch w.choice.mode {
	case "":
	case "named":
		w.object("tool_choice")
		w.textMember("type", "function")
		w.object("function")
		w.textMember("name", w.choice.name)
		w.end('}')
		w.end('}')
	default:
		w.textMember("tool_choice", w.choice.mode)
	}
	w.rawMember("parallel_tool_calls", w.parallel)
}

func (w *chatWriting) writeTool(t *tool) {
	if t.cache != "" {
		w.n.drop("tools.cache_control")
	}
	w.begin('{')
	w.textMember("type", "function")
	w.object("function")
	w.textMember("name", t.name)
	w.optional("description", t.description)
	schema := t.schema
	if schema == "" {
		schema = `{"type":"object","properties":{}}`
	}
	w.rawMember("parameters", schema)
	w.rawMember("strict", t.strict)
	w.end('}')
	w.end('}')
}

func (w *chatWriting) responseFormat() {
	switch w.format.mode {
	case "json":
		w.rawMember("response_format", `{"type":"json_object"}`)
	case "schema":
		w.object("response_format")
		w.textMember("type", "json_schema")
		w.object("json_schema")
		name := w.format.name
		if name == "" {
			name = "answer"
		}
		w.textMember("name", name)
		w.optional("description", w.format.description)
		w.rawMember("schema", w.format.schema)
		w.rawMember("strict", w.format.strict)
		w.end('}')
		w.end('}')
	}
}
