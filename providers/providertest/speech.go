package providertest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// bodyOf is what a step adds to a body.
func (p *player) bodyOf(st step) (string, bool) {
	switch st.name {
	case "role":
		return p.chunk(`{"role":"assistant","content":""}`, ""), true
	case "chunk":
		return p.chunk(`{"content":`+str(st.text)+`}`, ""), true
	case "reason":
		return p.chunk(`{"reasoning_content":`+str(st.text)+`}`, ""), true
	case "tool":
		name, arguments, _ := strings.Cut(st.text, " ")
		return p.chunk(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":`+str(name)+`,"arguments":`+str(arguments)+`}}]}`, ""), true
	case "finish":
		return p.chunk(`{}`, st.text), true
	case "usage":
		return p.usage(st.number, st.other), true
	case "done":
		return p.event("[DONE]"), true
	case "event":
		return p.event(st.text), true
	case "typed":
		typ, data, _ := strings.Cut(st.text, " ")
		p.suggest("Content-Type", "text/event-stream")
		return "event: " + typ + "\ndata: " + data + "\n\n", true
	case "comment":
		p.suggest("Content-Type", "text/event-stream")
		return ": " + st.text + "\n\n", true
	case "raw":
		return st.text, true
	case "events":
		p.suggest("Content-Type", "text/event-stream")
		return st.text, true
	case "echo":
		return p.echo(), true
	}
	return "", false
}

func (p *player) event(data string) string {
	p.suggest("Content-Type", "text/event-stream")
	return "data: " + data + "\n\n"
}

// head are the members that all chunks of an answer share.
func (p *player) head(object string) string {
	return `{"id":"chatcmpl-test","object":"` + object + `","created":1700000000,"model":` + str(p.request.Model)
}

func (p *player) chunk(delta, finish string) string {
	reason := "null"
	if finish != "" {
		reason = str(finish)
	}
	return p.event(p.head("chat.completion.chunk") + `,"choices":[{"index":0,"delta":` + delta + `,"logprobs":null,"finish_reason":` + reason + `}]}`)
}

func (p *player) usage(in, out int) string {
	return p.event(p.head("chat.completion.chunk") + `,"choices":[],"usage":` + usage(in, out) + `}`)
}

func usage(in, out int) string {
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, in, out, in+out)
}

// chat answers in the form that was asked for.
func (p *player) chat(text string) error {
	words := strings.SplitAfter(text, " ")
	if !p.request.Stream {
		return p.body(step{name: "json", text: p.head("chat.completion") +
			`,"choices":[{"index":0,"message":{"role":"assistant","content":` + str(text) +
			`,"refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":` + usage(5, len(words)) + `}`})
	}
	steps := []step{{name: "role"}}
	for _, word := range words {
		steps = append(steps, step{name: "chunk", text: word})
	}
	steps = append(steps, step{name: "finish", text: "stop"})
	if p.request.Usage {
		steps = append(steps, step{name: "usage", number: 5, other: len(words)})
	}
	for _, st := range append(steps, step{name: "done"}) {
		text, _ := p.bodyOf(st)
		if err := p.write(text); err != nil {
			return err
		}
	}
	return nil
}

// fail answers with an error in OpenAI's form.
func (p *player) fail(status int, code, message string) error {
	p.status = status
	c := "null"
	if code != "-" && code != "" {
		c = str(code)
	}
	return p.body(step{name: "json", text: `{"error":{"message":` + str(message) + `,"type":"test_error","param":null,"code":` + c + `}}`})
}

func str(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}
