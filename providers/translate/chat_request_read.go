package translate

import "github.com/tidwall/gjson"

// chatReading is a chat request that is being read.
type chatReading struct {
	*conversation
	n *notes

	functions map[string]string // of the older form: by a function's name the id that its last call was given
	allowed   map[string]bool   // names of the tools that may be called; nil: all
}

func readChatRequest(body gjson.Result, n *notes) (*conversation, error) {
	r := &chatReading{conversation: &conversation{}, n: n, functions: map[string]string{}}
	if !body.IsObject() {
		return nil, broken("", "The request has to be a JSON object.")
	}
	if messages := body.Get("messages"); !messages.IsArray() || len(messages.Array()) == 0 {
		return nil, broken("messages", "messages has to be a list of at least one message.")
	}
	var err error
	body.ForEach(func(key, value gjson.Result) bool {
		if value.Type == gjson.Null {
			return true
		}
		err = r.member(key.String(), value)
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	r.settleTools()
	return r.conversation, nil
}

// member reads one member of the request.
func (r *chatReading) member(name string, v gjson.Result) (err error) {
	if v.Raw == chatDefaults[name] {
		return nil
	}
	if number, ok := chatNumbers[name]; ok {
		*number(r.conversation), err = numberAt(v, name)
		return err
	}
	if text, ok := chatTexts[name]; ok {
		*text(r.conversation), err = textAt(v, name)
		return err
	}
	if read, ok := chatMembers[name]; ok {
		return read(r, v)
	}
	if v.Type != gjson.JSON || !idle(name, v) {
		r.others = append(r.others, member{name, v.Raw})
	}
	return nil
}

// chatNumbers are the members that are numbers.
var chatNumbers = map[string]func(*conversation) *string{
	"temperature":       func(c *conversation) *string { return &c.temperature },
	"top_p":             func(c *conversation) *string { return &c.topP },
	"top_k":             func(c *conversation) *string { return &c.topK },
	"seed":              func(c *conversation) *string { return &c.seed },
	"frequency_penalty": func(c *conversation) *string { return &c.frequencyPenalty },
	"presence_penalty":  func(c *conversation) *string { return &c.presencePenalty },
}

// chatTexts are the members that are strings.
var chatTexts = map[string]func(*conversation) *string{
	"verbosity": func(c *conversation) *string { return &c.verbosity },
	"user":      func(c *conversation) *string { return &c.user },
}

// chatDefaults are values of members that change nothing.
var chatDefaults = map[string]string{
	"n": "1", "logprobs": "false", "store": "false", "service_tier": `"auto"`, "modalities": `["text"]`,
	"frequency_penalty": "0", "presence_penalty": "0", "top_logprobs": "0",
}

// chatMembers read the members that are more than a number or a string.
var chatMembers = map[string]func(*chatReading, gjson.Result) error{
	"model":                 func(*chatReading, gjson.Result) error { return nil },
	"messages":              (*chatReading).messages,
	"stream":                (*chatReading).readStream,
	"stream_options":        (*chatReading).streamOptions,
	"max_tokens":            (*chatReading).maxTokensOld,
	"max_completion_tokens": (*chatReading).maxCompletionTokens,
	"stop":                  (*chatReading).readStop,
	"tools":                 (*chatReading).readTools,
	"functions":             (*chatReading).readFunctions,
	"tool_choice":           (*chatReading).toolChoice,
	"function_call":         (*chatReading).functionChoice,
	"parallel_tool_calls":   (*chatReading).parallelToolCalls,
	"response_format":       (*chatReading).responseFormat,
	"reasoning_effort":      (*chatReading).reasoningEffort,
	"reasoning":             (*chatReading).reasoningObject,
	"thinking":              (*chatReading).thinkingObject,
	"include_reasoning":     (*chatReading).includeReasoning,
	"previous_response_id":  refuseChatState("previous_response_id"),
	"conversation":          refuseChatState("conversation"),
}

// refuseChatState refuses a member that points to what only one provider keeps.
func refuseChatState(name string) func(*chatReading, gjson.Result) error {
	return func(*chatReading, gjson.Result) error {
		return unsayable(name, "%s refers to state that one provider keeps, and the target speaks another dialect.", name)
	}
}

func (r *chatReading) readStream(v gjson.Result) error {
	flag, err := flagAt(v, "stream")
	r.stream = flag == "true"
	return err
}

func (r *chatReading) streamOptions(v gjson.Result) error {
	if !v.IsObject() {
		return broken("stream_options", "stream_options has to be an object.")
	}
	v.ForEach(func(key, value gjson.Result) bool {
		switch name := key.String(); name {
		case "include_usage":
			r.includeUsage = value.Bool()
		case "include_obfuscation": // asks for padding or for none, and there is none
		default:
			r.n.drop("stream_options." + name)
		}
		return true
	})
	return nil
}

// chatNewerNames are the names of a client that knows the newer member.
var chatNewerNames = map[string]string{"max_tokens": "max_completion_tokens"}

func (r *chatReading) maxCompletionTokens(v gjson.Result) (err error) {
	r.n.called = chatNewerNames
	r.maxTokens, err = numberAt(v, "max_completion_tokens")
	return err
}

func (r *chatReading) maxTokensOld(v gjson.Result) error {
	old, err := numberAt(v, "max_tokens")
	if r.maxTokens == "" {
		r.maxTokens = old
	}
	return err
}

func (r *chatReading) readStop(v gjson.Result) error {
	for _, s := range v.Array() {
		if s.Type != gjson.String {
			return broken("stop", "stop has to be a string or a list of strings.")
		}
		r.stop = append(r.stop, s.Str)
	}
	return nil
}
