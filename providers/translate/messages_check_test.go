package translate

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// messagesCheck follows a stream as Anthropic's clients do: the SDKs put the message together by indexes, and agents act
// on each block as it ends.
type messagesCheck struct {
	events int
	index  int64  // of the block that is open, or comes next
	open   string // its type
	text   string // what it has grown to
	sealed bool   // its signature has come

	calls      map[string]bool // by id
	stopReason string
	stopped    bool
}

// checkMessagesStream tells what is wrong with a stream for a client of the dialect.
func checkMessagesStream(stream []byte) error {
	c := messagesCheck{calls: map[string]bool{}}
	if !bytes.HasSuffix(stream, []byte("\n\n")) {
		return errors.New("the stream ends within an event")
	}
	for ev := range sse.Events(stream) {
		if err := c.take(ev); err != nil {
			return fmt.Errorf("event %d: %w\n%s", c.events, err, ev.Raw)
		}
		c.events++
	}
	if !c.stopped {
		return errors.New("there is no message_stop")
	}
	return nil
}

// messagesLine is what a client of the dialect reads without surprise: a name and one line of data.
var messagesLine = regexp.MustCompile(`^event: [a-z_]+\ndata: [^\n]+\n\n$`)

func (c *messagesCheck) take(ev sse.Event) error {
	if !messagesLine.Match(ev.Raw) {
		return errors.New("an event has to be a name and one line of data")
	}
	if !gjson.ValidBytes(ev.Data) {
		return errors.New("the data is no JSON")
	}
	v := gjson.ParseBytes(ev.Data)
	typ := v.Get("type").Str
	switch {
	case typ != string(ev.Type):
		return fmt.Errorf("the event is named %s, and its data %s", ev.Type, typ)
	case c.stopped:
		return errors.New("something comes behind message_stop")
	case (c.events == 0) != (typ == "message_start"):
		return errors.New("message_start comes first and once")
	case c.stopReason != "" && typ != "message_stop":
		return errors.New("message_stop has to follow message_delta")
	}
	switch typ {
	case "message_start":
		return checkMessagesStart(v.Get("message"))
	case "content_block_start":
		return c.start(v)
	case "content_block_delta":
		return c.delta(v)
	case "content_block_stop":
		return c.stop(v)
	case "message_delta":
		return c.end(v)
	case "message_stop":
		c.stopped = true
		if c.stopReason == "" {
			return errors.New("there was no message_delta")
		}
		return nil
	}
	return errors.New("there is no event of that name")
}

func checkMessagesStart(m gjson.Result) error {
	for name, want := range map[string]string{
		"type": `"message"`, "role": `"assistant"`, "content": `[]`, "stop_reason": "null", "stop_sequence": "null",
	} {
		if got := m.Get(name).Raw; got != want {
			return fmt.Errorf("message.%s is %s instead of %s", name, got, want)
		}
	}
	if m.Get("id").Str == "" || m.Get("model").Str == "" {
		return errors.New("the message has no id or no model")
	}
	return checkMessagesUsage(m.Get("usage"))
}

func checkMessagesUsage(u gjson.Result) error {
	for _, name := range []string{
		"input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens",
	} {
		if n := u.Get(name); n.Type != gjson.Number || n.Num < 0 {
			return fmt.Errorf("usage.%s is %s", name, n.Raw)
		}
	}
	return nil
}

// messagesStarts are the members that a block begins with; an empty text stands for one that says something.
var messagesStarts = map[string]map[string]string{
	"text":              {"text": `""`},
	"thinking":          {"thinking": `""`, "signature": `""`},
	"redacted_thinking": {"data": ""},
	"tool_use":          {"id": "", "name": "", "input": `{}`},
}

var messagesCallID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func (c *messagesCheck) start(v gjson.Result) error {
	b := v.Get("content_block")
	typ := b.Get("type").Str
	members, known := messagesStarts[typ]
	switch {
	case c.open != "":
		return fmt.Errorf("block %d is still open", c.index)
	case v.Get("index").Raw != fmt.Sprint(c.index):
		return fmt.Errorf("the index has to be %d", c.index)
	case !known:
		return fmt.Errorf("there is no block of type %q", typ)
	}
	for name, want := range members {
		if got := b.Get(name); want == "" && got.Str == "" || want != "" && got.Raw != want {
			return fmt.Errorf("%s of a new block is %s", name, got.Raw)
		}
	}
	if typ == "tool_use" {
		id := b.Get("id").Str
		if !messagesCallID.MatchString(id) || c.calls[id] {
			return fmt.Errorf("the id %q is wrong or is that of another call", id)
		}
		c.calls[id] = true
	}
	c.open, c.text, c.sealed = typ, "", false
	return nil
}

// messagesGrowth is how blocks grow: by which delta, and the name of its text.
var messagesGrowth = map[string]struct{ of, text string }{
	"text_delta":       {"text", "text"},
	"thinking_delta":   {"thinking", "thinking"},
	"signature_delta":  {"thinking", "signature"},
	"input_json_delta": {"tool_use", "partial_json"},
}

func (c *messagesCheck) delta(v gjson.Result) error {
	d := v.Get("delta")
	typ := d.Get("type").Str
	text := d.Get(messagesGrowth[typ].text)
	switch {
	case c.open == "" || v.Get("index").Raw != fmt.Sprint(c.index):
		return errors.New("no block of that index is open")
	case messagesGrowth[typ].of != c.open:
		return fmt.Errorf("a block of type %s can't grow by %q", c.open, typ)
	case text.Type != gjson.String || text.Str == "":
		return errors.New("the delta says nothing")
	case c.sealed:
		return errors.New("the signature has to come last, and once")
	case typ == "signature_delta":
		c.sealed = true
	default:
		c.text += text.Str
	}
	return nil
}

func (c *messagesCheck) stop(v gjson.Result) error {
	switch {
	case c.open == "" || v.Get("index").Raw != fmt.Sprint(c.index):
		return errors.New("no block of that index is open")
	case (c.open == "text" || c.open == "thinking") && c.text == "" && !c.sealed:
		return errors.New("the block is empty, and can't be sent back")
	case c.open == "tool_use" && c.text != "" && strings.TrimSpace(c.text)[0] != '{':
		return errors.New("the input is no object")
	}
	c.index++
	c.open = ""
	return nil
}

func (c *messagesCheck) end(v gjson.Result) error {
	d := v.Get("delta")
	reason := d.Get("stop_reason").Str
	_, known := messagesFinish[reason]
	stop := d.Get("stop_sequence")
	switch {
	case c.open != "":
		return fmt.Errorf("block %d is still open", c.index)
	case !known:
		return fmt.Errorf("there is no stop_reason %q", reason)
	case reason == "tool_use" && len(c.calls) == 0, reason == "end_turn" && len(c.calls) > 0:
		return fmt.Errorf("the stop_reason %s doesn't fit %d calls", reason, len(c.calls))
	case !stop.Exists() || (reason == "stop_sequence") != (stop.Type == gjson.String):
		return fmt.Errorf("the stop_sequence is %s", stop.Raw)
	}
	c.stopReason = reason
	return checkMessagesUsage(v.Get("usage"))
}

func TestTheCheckOfMessagesStreamsFindsFaults(t *testing.T) {
	const (
		start = `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],` +
			`"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":0,` +
			`"cache_creation_input_tokens":0,"cache_read_input_tokens":0}}}`
		open  = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
		hi    = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}`
		shut  = `{"type":"content_block_stop","index":0}`
		delta = `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":1,` +
			`"output_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}}`
		stop = `{"type":"message_stop"}`
		call = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"b","input":{}}}`
	)
	for name, test := range map[string]struct {
		events []string
		fault  string // a part of it; empty: none
	}{
		"whole":                      {[]string{start, open, hi, shut, delta, stop}, ""},
		"without content":            {[]string{start, delta, stop}, ""},
		"no start":                   {[]string{open, hi, shut, delta, stop}, "comes first"},
		"two starts":                 {[]string{start, start, delta, stop}, "comes first"},
		"no message_delta":           {[]string{start, open, hi, shut, stop}, "no message_delta"},
		"two of them":                {[]string{start, delta, delta, stop}, "has to follow"},
		"cut":                        {[]string{start, open, hi}, "no message_stop"},
		"something behind the end":   {[]string{start, delta, stop, stop}, "behind message_stop"},
		"an end within a block":      {[]string{start, open, hi, delta, stop}, "still open"},
		"a block in a block":         {[]string{start, open, open, shut, delta, stop}, "still open"},
		"an empty block":             {[]string{start, open, shut, delta, stop}, "is empty"},
		"a wrong index":              {[]string{start, strings.Replace(open, "0", "1", 1), delta, stop}, "has to be 0"},
		"a delta for another block":  {[]string{start, open, strings.Replace(hi, "0", "1", 1)}, "no block of that index"},
		"a delta that doesn't fit":   {[]string{start, call, hi, shut, delta, stop}, "can't grow by"},
		"calls without their reason": {[]string{start, call, shut, delta, stop}, "doesn't fit 1 calls"},
		"a reason without calls": {
			[]string{start, strings.Replace(delta, "end_turn", "tool_use", 1), stop}, "doesn't fit 0 calls",
		},
		"an unknown reason": {[]string{start, strings.Replace(delta, "end_turn", "stop", 1), stop}, "no stop_reason"},
		"no usage":          {[]string{strings.Replace(start, `"output_tokens":0,`, "", 1), delta, stop}, "usage.output_tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			var stream []byte
			for _, data := range test.events {
				stream = frame(stream, gjson.Get(data, "type").Str, []byte(data))
			}
			err := checkMessagesStream(stream)
			if test.fault == "" && err != nil || test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
				t.Errorf("got %v, want a fault with %q", err, test.fault)
			}
		})
	}
}
