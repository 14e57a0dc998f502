package translate

import (
	"fmt"
	"strconv"

	"github.com/tidwall/gjson"
)

// chatRoles read the messages of a role.
var chatRoles = map[string]func(r *chatReading, m *chatMessage) error{
	"system":    (*chatReading).systemMessage,
	"developer": (*chatReading).systemMessage,
	"user":      (*chatReading).userMessage,
	"assistant": (*chatReading).assistantMessage,
	"tool":      (*chatReading).toolMessage,
	"function":  (*chatReading).functionMessage,
}

// chatMessage is a message that is being read.
type chatMessage struct {
	gjson.Result
	at int
}

// path is where a member of the message stands.
func (m *chatMessage) path(member string) string { return fmt.Sprintf("messages[%d].%s", m.at, member) }

func (r *chatReading) messages(v gjson.Result) error {
	for i, message := range v.Array() {
		m := &chatMessage{message, i}
		if !m.IsObject() {
			return broken(fmt.Sprintf("messages[%d]", i), "A message has to be an object.")
		}
		role := m.Get("role")
		if role.Type != gjson.String {
			return broken(m.path("role"), "A message has to have a role.")
		}
		read, ok := chatRoles[role.String()]
		if !ok {
			return broken(m.path("role"), "There is no role %q.", role.String())
		}
		if err := read(r, m); err != nil {
			return err
		}
	}
	return nil
}

// add appends a turn, unless nothing is said in it.
func (r *chatReading) add(m *chatMessage, t turn) {
	if cache := m.Get("cache_control"); cache.IsObject() && len(t.blocks) > 0 {
		t.blocks[len(t.blocks)-1].cache = cache.Raw
	}
	if len(t.blocks) > 0 {
		r.turns = append(r.turns, t)
	}
}

// rest names the members of a message that nothing reads.
func (r *chatReading) rest(m *chatMessage, known ...string) {
	dropRest(r.n, "messages", m.Result, append(known, "role", "content", "cache_control")...)
}

func (r *chatReading) systemMessage(m *chatMessage) error {
	r.rest(m)
	blocks, err := r.content(m)
	if err != nil {
		return err
	}
	for i := range blocks {
		if blocks[i].is != textBlock {
			return broken(m.path("content"), "A message of this role can hold text only.")
		}
	}
	if len(r.turns) > 0 {
		r.add(m, turn{system: true, blocks: blocks})
		return nil
	}
	if cache := m.Get("cache_control"); cache.IsObject() && len(blocks) > 0 {
		blocks[len(blocks)-1].cache = cache.Raw
	}
	r.system = append(r.system, blocks...)
	return nil
}

func (r *chatReading) userMessage(m *chatMessage) error {
	r.rest(m)
	blocks, err := r.content(m)
	if err != nil {
		return err
	}
	r.add(m, turn{blocks: blocks})
	return nil
}

func (r *chatReading) assistantMessage(m *chatMessage) error {
	r.rest(m, "refusal", "tool_calls", "function_call", "audio",
		"reasoning_details", "reasoning_content", "reasoning", "thinking")
	if m.Get("audio").IsObject() {
		return unsayable(m.path("audio"), "audio refers to an answer that one provider keeps, and the target speaks another dialect.")
	}
	t := turn{assistant: true, blocks: chatReasoning(m.Result)}
	blocks, err := r.content(m)
	if err != nil {
		return err
	}
	t.blocks = append(t.blocks, blocks...)
	if refusal := m.Get("refusal").String(); refusal != "" {
		t.blocks = append(t.blocks, block{is: refusalBlock, text: refusal})
	}
	calls, err := r.calls(m)
	if err != nil {
		return err
	}
	t.blocks = append(t.blocks, calls...)
	r.add(m, t)
	return nil
}

// calls are the tool calls of an assistant's message.
func (r *chatReading) calls(m *chatMessage) ([]block, error) {
	var calls []block
	list, err := listAt(m.Get("tool_calls"), m.path("tool_calls"))
	if err != nil {
		return nil, err
	}
	for j, call := range list {
		path := m.path(fmt.Sprintf("tool_calls[%d]", j))
		if id := call.Get("id"); id.Type != gjson.String || id.String() == "" {
			return nil, broken(path+".id", "A tool call has to have an id.")
		}
		b := chatCall(call)
		if b.name == "" {
			return nil, broken(path, "A tool call has to name a function.")
		}
		b.signature = unsealed(call.Get(chatCallSignature).String(), Gemini)
		calls = append(calls, b)
	}
	if old := m.Get("function_call"); old.IsObject() {
		b := block{is: callBlock, id: "function_" + strconv.Itoa(m.at), name: old.Get("name").String()}
		b.text = chatArguments(old.Get("arguments"))
		if b.name == "" {
			return nil, broken(m.path("function_call"), "A function call has to name a function.")
		}
		r.functions[b.name] = b.id
		calls = append(calls, b)
	}
	return calls, nil
}

// chatCallSignature is where Google's hosts keep what has to come back with a call.
const chatCallSignature = "extra_content.google.thought_signature"

// chatCall is a tool call of a request or of a whole answer, without its signature.
func chatCall(call gjson.Result) block {
	b := block{is: callBlock, id: call.Get("id").String()}
	if custom := call.Get("custom"); custom.IsObject() {
		b.name = custom.Get("name").String()
		b.text = customArguments(custom.Get("input").String())
		return b
	}
	b.name = call.Get("function.name").String()
	b.text = chatArguments(call.Get("function.arguments"))
	return b
}

// chatArguments are a whole call's arguments: a text that is JSON, or with some hosts the object itself.
func chatArguments(v gjson.Result) string {
	return orEmptyObject(chatArgumentText(v))
}

// chatArgumentText is a piece of a call's arguments, or all of them.
func chatArgumentText(v gjson.Result) string {
	if v.Type == gjson.String || v.Type == gjson.Null {
		return v.String()
	}
	return v.Raw
}

func (r *chatReading) toolMessage(m *chatMessage) error {
	r.rest(m, "tool_call_id")
	id := m.Get("tool_call_id")
	if id.Type != gjson.String || id.String() == "" {
		return broken(m.path("tool_call_id"), "A message of the role tool has to say whose result it is.")
	}
	return r.result(m, id.String())
}

func (r *chatReading) functionMessage(m *chatMessage) error {
	r.rest(m, "name")
	name := m.Get("name").String()
	id, called := r.functions[name]
	if !called {
		return broken(m.path("name"), "There is a result of the function %q, which no message before it calls.", name)
	}
	return r.result(m, id)
}

// result adds a tool's result to the turn that holds those before it.
func (r *chatReading) result(m *chatMessage, id string) error {
	content, err := r.content(m)
	if err != nil {
		return err
	}
	b := block{is: resultBlock, id: id, content: content}
	if last := len(r.turns) - 1; last >= 0 && r.turns[last].holdsResults() {
		r.turns[last].blocks = append(r.turns[last].blocks, b)
		return nil
	}
	r.add(m, turn{blocks: []block{b}})
	return nil
}

// holdsResults tells whether the turn holds results of tools and nothing else.
func (t turn) holdsResults() bool {
	for i := range t.blocks {
		if t.blocks[i].is != resultBlock {
			return false
		}
	}
	return len(t.blocks) > 0
}
