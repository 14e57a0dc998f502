package translate

import (
	"slices"
	"strconv"
	"strings"
)

// fewestTokens is the least max_output_tokens that OpenAI takes.
const fewestTokens = 16

// responsesTiers are the service tiers that OpenAI knows.
var responsesTiers = []string{`"auto"`, `"default"`, `"flex"`, `"scale"`, `"priority"`}

// responsesOthers are the members of the same name that a request to Responses can have.
var responsesOthers = []string{
	"metadata", "prompt_cache_key", "prompt_cache_retention", "safety_identifier", "service_tier", "store",
}

// responsesRequest writes one request.
type responsesRequest struct {
	writer
	n *notes
}

// writeResponsesRequest writes a request to OpenAI's Responses API. Nothing is left with the provider, unless the client
// says so; what the model thought comes back with the answer, so that it can be sent again.
func writeResponsesRequest(c *conversation, o Options, n *notes) ([]byte, error) {
	w := &responsesRequest{n: n}
	w.begin('{')
	w.textMember("model", o.Model)
	if instructions := w.joined(c.system, "system.cache_control"); instructions != "" {
		w.textMember("instructions", instructions)
	}
	w.array("input")
	for _, t := range c.turns {
		if err := w.turn(t); err != nil {
			return nil, err
		}
	}
	w.end(']')
	w.tools(c)
	w.form(c)
	w.reasoning(c.reason, reasoningModel(o.Model))
	w.limits(c)
	w.others(c.others)
	if c.stream {
		w.rawMember("stream", "true")
	}
	w.end('}')
	return w.b, nil
}

// joined are the texts of blocks as one.
func (w *responsesRequest) joined(blocks []block, path string) string {
	parts := make([]string, len(blocks))
	for i, b := range blocks {
		w.uncached(b.cache, path)
		parts[i] = b.text
	}
	return strings.Join(parts, "\n\n")
}

// uncached drops where the client wants a cache to begin: OpenAI finds that itself.
func (w *responsesRequest) uncached(cache, path string) {
	if cache != "" {
		w.n.drop(path)
	}
}

func (w *responsesRequest) tools(c *conversation) {
	if len(c.tools) == 0 {
		return
	}
	w.array("tools")
	for _, t := range c.tools {
		w.uncached(t.cache, "tools.cache_control")
		w.begin('{')
		w.textMember("type", "function")
		w.textMember("name", t.name)
		if t.description != "" {
			w.textMember("description", t.description)
		}
		w.rawMember("parameters", orElse(t.schema, `{"type":"object","properties":{}}`))
		w.rawMember("strict", orElse(t.strict, "false")) // Responses takes true for granted, other dialects don't
		w.end('}')
	}
	w.end(']')
	switch c.choice.mode {
	case "":
	case "named":
		w.object("tool_choice")
		w.textMember("type", "function")
		w.textMember("name", c.choice.name)
		w.end('}')
	default:
		w.textMember("tool_choice", c.choice.mode)
	}
	w.rawMember("parallel_tool_calls", c.parallel)
}

// form writes what the answer has to look like.
func (w *responsesRequest) form(c *conversation) {
	f := c.format
	if f.mode == "" && c.verbosity == "" {
		return
	}
	w.object("text")
	if f.mode != "" {
		w.object("format")
		switch f.mode {
		case "schema":
			w.textMember("type", "json_schema")
			w.textMember("name", orElse(f.name, "response"))
			if f.description != "" {
				w.textMember("description", f.description)
			}
			w.rawMember("schema", orElse(f.schema, "{}"))
			w.rawMember("strict", f.strict)
		case "json":
			w.textMember("type", "json_object")
		default:
			w.textMember("type", "text")
		}
		w.end('}')
	}
	if c.verbosity != "" {
		w.textMember("verbosity", c.verbosity)
	}
	w.end('}')
}

// reasoning asks for reasoning that can be sent back. Models that don't reason refuse to be asked.
func (w *responsesRequest) reasoning(r reasoning, always bool) {
	effort, summary := r.said(), r.summary
	if summary == "" && r.shown == "true" {
		summary = "auto"
	}
	if effort != "" || summary != "" {
		w.object("reasoning")
		if effort != "" {
			w.textMember("effort", effort)
		}
		if summary != "" {
			w.textMember("summary", summary)
		}
		w.end('}')
	}
	if always || summary != "" || effort != "" && effort != "none" {
		w.array("include")
		w.text("reasoning.encrypted_content")
		w.end(']')
	}
}

func (w *responsesRequest) limits(c *conversation) {
	most := c.maxTokens
	if n, err := strconv.Atoi(most); err == nil && 0 < n && n < fewestTokens {
		w.n.drop("max_tokens")
		most = strconv.Itoa(fewestTokens)
	}
	w.rawMember("max_output_tokens", most)
	w.rawMember("temperature", c.temperature)
	w.rawMember("top_p", c.topP)
	if c.user != "" {
		w.textMember("user", shortened(c.user, longestUser))
	}
	for _, m := range []member{
		{"top_k", c.topK},
		{"seed", c.seed},
		{"stop", strings.Join(c.stop, "")},
		{"frequency_penalty", c.frequencyPenalty},
		{"presence_penalty", c.presencePenalty},
	} {
		if m.raw != "" {
			w.n.drop(m.name)
		}
	}
}

func (w *responsesRequest) others(others []member) {
	stored := false
	for _, m := range others {
		if !slices.Contains(responsesOthers, m.name) || m.name == "service_tier" && !slices.Contains(responsesTiers, m.raw) {
			w.n.drop(m.name)
			continue
		}
		w.rawMember(m.name, m.raw)
		stored = stored || m.name == "store"
	}
	if !stored {
		w.rawMember("store", "false")
	}
}

// orElse is a text, or another if it is empty.
func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// reasoningModel tells by its name whether a model of OpenAI's reasons whatever it is asked.
func reasoningModel(model string) bool {
	name := model[strings.LastIndexByte(model, '/')+1:]
	return !strings.HasPrefix(name, "gpt-5-chat") &&
		slices.ContainsFunc(countsReasoning, func(start string) bool { return strings.HasPrefix(name, start) })
}
