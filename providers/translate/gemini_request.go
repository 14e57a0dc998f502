package translate

// geminiRequest is a request of Gemini's generateContent that is being written. Whether the answer is streamed is no
// part of it: that is said by the path.
type geminiRequest struct {
	writer
	said  *conversation
	notes *notes
	model geminiModel
	most  int // tokens that the model can put out; 0: unknown
}

func writeGeminiRequest(c *conversation, o Options, n *notes) ([]byte, error) {
	w := &geminiRequest{said: c, notes: n, model: geminiModelOf(o.Model), most: o.MaxTokens}
	w.begin('{')
	if err := w.contents(); err != nil {
		return nil, err
	}
	w.system()
	w.tools()
	w.generationConfig()
	w.end('}')
	w.drop()
	return w.b, nil
}

// system writes what the operator said in front of the conversation. A conversation of nothing else has it as its
// contents, which must not be empty.
func (w *geminiRequest) system() {
	if len(w.said.system) == 0 || len(w.said.turns) == 0 {
		return
	}
	w.object("systemInstruction")
	w.array("parts")
	for _, b := range w.said.system {
		w.uncached(b, "system.cache_control")
		w.textPart(b.text)
	}
	w.end(']')
	w.end('}')
}

// tools writes the functions that the model may call, and whether it has to.
func (w *geminiRequest) tools() {
	if len(w.said.tools) == 0 {
		return
	}
	w.array("tools")
	w.begin('{')
	w.array("functionDeclarations")
	for _, t := range w.said.tools {
		w.begin('{')
		w.textMember("name", t.name)
		if t.description != "" {
			w.textMember("description", t.description)
		}
		w.rawMember("parametersJsonSchema", t.schema)
		w.end('}')
		if t.strict == "true" {
			w.notes.drop("tools.strict")
		}
		if t.cache != "" {
			w.notes.drop("tools.cache_control")
		}
	}
	w.end(']')
	w.end('}')
	w.end(']')
	w.toolChoice()
}

// callingModes are Gemini's names for whether the model has to call a function.
var callingModes = map[string]string{"auto": "AUTO", "none": "NONE", "required": "ANY", "named": "ANY"}

func (w *geminiRequest) toolChoice() {
	mode, known := callingModes[w.said.choice.mode]
	if !known {
		return
	}
	w.object("toolConfig")
	w.object("functionCallingConfig")
	w.textMember("mode", mode)
	if w.said.choice.mode == "named" {
		w.array("allowedFunctionNames")
		w.text(w.said.choice.name)
		w.end(']')
	}
	w.end('}')
	w.end('}')
}

// drop names what Gemini has no word for.
func (w *geminiRequest) drop() {
	if w.said.parallel == "false" {
		w.notes.drop("parallel_tool_calls")
	}
	if w.said.verbosity != "" {
		w.notes.drop("verbosity")
	}
	if w.said.user != "" {
		w.notes.drop("user")
	}
	for _, m := range w.said.others {
		if m.name != "store" || m.raw != "false" {
			w.notes.drop(m.name)
		}
	}
}

// uncached notes a block's mark for a cache that Gemini keeps without being asked.
func (w *geminiRequest) uncached(b block, path string) {
	if b.cache != "" {
		w.notes.drop(path)
	}
}
