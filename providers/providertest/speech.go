package providertest

import (
	"encoding/json"
	"strings"
)

// voice says in one dialect what a script wants said.
type voice interface {
	role() string
	chunk(text string) string
	reason(text string) string
	tool(name, arguments string) string
	finish(reason string) string
	usage(in, out int) string // empty where usage is told with the finish
	done() string             // empty where the finish is the end
	whole(text string) string // a whole answer
	failure(status int, code, message string) string
}

// voiceOf is the dialect that a path is asked in.
func voiceOf(r *Request) voice {
	switch {
	case strings.HasSuffix(r.Path, "/messages"):
		return &messagesVoice{model: r.Model}
	case strings.HasSuffix(r.Path, "/responses"):
		return &responsesVoice{model: r.Model}
	case strings.Contains(r.Path, "enerateContent"):
		return geminiVoice{model: r.Model}
	default:
		return chatVoice{model: r.Model}
	}
}

// bodyOf is what a step adds to a body.
func (p *player) bodyOf(st step) (string, bool) {
	events := true
	var text string
	switch st.name {
	case "role":
		text = p.voice.role()
	case "chunk":
		text = p.voice.chunk(st.text)
	case "reason":
		text = p.voice.reason(st.text)
	case "tool":
		name, arguments, _ := strings.Cut(st.text, " ")
		text = p.voice.tool(name, arguments)
	case "finish":
		text = p.voice.finish(st.text)
	case "usage":
		text = p.voice.usage(st.number, st.other)
	case "done":
		text = p.voice.done()
	case "event":
		text = data(st.text)
	case "typed":
		typ, data, _ := strings.Cut(st.text, " ")
		text = typed(typ, data)
	case "comment":
		text = ": " + st.text + "\n\n"
	case "events":
		text = st.text
	case "raw":
		events, text = false, st.text
	case "echo":
		events, text = false, p.echo()
	default:
		return "", false
	}
	if events {
		p.suggest("Content-Type", "text/event-stream")
	}
	return text, true
}

func data(text string) string { return "data: " + text + "\n\n" }

func typed(typ, data string) string { return "event: " + typ + "\ndata: " + data + "\n\n" }

// chat answers in the form that was asked for.
func (p *player) chat(text string) error {
	if !p.request.Stream {
		return p.body(step{name: "json", text: p.voice.whole(text)})
	}
	words := strings.SplitAfter(text, " ")
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

// fail answers with an error in the form of the dialect.
func (p *player) fail(status int, code, message string) error {
	p.status = status
	if code == "-" {
		code = ""
	}
	return p.body(step{name: "json", text: p.voice.failure(status, code, message)})
}

func str(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}
