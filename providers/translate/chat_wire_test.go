package translate

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// What real clients of other dialects ask is a request that chat hosts take.
func TestRecordedRequestsAreSaidToAChat(t *testing.T) {
	for client, endpoint := range map[Dialect]string{Responses: "/v1/responses", Messages: "/v1/messages"} {
		for name, body := range recordedRequests(t, endpoint) {
			t.Run(name, func(t *testing.T) {
				tr, err := Request(client, Chat, body, Options{Model: "gpt-4o"})
				if refused, ok := errors.AsType[*Refused](err); ok && !refused.Broken && gjson.GetBytes(body, refused.Param).Exists() {
					return // it is about what a provider keeps
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := checkChatRequest(tr.Body); err != nil {
					t.Errorf("%v: %.3000s", err, tr.Body)
				}
			})
		}
	}
}

// What real clients of a chat ask is understood, and other dialects can say it.
func TestRecordedChatRequestsAreUnderstood(t *testing.T) {
	for name, body := range recordedRequests(t, "/v1/chat/completions") {
		t.Run(name, func(t *testing.T) {
			var n notes
			c, err := readChatRequest(gjson.ParseBytes(body), &n)
			if err != nil {
				t.Fatal(err)
			}
			back, err := writeChatRequest(c, Options{Model: "gpt-4o"}, &n)
			if err != nil {
				t.Fatal(err)
			}
			if err := checkChatRequest(back); err != nil {
				t.Errorf("%v: %.3000s", err, back)
			}
			if got, want := shownRequest(back), shownRequest(body); got != want {
				t.Errorf("got\n%.2000s\nwant\n%.2000s", got, want)
			}
		})
	}
}

// shownRequest is what a request's messages and tools say, in whichever form.
func shownRequest(body []byte) string {
	var b strings.Builder
	for _, m := range gjson.GetBytes(body, "messages").Array() {
		content := m.Get("content")
		b.WriteString(strings.Replace(m.Get("role").Str, "developer", "system", 1) + " ")
		if content.Type == gjson.String {
			b.WriteString(strings.ReplaceAll(content.Str, "\n", ""))
		}
		for part := range elements(content) {
			if part.Get("type").Str == "text" {
				b.WriteString(strings.ReplaceAll(part.Get("text").Str, "\n", ""))
			} else {
				fmt.Fprint(&b, part.Value())
			}
		}
		for call := range elements(m.Get("tool_calls")) {
			fmt.Fprint(&b, call.Get("id"), call.Get("function.name"), call.Get("function.arguments"))
		}
		b.WriteString(m.Get("tool_call_id").Str + "\n")
	}
	for tool := range elements(gjson.GetBytes(body, "tools")) {
		parameters := tool.Get("function.parameters").Value()
		if parameters == nil { // nothing is taken
			parameters = map[string]any{"type": "object", "properties": map[string]any{}}
		}
		fmt.Fprintln(&b, tool.Get("function.name"), tool.Get("function.description"), parameters)
	}
	return b.String()
}

// checkChatRequest tells why OpenAI would refuse a request.
func checkChatRequest(body []byte) error {
	if !gjson.ValidBytes(body) {
		return errors.New("no JSON")
	}
	request := gjson.ParseBytes(body)
	open := map[string]bool{}
	for i, m := range request.Get("messages").Array() {
		content := m.Get("content")
		if content.Type != gjson.String && !content.IsArray() && len(m.Get("tool_calls").Array()) == 0 {
			return fmt.Errorf("message %d has no content", i)
		}
		role := m.Get("role").Str
		if role != "tool" && len(open) > 0 {
			return fmt.Errorf("before message %d the calls %v have no result", i, open)
		}
		switch role {
		case "system", "user":
		case "assistant":
			for call := range elements(m.Get("tool_calls")) {
				open[call.Get("id").Str] = true
				if !gjson.Valid(call.Get("function.arguments").Str) || call.Get("type").Str != "function" {
					return fmt.Errorf("message %d calls wrongly", i)
				}
			}
		case "tool":
			id := m.Get("tool_call_id").Str
			if !open[id] {
				return fmt.Errorf("message %d is the result of no call", i)
			}
			delete(open, id)
		default:
			return fmt.Errorf("message %d is of %q", i, role)
		}
	}
	for i, tool := range request.Get("tools").Array() {
		f := tool.Get("function")
		if f.Get("name").Str == "" || !f.Get("parameters").IsObject() {
			return fmt.Errorf("tool %d is incomplete", i)
		}
	}
	return nil
}
