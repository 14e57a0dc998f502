package translate

import (
	"slices"
	"strconv"
	"strings"
)

// defaultMaxTokens is how much a model may answer if neither the client nor the target's settings say: the dialect
// demands a number.
const defaultMaxTokens = 4096

// messagesTarget is a request of Anthropic's dialect while it is written.
type messagesTarget struct {
	writer
	c *conversation
	n *notes

	model     claude
	maxTokens int
	turns     []turn // as they go over: the roles alternate
	thinking  bool
}

// writeMessagesRequest writes a request of Anthropic's dialect.
func writeMessagesRequest(c *conversation, o Options, n *notes) ([]byte, error) {
	w := &messagesTarget{c: c, n: n, model: claudeNamed(o.Model), turns: alternating(c.turns, n)}
	w.begin('{')
	w.textMember("model", o.Model)
	w.writeMaxTokens(o)
	if err := w.writeSystem(); err != nil {
		return nil, err
	}
	if err := w.writeMessages(); err != nil {
		return nil, err
	}
	w.writeTools()
	w.writeThinking()
	w.writeSampling()
	w.writeStop()
	if c.user != "" {
		w.object("metadata")
		w.textMember("user_id", c.user)
		w.end('}')
	}
	if c.stream {
		w.rawMember("stream", "true")
	}
	w.end('}')
	w.dropRest()
	return w.b, nil
}

func (w *messagesTarget) writeMaxTokens(o Options) {
	spelled := w.c.maxTokens
	if spelled == "" {
		spelled = strconv.Itoa(defaultMaxTokens)
		if o.MaxTokens > 0 {
			spelled = strconv.Itoa(o.MaxTokens)
		}
	}
	w.rawMember("max_tokens", spelled)
	w.maxTokens, _ = strconv.Atoi(spelled)
}

func (w *messagesTarget) writeSystem() error {
	system := filled(w.c.system)
	if len(system) == 0 {
		return nil
	}
	w.key("system")
	return w.writeContent(system)
}

// writeSampling writes how the next token is chosen, as far as the model lets others decide.
func (w *messagesTarget) writeSampling() {
	temperature, topP, topK := w.c.temperature, w.c.topP, w.c.topK
	t, err := strconv.ParseFloat(temperature, 64)
	if err == nil && t > 1 {
		temperature = "1"
	}
	if w.thinking || !w.model.samples() {
		w.leaveOut("temperature", &temperature, t < 1)
		w.leaveOut("top_k", &topK, true)
	}
	if p, err := strconv.ParseFloat(topP, 64); w.thinking && err == nil && p < 0.95 || !w.model.samples() ||
		temperature != "" && !w.model.samplesTwice() {
		w.leaveOut("top_p", &topP, p != 1)
	}
	w.rawMember("temperature", temperature)
	w.rawMember("top_p", topP)
	w.rawMember("top_k", topK)
}

// leaveOut takes a value back, and names its member if it says something.
func (w *messagesTarget) leaveOut(name string, value *string, says bool) {
	if *value != "" && says {
		w.n.drop(name)
	}
	*value = ""
}

func (w *messagesTarget) writeStop() {
	stop := slices.DeleteFunc(slices.Clone(w.c.stop), func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(stop) < len(w.c.stop) {
		w.n.drop("stop") // nothing but white space is refused
	}
	if len(stop) == 0 {
		return
	}
	w.array("stop_sequences")
	for _, s := range stop {
		w.text(s)
	}
	w.end(']')
}

// dropRest names what the dialect has no member for.
func (w *messagesTarget) dropRest() {
	for _, m := range []member{
		{"seed", w.c.seed},
		{"frequency_penalty", w.c.frequencyPenalty},
		{"presence_penalty", w.c.presencePenalty},
		{"verbosity", w.c.verbosity},
	} {
		if n, err := strconv.ParseFloat(m.raw, 64); m.raw != "" && (m.name == "seed" || err != nil || n != 0) {
			w.n.drop(m.name)
		}
	}
	for _, m := range w.c.others {
		w.n.drop(m.name)
	}
}
