package translate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// readMessages reads the turns.
func (r *messagesRequest) readMessages(v gjson.Result) error {
	if !v.IsArray() {
		return broken("messages", "messages has to be a list.")
	}
	r.turns, r.opening = nil, nil
	for i, m := range v.Array() {
		if err := r.readMessage(m, "messages["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	if len(r.turns) == 0 {
		return broken("messages", "messages holds no message with content.")
	}
	return nil
}

func (r *messagesRequest) readMessage(m gjson.Result, path string) error {
	role := m.Get("role").Str
	t := turn{assistant: role == "assistant", system: role == "system"}
	if !t.assistant && !t.system && role != "user" {
		return broken(path+".role", "A message has to have the role user, assistant or system.")
	}
	m.ForEach(func(name, v gjson.Result) bool {
		if name.Str != "role" && name.Str != "content" && !idle(name.Str, v) {
			r.n.drop("messages." + name.Str)
		}
		return true
	})
	var err error
	r.sealed = signature{}
	if t.blocks, err = r.readContent(m.Get("content"), path+".content", "messages.content"); err != nil {
		return err
	}
	switch {
	case t.system:
		err = onlyTexts(t.blocks, path+".content")
	case t.assistant:
		err = none(t.blocks, path+".content", "assistant", resultBlock)
	default:
		err = none(t.blocks, path+".content", "user", callBlock, reasoningBlock)
	}
	switch {
	case err != nil:
		return err
	case len(t.blocks) == 0:
	case t.system && len(r.turns) == 0:
		r.opening = append(r.opening, t.blocks...)
	default:
		slices.SortStableFunc(t.blocks, resultsFirst)
		r.turns = append(r.turns, t)
	}
	return nil
}

// none refuses blocks that the role can't say.
func none(blocks []block, path, role string, types ...blockType) error {
	for i := range blocks {
		if slices.Contains(types, blocks[i].is) {
			return broken(path, "A message of the role %s can't hold that.", role)
		}
	}
	return nil
}

// readContent reads a text, or a list of blocks. dropped is the path under which what it drops is named.
func (r *messagesRequest) readContent(v gjson.Result, path, dropped string) ([]block, error) {
	if v.Type == gjson.String {
		if v.Str == "" {
			return nil, nil
		}
		return []block{{is: textBlock, text: v.Str}}, nil
	}
	if !v.IsArray() {
		return nil, broken(path, "%s has to be a text or a list of blocks.", path)
	}
	var blocks []block
	for i, part := range v.Array() {
		read, err := r.readBlock(part, path+"["+strconv.Itoa(i)+"]", dropped)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, read...)
	}
	return blocks, nil
}

// messagesBlock says how a type of block is read.
type messagesBlock struct {
	read  func(r *messagesRequest, v gjson.Result, path string) ([]block, error)
	knows []string // members, beside type and cache_control
}

// messagesBlocks are the types of blocks that can be said in other dialects.
var messagesBlocks = map[string]messagesBlock{
	"text":              {readMessagesText, []string{"text"}},
	"image":             {(*messagesRequest).readImage, []string{"source"}},
	"document":          {(*messagesRequest).readDocument, []string{"source", "title", "context"}},
	"search_result":     {(*messagesRequest).readSearchResult, []string{"source", "title", "content"}},
	"tool_use":          {(*messagesRequest).readToolUse, []string{"id", "name", "input", "caller"}},
	"tool_result":       {(*messagesRequest).readToolResult, []string{"tool_use_id", "content", "is_error"}},
	"thinking":          {readMessagesThinking, []string{"thinking", "signature"}},
	"redacted_thinking": {(*messagesRequest).readRedacted, []string{"data"}},
	"compaction":        {readMessagesCompaction, []string{"content", "encrypted_content"}},
}

// messagesDone are the types of blocks that tell what Anthropic did by itself; the text around them says what came of it.
var messagesDone = []string{
	"server_tool_use", "web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result",
	"bash_code_execution_tool_result", "text_editor_code_execution_tool_result", "tool_search_tool_result",
	"advisor_tool_result", "mcp_tool_use", "mcp_tool_result", "mcp_tool_listing", "tool_reference", "fallback",
}

func (r *messagesRequest) readBlock(v gjson.Result, path, dropped string) ([]block, error) {
	typ := v.Get("type").Str
	row, known := r.blocks[typ]
	switch {
	case known:
	case slices.Contains(messagesDone, typ):
		r.n.drop(dropped + "." + typ)
		return nil, nil
	case typ == "container_upload":
		return nil, unsayable(path, "%s is a file that only Anthropic has, and this model is another provider's.", path)
	default:
		return nil, broken(path+".type", "There is no block of type %q.", typ)
	}
	blocks, err := row.read(r, v, path)
	if err != nil {
		return nil, err
	}
	v.ForEach(func(name, v gjson.Result) bool {
		switch {
		case name.Str == "cache_control" && len(blocks) > 0:
			blocks[len(blocks)-1].cache = cacheControl(v)
		case name.Str != "type" && !idle(name.Str, v) && !slices.Contains(row.knows, name.Str) && v.Get("enabled").Raw != "false":
			r.n.drop(dropped + "." + name.Str)
		}
		return true
	})
	return blocks, nil
}

func readMessagesText(_ *messagesRequest, v gjson.Result, path string) ([]block, error) {
	text := v.Get("text")
	if text.Type != gjson.String {
		return nil, broken(path+".text", "text has to be a string.")
	}
	return textBlocks(text.Str), nil
}

// readMessagesCompaction reads the summary of what was said before.
func readMessagesCompaction(_ *messagesRequest, v gjson.Result, _ string) ([]block, error) {
	return textBlocks(v.Get("content").Str), nil
}

func readMessagesThinking(_ *messagesRequest, v gjson.Result, path string) ([]block, error) {
	text := v.Get("thinking")
	if text.Type != gjson.String {
		return nil, broken(path+".thinking", "thinking has to be a string.")
	}
	return []block{{is: reasoningBlock, text: text.Str, signature: unsealed(v.Get("signature").Str, Messages)}}, nil
}

// readRedacted reads reasoning that can't be read, or the signature of the call behind it.
func (r *messagesRequest) readRedacted(v gjson.Result, path string) ([]block, error) {
	data := v.Get("data")
	if data.Type != gjson.String {
		return nil, broken(path+".data", "data has to be a string.")
	}
	s := unsealed(data.Str, Messages)
	if s.from == Messages {
		s.text = redactedMark + s.text
	} else if text, ofCall := strings.CutPrefix(s.text, callMark); ofCall {
		r.sealed = signature{s.from, text}
		return nil, nil
	}
	return []block{{is: reasoningBlock, signature: s}}, nil
}
