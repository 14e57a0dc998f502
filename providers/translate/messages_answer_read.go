package translate

import "github.com/tidwall/gjson"

// messagesFinish is why a model stopped, in Anthropic's words.
var messagesFinish = map[string]finish{
	"end_turn":                      finishStop,
	"stop_sequence":                 finishStop,
	"max_tokens":                    finishLength,
	"tool_use":                      finishCalls,
	"refusal":                       finishRefusal,
	"pause_turn":                    finishPause,
	"model_context_window_exceeded": finishWindow,
}

func readMessagesAnswer(body gjson.Result, n *notes) *answer {
	a := &answer{
		id: body.Get("id").Str, model: body.Get("model").Str,
		finish: messagesFinish[body.Get("stop_reason").Str], stop: body.Get("stop_sequence").Str,
	}
	for _, v := range body.Get("content").Array() {
		b, known := readMessagesPart(v)
		if !known {
			n.drop("content." + v.Get("type").Str)
			continue
		}
		if !unset(v.Get("citations")) {
			n.drop("content.citations")
		}
		a.blocks = append(a.blocks, b)
	}
	if why := body.Get("stop_details.explanation").Str; why != "" {
		a.blocks = append(a.blocks, block{is: refusalBlock, text: why})
	}
	if v := body.Get("usage"); v.IsObject() {
		var counted messagesUsage
		counted.read(v)
		a.usage = counted.usage()
	}
	return a
}

// readMessagesPart reads a block of an answer, or the start of one in a stream; known is false for one that tells what
// Anthropic did by itself.
func readMessagesPart(v gjson.Result) (b block, known bool) {
	switch v.Get("type").Str {
	case "text":
		return block{is: textBlock, text: v.Get("text").Str}, true
	case "thinking":
		s := unsealed(v.Get("signature").Str, Messages)
		return block{is: reasoningBlock, text: v.Get("thinking").Str, signature: s}, true
	case "redacted_thinking":
		s := unsealed(v.Get("data").Str, Messages)
		if s.from == Messages {
			s.text = redactedMark + s.text
		}
		return block{is: reasoningBlock, signature: s}, true
	case "tool_use":
		b = block{is: callBlock, id: v.Get("id").Str, name: v.Get("name").Str}
		if input := v.Get("input"); input.IsObject() && !unset(input) {
			b.text = input.Raw
		}
		return b, true
	}
	return block{}, false
}

// messagesUsage is what Anthropic counts. What was cached is not part of the input there.
type messagesUsage struct{ input, output, cacheRead, cacheWrite, thinking int64 }

// read takes over the counts that v has: those of a stream's end stand for all of it, but not all of them are told again.
func (u *messagesUsage) read(v gjson.Result) {
	for name, count := range map[string]*int64{
		"input_tokens":                          &u.input,
		"output_tokens":                         &u.output,
		"cache_read_input_tokens":               &u.cacheRead,
		"cache_creation_input_tokens":           &u.cacheWrite,
		"output_tokens_details.thinking_tokens": &u.thinking,
	} {
		if n := v.Get(name); n.Type == gjson.Number && n.Num >= 0 && n.Num < 1<<53 {
			*count = n.Int()
		}
	}
}

func (u *messagesUsage) usage() *usage {
	return &usage{
		input: u.input + u.cacheRead + u.cacheWrite, output: u.output,
		cacheRead: u.cacheRead, cacheWrite: u.cacheWrite, reasoning: u.thinking,
	}
}
