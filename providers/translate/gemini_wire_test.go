package translate

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// What real clients ask in their dialects is a request that Gemini takes.
func TestRecordedRequestsAreSaidToGemini(t *testing.T) {
	for client, endpoint := range map[Dialect]string{
		Chat: "/v1/chat/completions", Responses: "/v1/responses", Messages: "/v1/messages",
	} {
		for name, body := range recordedRequests(t, endpoint) {
			t.Run(name, func(t *testing.T) {
				tr, err := Request(client, Gemini, body, Options{Model: "gemini-2.5-flash"})
				if refused, ok := errors.AsType[*Refused](err); ok && !refused.Broken && gjson.GetBytes(body, refused.Param).Exists() {
					return // it is about what a provider keeps
				}
				if err != nil {
					t.Fatal(err)
				}
				if why := refusedByGemini(tr.Body); why != "" {
					t.Errorf("%s: %.3000s", why, tr.Body)
				}
			})
		}
	}
}

// geminiMembers are the members that a request may have.
var geminiMembers = map[string]bool{
	"contents": true, "systemInstruction": true, "tools": true, "toolConfig": true, "generationConfig": true,
}

// refusedByGemini tells why Gemini would refuse a request; empty if it wouldn't.
func refusedByGemini(body []byte) string {
	if !gjson.ValidBytes(body) {
		return "it is no JSON"
	}
	request := gjson.ParseBytes(body)
	for name := range request.Map() {
		if !geminiMembers[name] {
			return "there is no " + name
		}
	}
	contents := request.Get("contents").Array()
	if len(contents) == 0 {
		return "contents are empty"
	}
	role, calls := "", ""
	for _, c := range contents {
		if c.Get("role").Str == role {
			return "two contents of " + role + " follow one another"
		}
		role = c.Get("role").Str
		var called, answered []string
		for _, p := range c.Get("parts").Array() {
			if p.Get("text").Type == gjson.String && p.Get("text").Str == "" && !p.Get("thoughtSignature").Exists() {
				return "a part is empty"
			}
			if f := p.Get("functionCall"); f.Exists() {
				if !f.Get("args").IsObject() {
					return "arguments are no object"
				}
				called = append(called, f.Get("id").Str+" "+f.Get("name").Str)
			}
			if f := p.Get("functionResponse"); f.Exists() {
				if !f.Get("response").IsObject() {
					return "a response is no object"
				}
				answered = append(answered, f.Get("id").Str+" "+f.Get("name").Str)
			}
		}
		if got := strings.Join(answered, ", "); got != calls {
			return "the calls of " + calls + " are answered by " + got
		}
		calls = strings.Join(called, ", ")
		if len(c.Get("parts").Array()) == 0 {
			return "parts are empty"
		}
	}
	return ""
}
