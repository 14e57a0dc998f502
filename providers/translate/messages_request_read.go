package translate

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// messagesRequest is a request of Anthropic's dialect while it is read.
type messagesRequest struct {
	*conversation
	n *notes

	blocks  map[string]messagesBlock // types of blocks that can be said in other dialects
	opening []block                  // texts of system messages in front of all others
	sealed  signature                // of the call that comes next
	typed   []string                 // names of tools that were dropped
}

// messagesMembers read the members of a request. Others are dropped.
var messagesMembers = map[string]func(r *messagesRequest, v gjson.Result) error{
	"model":          func(*messagesRequest, gjson.Result) error { return nil }, // the target has its own
	"messages":       (*messagesRequest).readMessages,
	"system":         (*messagesRequest).readSystem,
	"tools":          (*messagesRequest).readTools,
	"tool_choice":    (*messagesRequest).readChoice,
	"thinking":       (*messagesRequest).readThinking,
	"output_config":  (*messagesRequest).readOutput,
	"output_format":  (*messagesRequest).readFormat, // what output_config.format was called before
	"metadata":       (*messagesRequest).readMetadata,
	"stop_sequences": (*messagesRequest).readStop,
	"stream":         (*messagesRequest).readStream,
	"max_tokens":     messagesNumber("max_tokens", func(c *conversation) *string { return &c.maxTokens }),
	"temperature":    messagesNumber("temperature", func(c *conversation) *string { return &c.temperature }),
	"top_p":          messagesNumber("top_p", func(c *conversation) *string { return &c.topP }),
	"top_k":          messagesNumber("top_k", func(c *conversation) *string { return &c.topK }),
	"service_tier":   messagesDefault("service_tier", "auto"),
	"speed":          messagesDefault("speed", "standard"),
	"container":      messagesState("container"),
	"mcp_servers":    messagesState("mcp_servers"),
	"thread":         messagesState("thread"),
}

// readMessagesRequest reads a request of Anthropic's dialect.
func readMessagesRequest(body gjson.Result, n *notes) (*conversation, error) {
	r := &messagesRequest{conversation: &conversation{includeUsage: true}, n: n, blocks: messagesBlocks}
	if !body.IsObject() {
		return nil, broken("", "The request has to be an object.")
	}
	if !body.Get("messages").Exists() {
		return nil, broken("messages", "messages is missing.")
	}
	var err error
	body.ForEach(func(name, v gjson.Result) bool {
		if read, known := messagesMembers[name.Str]; known && v.Type != gjson.Null {
			err = read(r, v)
		} else if !idle(name.Str, v) {
			n.drop(name.Str)
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	r.system = append(r.system, r.opening...)
	r.settleChoice()
	return r.conversation, nil
}

// readSystem reads the system prompt, a text or a list of texts.
func (r *messagesRequest) readSystem(v gjson.Result) (err error) {
	if r.system, err = r.readContent(v, "system", "system"); err == nil {
		err = onlyTexts(r.system, "system")
	}
	return err
}

func onlyTexts(blocks []block, path string) error {
	for i := range blocks {
		if blocks[i].is != textBlock {
			return broken(path, "%s can hold texts only.", path)
		}
	}
	return nil
}

// readMetadata reads who asks.
func (r *messagesRequest) readMetadata(v gjson.Result) error {
	if _, err := objectAt(v, "metadata"); err != nil {
		return err
	}
	v.ForEach(func(name, v gjson.Result) bool {
		switch {
		case name.Str == "user_id" && v.Type == gjson.String:
			r.user = v.Str
		case !idle(name.Str, v):
			r.n.drop("metadata." + name.Str)
		}
		return true
	})
	return nil
}

func (r *messagesRequest) readStream(v gjson.Result) error {
	_, err := flagAt(v, "stream")
	r.stream = v.Bool()
	return err
}

func (r *messagesRequest) readStop(v gjson.Result) error {
	sequences, err := listAt(v, "stop_sequences")
	for i := range sequences {
		var text string
		if text, err = textAt(sequences[i], "stop_sequences["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
		r.stop = append(r.stop, text)
	}
	return err
}

// messagesNumber reads a number as it is spelled.
func messagesNumber(name string, member func(c *conversation) *string) func(r *messagesRequest, v gjson.Result) error {
	return func(r *messagesRequest, v gjson.Result) (err error) {
		*member(r.conversation), err = numberAt(v, name)
		return err
	}
}

// messagesDefault drops a member that says something else than what is meant without it.
func messagesDefault(name, meant string) func(r *messagesRequest, v gjson.Result) error {
	return func(r *messagesRequest, v gjson.Result) error {
		if v.Str != meant {
			r.n.drop(name)
		}
		return nil
	}
}

// messagesState refuses a member that stands for what Anthropic keeps or does.
func messagesState(name string) func(r *messagesRequest, v gjson.Result) error {
	return func(_ *messagesRequest, v gjson.Result) error {
		if unset(v) {
			return nil
		}
		return unsayable(name, "%s stands for something that only Anthropic has, and this model is another provider's.", name)
	}
}
