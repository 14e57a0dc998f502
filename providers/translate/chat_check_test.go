package translate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// checkChatStream tells what is wrong with a stream for a client of the dialect: whatever one of the official clients
// would stumble over.
func checkChatStream(stream []byte) error {
	c := chatChecking{calls: map[int64]*chatChecked{}, listed: map[string]int64{}}
	read := 0
	for ev := range sse.Events(stream) {
		read += len(ev.Raw)
		if err := c.event(ev); err != nil {
			return fmt.Errorf("%w: %s", err, ev.Raw)
		}
	}
	switch {
	case read != len(stream):
		return fmt.Errorf("bytes that are no whole event: %q", stream[read:])
	case !c.done:
		return errors.New("there is no [DONE]")
	}
	return c.whole()
}

// chatChecking is a stream that is being checked.
type chatChecking struct {
	head   string // what all events have in common
	begun  bool
	reason string
	usage  bool
	done   bool
	calls  map[int64]*chatChecked
	ids    []string
	listed map[string]int64 // by the name of a list that grows: how many entries it has
}

// chatChecked is a tool call.
type chatChecked struct{ arguments strings.Builder }

func (c *chatChecking) event(ev sse.Event) error {
	switch {
	case c.done:
		return errors.New("something stands behind [DONE]")
	case len(ev.Type) > 0:
		return errors.New("the event has a name")
	case bytes.ContainsRune(ev.Data, '\n') || !bytes.HasPrefix(ev.Raw, []byte("data: ")):
		return errors.New("the event is more than one line of data")
	case string(ev.Data) == "[DONE]":
		c.done = true
		return nil
	case !gjson.ValidBytes(ev.Data):
		return errors.New("the data is no JSON")
	}
	return c.chunk(gjson.ParseBytes(ev.Data))
}

func (c *chatChecking) chunk(v gjson.Result) error {
	var head strings.Builder
	for name, typ := range map[string]gjson.Type{
		"id": gjson.String, "object": gjson.String, "created": gjson.Number, "model": gjson.String,
	} {
		if m := v.Get(name); m.Type != typ || m.String() == "" {
			return fmt.Errorf("%s is missing", name)
		}
	}
	for _, name := range []string{"id", "object", "created", "model"} {
		head.WriteString(v.Get(name).Raw + " ")
	}
	if c.head == "" {
		c.head = head.String()
	}
	choices := v.Get("choices").Array()
	switch {
	case head.String() != c.head:
		return errors.New("id, object, created or model differ from those before")
	case v.Get("object").Str != "chat.completion.chunk":
		return errors.New("object is wrong")
	case v.Get("error").Exists():
		return errors.New("there is an error")
	case !v.Get("choices").IsArray() || len(choices) > 1:
		return errors.New("there is no list of at most one choice")
	case len(choices) == 0:
		return c.counted(v.Get("usage"))
	}
	return c.choice(choices[0])
}

// counted checks the event that tells the usage.
func (c *chatChecking) counted(u gjson.Result) error {
	switch {
	case c.reason == "":
		return errors.New("usage comes before the finish reason")
	case c.usage:
		return errors.New("there is a second usage")
	}
	c.usage = true
	in, out, total := u.Get("prompt_tokens"), u.Get("completion_tokens"), u.Get("total_tokens")
	if in.Type != gjson.Number || out.Type != gjson.Number || total.Int() != in.Int()+out.Int() {
		return errors.New("the usage is incomplete or doesn't add up")
	}
	return nil
}

func (c *chatChecking) choice(v gjson.Result) error {
	delta, reason := v.Get("delta"), v.Get("finish_reason")
	switch {
	case v.Get("index").Raw != "0":
		return errors.New("the index of the choice is not 0")
	case !delta.IsObject():
		return errors.New("there is no delta")
	case c.reason != "":
		return errors.New("a choice comes behind its finish reason")
	case !c.begun && delta.Get("role").Str != "assistant":
		return errors.New("the role doesn't come first")
	case c.begun && delta.Get("role").Exists():
		return errors.New("the role comes again")
	case !reason.Exists() || reason.Type != gjson.Null && reason.Type != gjson.String:
		return errors.New("there is no finish reason, and no null for it")
	}
	c.begun = true
	var err error
	delta.ForEach(func(key, value gjson.Result) bool {
		err = c.member(key.Str, value)
		return err == nil
	})
	if reason.Type == gjson.String {
		if !strings.Contains(" stop length tool_calls content_filter function_call ", " "+reason.Str+" ") {
			return errors.New("no client knows the finish reason")
		}
		c.reason = reason.Str
	}
	return err
}

// member checks a member of a delta.
func (c *chatChecking) member(name string, v gjson.Result) error {
	switch name {
	case "role", "content", "refusal", "reasoning_content":
		if v.Type != gjson.String {
			return fmt.Errorf("%s is no string", name)
		}
	case "tool_calls", "images", "reasoning_details":
		if !v.IsArray() || len(v.Array()) == 0 {
			return fmt.Errorf("%s is no list with something in it", name)
		}
		if name != "tool_calls" {
			return c.entries(name, v)
		}
		for _, call := range v.Array() {
			if err := c.call(call); err != nil {
				return err
			}
		}
	case "function_call":
		if !v.Get("arguments").Exists() {
			return errors.New("a function call without arguments")
		}
	default:
		return fmt.Errorf("no client knows %s", name)
	}
	return nil
}

// entries checks a list that clients put together by the index of its entries. Those of Python fail without one, and take
// two entries of one index for one.
func (c *chatChecking) entries(name string, list gjson.Result) error {
	for _, entry := range list.Array() {
		if index := entry.Get("index"); index.Type != gjson.Number || index.Int() != c.listed[name] {
			return fmt.Errorf("an entry of %s has the index %q and not %d", name, index.Raw, c.listed[name])
		}
		c.listed[name]++
	}
	return nil
}

func (c *chatChecking) call(v gjson.Result) error {
	index := v.Get("index")
	if index.Type != gjson.Number {
		return errors.New("a tool call without an index")
	}
	id, name, arguments := v.Get("id"), v.Get("function.name"), v.Get("function.arguments")
	if arguments.Type != gjson.String {
		return errors.New("arguments are no string")
	}
	known := c.calls[index.Int()]
	if known == nil {
		switch {
		case slices.Contains(c.ids, id.Str):
			return fmt.Errorf("two tool calls have the id %q", id.Str)
		case index.Int() != int64(len(c.calls)):
			return errors.New("the index of a tool call is left out")
		case id.Str == "" || name.Str == "" || v.Get("type").Str != "function":
			return errors.New("a tool call begins without its id, type or name")
		}
		known = &chatChecked{}
		c.calls[index.Int()] = known
		c.ids = append(c.ids, id.Str)
	} else if id.Exists() || name.Exists() || v.Get("type").Exists() {
		return errors.New("a tool call is named twice")
	}
	known.arguments.WriteString(arguments.Str)
	return nil
}

// whole checks what can be told at the end only.
func (c *chatChecking) whole() error {
	if c.reason == "" {
		return errors.New("there is no finish reason")
	}
	for i, call := range c.calls {
		if text := call.arguments.String(); c.reason != "length" && !gjson.Valid(text) {
			return fmt.Errorf("the arguments of tool call %d are no JSON: %s", i, text)
		}
	}
	if (c.reason == "tool_calls") && len(c.calls) == 0 {
		return errors.New("there are no tool calls, but the finish reason says so")
	}
	return nil
}

// chatChunk is an event with this choice.
func chatChunk(choice string) string {
	return `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,` + choice + "}]}\n\n"
}

func TestTheCheckOfChatStreamsFindsWhatClientsStumbleOver(t *testing.T) {
	role := chatChunk(`"delta":{"role":"assistant","content":""},"finish_reason":null`)
	text := chatChunk(`"delta":{"content":"a"},"finish_reason":null`)
	call := chatChunk(`"delta":{"tool_calls":[{"index":0,"id":"t","type":"function","function":{"name":"f","arguments":""}}]},"finish_reason":null`)
	more := chatChunk(`"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]},"finish_reason":null`)
	stop := chatChunk(`"delta":{},"finish_reason":"stop"`)
	usage := `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}` + "\n\n"
	const done = "data: [DONE]\n\n"
	details := func(index string) string {
		return chatChunk(`"delta":{"reasoning_details":[{` + index + `"type":"reasoning.text","text":"t"}]},"finish_reason":null`)
	}
	good := role + details(`"index":0,`) + details(`"index":1,`) + text + call + more + stop + usage + done
	if err := checkChatStream([]byte(good)); err != nil {
		t.Fatalf("a good stream: %v", err)
	}
	for name, bad := range map[string]string{
		"nothing":                  "",
		"no end":                   role + stop,
		"cut":                      role + stop + "data: [DONE]\n",
		"behind the end":           good + done,
		"a name":                   "event: message\n" + good,
		"two lines":                strings.Replace(good, `,"choices"`, ",\ndata: \"choices\"", 1),
		"no JSON":                  role + "data: {\n\n" + stop + done,
		"no role":                  text + stop + done,
		"role twice":               role + role + stop + done,
		"another id":               role + strings.Replace(text, "c1", "c2", 1) + stop + done,
		"another model":            role + strings.Replace(text, `"m"`, `"n"`, 1) + stop + done,
		"no id":                    strings.ReplaceAll(good, `"id":"c1",`, ""),
		"another object":           strings.ReplaceAll(good, ".chunk", ""),
		"an error":                 strings.Replace(good, `"created"`, `"error":{},"created"`, 1),
		"no finish reason":         role + text + done,
		"two finish reasons":       role + stop + stop + done,
		"text behind the finish":   role + stop + text + done,
		"an unknown finish":        role + strings.Replace(stop, `"stop"`, `"end_turn"`, 1) + done,
		"no null for the finish":   role + strings.Replace(text, `,"finish_reason":null`, "", 1) + stop + done,
		"usage too early":          role + usage + stop + done,
		"usage that isn't a sum":   role + stop + strings.Replace(usage, ":3}", ":4}", 1) + done,
		"usage twice":              role + stop + usage + usage + done,
		"arguments without a call": role + more + stop + done,
		"a call named twice":       role + call + call + stop + done,
		"a call left out":          role + strings.Replace(call, `[{"index":0`, `[{"index":1`, 1) + stop + done,
		"broken arguments":         role + call + stop + done,
		"calls that aren't there":  role + strings.Replace(stop, `"stop"`, `"tool_calls"`, 1) + done,
		"an unknown member":        role + strings.Replace(text, `"content"`, `"thought"`, 1) + stop + done,
		"an entry without index":   role + details("") + stop + done,
		"an index twice":           role + details(`"index":0,`) + details(`"index":0,`) + stop + done,
		"content that is null":     role + strings.Replace(text, `"a"`, `null`, 1) + stop + done,
	} {
		if err := checkChatStream([]byte(bad)); err == nil {
			t.Errorf("%s: nothing was found", name)
		}
	}
}
