package providertest

import "fmt"

// chatVoice speaks OpenAI's chat completions.
type chatVoice struct{ model string }

// head are the members that all chunks of an answer share.
func (v chatVoice) head(object string) string {
	return `{"id":"chatcmpl-test","object":"` + object + `","created":1700000000,"model":` + str(v.model)
}

func (v chatVoice) delta(delta, finish string) string {
	reason := "null"
	if finish != "" {
		reason = str(finish)
	}
	return data(v.head("chat.completion.chunk") + `,"choices":[{"index":0,"delta":` + delta + `,"logprobs":null,"finish_reason":` + reason + `}]}`)
}

func (v chatVoice) role() string             { return v.delta(`{"role":"assistant","content":""}`, "") }
func (v chatVoice) chunk(text string) string { return v.delta(`{"content":`+str(text)+`}`, "") }
func (v chatVoice) reason(text string) string {
	return v.delta(`{"reasoning_content":`+str(text)+`}`, "")
}

func (v chatVoice) finish(reason string) string {
	return v.delta(`{}`, reason)
}

func (v chatVoice) tool(name, arguments string) string {
	return v.delta(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":`+str(name)+`,"arguments":`+str(arguments)+`}}]}`, "")
}

func (v chatVoice) usage(in, out int) string {
	return data(v.head("chat.completion.chunk") + `,"choices":[],"usage":` + usage(in, out) + `}`)
}

func (v chatVoice) done() string { return data("[DONE]") }

func (v chatVoice) whole(text string) string {
	return v.head("chat.completion") + `,"choices":[{"index":0,"message":{"role":"assistant","content":` + str(text) +
		`,"refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":` + usage(5, words(text)) + `}`
}

func (v chatVoice) failure(_ int, code, message string) string {
	c := "null"
	if code != "" {
		c = str(code)
	}
	return `{"error":{"message":` + str(message) + `,"type":"test_error","param":null,"code":` + c + `}}`
}

func usage(in, out int) string {
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, in, out, in+out)
}
