package translate

import "strconv"

// mostGeminiStops is how many stop sequences Gemini takes.
const mostGeminiStops = 5

// generationConfig writes how the answer is to be made.
func (w *geminiRequest) generationConfig() {
	c, from := w.said, len(w.b)
	w.object("generationConfig")
	empty := len(w.b)
	w.rawMember("maxOutputTokens", w.maxTokens())
	w.rawMember("temperature", c.temperature)
	w.rawMember("topP", c.topP)
	w.rawMember("topK", c.topK)
	w.seed()
	w.rawMember("frequencyPenalty", c.frequencyPenalty)
	w.rawMember("presencePenalty", c.presencePenalty)
	w.stops()
	w.format()
	w.thinking()
	if len(w.b) == empty {
		w.b = w.b[:from]
		return
	}
	w.end('}')
}

// maxTokens is how many tokens the client wants, as far as the model can put them out: Gemini refuses more.
func (w *geminiRequest) maxTokens() string {
	if n, err := strconv.Atoi(w.said.maxTokens); err == nil && w.most > 0 && n > w.most {
		return strconv.Itoa(w.most)
	}
	return w.said.maxTokens
}

// seed writes a seed that Gemini takes, which has 32 bits.
func (w *geminiRequest) seed() {
	if _, err := strconv.ParseInt(w.said.seed, 10, 32); err != nil && w.said.seed != "" {
		w.notes.drop("seed")
		return
	}
	w.rawMember("seed", w.said.seed)
}

func (w *geminiRequest) stops() {
	if len(w.said.stop) == 0 {
		return
	}
	w.array("stopSequences")
	for i, s := range w.said.stop {
		if i == mostGeminiStops {
			w.notes.drop("stop")
			break
		}
		w.text(s)
	}
	w.end(']')
}

// format writes the form that the answer has to have.
func (w *geminiRequest) format() {
	f := w.said.format
	switch {
	case f.mode != "json" && f.mode != "schema":
		return
	case len(w.said.tools) > 0 && !w.model.takesFormatAndTools():
		w.notes.drop("response_format")
		return
	}
	w.textMember("responseMimeType", "application/json")
	if f.mode == "schema" {
		w.rawMember("responseJsonSchema", f.schema)
	}
	if f.description != "" {
		w.notes.drop("response_format.description")
	}
}

// thinking writes how much the model should think, and whether it shows that.
func (w *geminiRequest) thinking() {
	r := w.said.reason
	tokens, asked := r.tokens()
	shown := r.shown != "false" && (r.shown == "true" || r.summary != "" || tokens > 0)
	switch {
	case !asked && !shown:
		return
	case !w.model.thinks.can():
		if tokens > 0 {
			w.notes.drop("reasoning")
		}
		return
	}
	w.object("thinkingConfig")
	switch {
	case !asked:
	case w.model.thinks.levels:
		w.textMember("thinkingLevel", geminiLevels[r.level()])
	default:
		w.intMember("thinkingBudget", int64(w.model.thinks.bounded(tokens)))
	}
	if shown {
		w.rawMember("includeThoughts", "true")
	}
	w.end('}')
}
