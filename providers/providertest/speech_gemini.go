package providertest

import (
	"fmt"
	"strings"
)

// geminiVoice speaks Gemini's generateContent.
type geminiVoice struct{ model string }

func (v geminiVoice) answer(parts, finish string) string {
	reason := ""
	if finish != "" {
		reason = `"finishReason":` + str(finish) + `,`
	}
	return `{"candidates":[{"content":{"parts":[` + parts + `],"role":"model"},` + reason + `"index":0}],` +
		`"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2,"totalTokenCount":7},"modelVersion":` + str(v.model) + `,"responseId":"gemini-test"}`
}

// event ends its lines as Gemini does.
func (v geminiVoice) event(parts, finish string) string {
	return "data: " + v.answer(parts, finish) + "\r\n\r\n"
}

func (v geminiVoice) role() string             { return "" }
func (v geminiVoice) chunk(text string) string { return v.event(`{"text":`+str(text)+`}`, "") }
func (v geminiVoice) reason(text string) string {
	return v.event(`{"text":`+str(text)+`,"thought":true}`, "")
}

func (v geminiVoice) tool(name, arguments string) string {
	return v.event(`{"functionCall":{"name":`+str(name)+`,"args":`+arguments+`}}`, "")
}

// finishReasons are Gemini's words for OpenAI's.
var finishReasons = map[string]string{"stop": "STOP", "length": "MAX_TOKENS", "tool_calls": "STOP", "content_filter": "SAFETY"}

func (v geminiVoice) finish(reason string) string {
	if word, known := finishReasons[reason]; known {
		reason = word
	}
	return v.event(`{"text":""}`, reason)
}

func (v geminiVoice) usage(int, int) string { return "" }
func (v geminiVoice) done() string          { return "" }

func (v geminiVoice) whole(text string) string { return v.answer(`{"text":`+str(text)+`}`, "STOP") }

func (v geminiVoice) failure(status int, code, message string) string {
	if code == "" {
		code = "TEST_ERROR"
	}
	return fmt.Sprintf(`{"error":{"code":%d,"message":%s,"status":%s}}`, status, str(message), str(code))
}

// modelInPath is the model that a path names: Gemini's, or a deployment of Azure's.
func modelInPath(path string) (model string, streamed bool) {
	if _, rest, found := strings.Cut(path, "/deployments/"); found {
		model, _, _ = strings.Cut(rest, "/")
		return model, false
	}
	_, rest, _ := strings.Cut(path, "/models/")
	model, verb, _ := strings.Cut(rest, ":")
	return model, strings.HasPrefix(verb, "stream")
}

// words counts the words of a text, which stand for tokens.
func words(text string) int { return len(strings.SplitAfter(text, " ")) }
