package translate

import (
	"strings"
	"testing"
)

func TestWhatIsDroppedIsNamedAsTheClientNamesIt(t *testing.T) {
	n := notes{called: map[string]string{"messages": "input", "messages.content.file": "input.content"}}
	for name, want := range map[string]string{
		"messages":                       "input",
		"messages.content.cache_control": "input.content.cache_control",
		"messages.content.file.filename": "input.content.filename",
		"messages_of_another_kind":       "messages_of_another_kind",
		"seed":                           "seed",
		"":                               "",
	} {
		if got := n.own(name); got != want {
			t.Errorf("%q is called %q, want %q", name, got, want)
		}
	}
	n.drop("messages.content.file.filename")
	n.drop("messages.content.file.filename")
	if n.count != 2 || len(n.dropped) != 1 || n.dropped[0] != "input.content.filename" {
		t.Errorf("got %+v", n)
	}
}

// A request loses nothing in silence. Reasoning of earlier turns is named as well, but no strict provider has to do
// without the request for it.
func TestWhatATargetCannotTakeIsNamed(t *testing.T) {
	chat := func(member, assistant string) string {
		return `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"` + assistant + `},{"role":"user","content":"c"}]` + member + `}`
	}
	messages := func(blocks string) string {
		return `{"max_tokens":100,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[` + blocks + `{"type":"text","text":"b"}]},{"role":"user","content":"c"}]}`
	}
	const (
		call         = `,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"S"}}}]},{"role":"tool","tool_call_id":"c","content":"r"`
		thinking     = `{"type":"thinking","thinking":"t","signature":"S"},`
		redacted     = `{"type":"redacted_thinking","data":"D"},`
		use          = `{"type":"tool_use","id":"u","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"u"}]},{"role":"assistant","content":[`
		item         = `{"input":[{"role":"user","content":"a"},{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"t"}],"encrypted_content":"E"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`
		itemAndCall  = `{"input":[{"role":"user","content":"a"},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"E"},{"type":"function_call","call_id":"k","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"k","output":"r"}]}`
		kept         = `{"input":[{"role":"user","content":"a"},{"type":"reasoning","id":"rs_1","summary":[]},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`
		reference    = `{"input":[{"role":"user","content":"a"},{"type":"item_reference","id":"rs_ohmroute_1_0"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`
		all, noChat  = "responses messages gemini", "messages gemini"
		imageOf      = `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x/y.png","detail":"`
		imageDetail  = "messages.content.image_url.detail"
		ofResponses  = `{"input":"a",`
		ofMessages   = `{"max_tokens":100,"messages":[{"role":"user","content":"a"}],`
		inResponses  = "chat messages gemini"
		fromMessages = "chat responses gemini"
	)
	for name, c := range map[string]struct {
		client        Dialect
		body, targets string
		dropped       string
	}{
		"a low detail":                      {Chat, imageOf + `low"}}]}]}`, noChat, imageDetail},
		"a detail of another name":          {Chat, imageOf + `original"}}]}]}`, noChat, imageDetail},
		"a usual detail":                    {Chat, imageOf + `auto"}}]}]}`, noChat, ""},
		"an empty object":                   {Chat, chat(`,"web_search_options":{}`, ""), all, "web_search_options"},
		"an empty object with a blank":      {Chat, chat(`,"web_search_options":{ }`, ""), all, "web_search_options"},
		"an empty object in a message":      {Chat, chat("", `,"prediction":{}`), all, "messages.prediction"},
		"empty ones that mean nothing":      {Chat, chat(`,"metadata":{},"logit_bias":{},"x":[]`, ""), noChat, ""},
		"an empty object for Responses":     {Responses, ofResponses + `"search":{},"metadata":{}}`, inResponses, "search"},
		"an empty object for Messages":      {Messages, ofMessages + `"search":{},"metadata":{}}`, fromMessages, "search"},
		"few tokens":                        {Chat, chat(`,"max_tokens":15`, ""), "responses", "max_tokens"},
		"few tokens by their newer name":    {Chat, chat(`,"max_completion_tokens":1`, ""), "responses", "max_completion_tokens"},
		"enough tokens":                     {Chat, chat(`,"max_tokens":16`, ""), "responses", ""},
		"reasoning of a chat":               {Chat, chat("", `,"reasoning_content":"t"`), "responses messages", "messages.reasoning"},
		"reasoning of a chat, and more":     {Chat, chat(`,"seed":1`, `,"reasoning_content":"t"`), "responses messages", "seed messages.reasoning"},
		"a call's signature":                {Chat, chat("", call), "responses messages", "messages.reasoning"},
		"a call's own signature":            {Chat, chat("", call), "gemini", ""},
		"signed reasoning":                  {Messages, messages(thinking), fromMessages, "messages.reasoning"},
		"hidden reasoning":                  {Messages, messages(redacted), fromMessages, "messages.reasoning"},
		"hidden reasoning of a call":        {Messages, messages(redacted + use), fromMessages, "messages.reasoning"},
		"several pieces of reasoning":       {Messages, messages(thinking + redacted), fromMessages, "messages.reasoning"},
		"an item of reasoning":              {Responses, item, inResponses, "input.reasoning"},
		"an item of reasoning of a call":    {Responses, itemAndCall, inResponses, "input.reasoning"},
		"an item that the provider keeps":   {Responses, kept, inResponses, "input.reasoning"},
		"an item that was never kept":       {Responses, reference, inResponses, "input.reasoning"},
		"reasoning that nobody ever signed": {Messages, messages(`{"type":"thinking","thinking":"","signature":"chat~ohmroute~none"},`), fromMessages, ""},
	} {
		for target := range strings.FieldsSeq(c.targets) {
			tr, err := Request(c.client, named[target], []byte(c.body), Options{Model: "m"})
			if err != nil {
				t.Errorf("%s, towards %s: %v", name, target, err)
				continue
			}
			if got := strings.Join(tr.Dropped, " "); got != c.dropped {
				t.Errorf("%s, towards %s: dropped %q, want %q", name, target, got, c.dropped)
			}
			if want := len(strings.Fields(c.dropped)) - strings.Count(c.dropped, ".reasoning"); tr.Count != want {
				t.Errorf("%s, towards %s: counted %d, want %d", name, target, tr.Count, want)
			}
		}
	}
}
