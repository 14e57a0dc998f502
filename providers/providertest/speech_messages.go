package providertest

import "strconv"

// messagesVoice speaks Anthropic's Messages.
type messagesVoice struct {
	model  string
	blocks int
	open   string // the type of the block that is open, empty for none
	pieces int
}

func (v *messagesVoice) head() string {
	return `{"id":"msg_test","type":"message","role":"assistant","model":` + str(v.model)
}

func (v *messagesVoice) role() string {
	return typed("message_start", `{"type":"message_start","message":`+v.head()+
		`,"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":5,"output_tokens":1}}}`)
}

// within opens a block of a type unless one is open.
func (v *messagesVoice) within(typ, block, delta string) string {
	before := ""
	if v.open != typ {
		before = v.close() + typed("content_block_start", `{"type":"content_block_start","index":`+strconv.Itoa(v.blocks)+`,"content_block":`+block+`}`)
		v.open = typ
	}
	v.pieces++
	return before + typed("content_block_delta", `{"type":"content_block_delta","index":`+strconv.Itoa(v.blocks)+`,"delta":`+delta+`}`)
}

func (v *messagesVoice) close() string {
	if v.open == "" {
		return ""
	}
	end := typed("content_block_stop", `{"type":"content_block_stop","index":`+strconv.Itoa(v.blocks)+`}`)
	v.open, v.blocks = "", v.blocks+1
	return end
}

func (v *messagesVoice) chunk(text string) string {
	return v.within("text", `{"type":"text","text":""}`, `{"type":"text_delta","text":`+str(text)+`}`)
}

func (v *messagesVoice) reason(text string) string {
	return v.within("thinking", `{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":`+str(text)+`}`)
}

func (v *messagesVoice) tool(name, arguments string) string {
	return v.close() + v.within("tool_use", `{"type":"tool_use","id":"toolu_1","name":`+str(name)+`,"input":{}}`,
		`{"type":"input_json_delta","partial_json":`+str(arguments)+`}`)
}

// stopReasons are Anthropic's words for OpenAI's.
var stopReasons = map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}

func (v *messagesVoice) finish(reason string) string {
	if word, known := stopReasons[reason]; known {
		reason = word
	}
	return v.close() + typed("message_delta", `{"type":"message_delta","delta":{"stop_reason":`+str(reason)+
		`,"stop_sequence":null},"usage":{"output_tokens":`+strconv.Itoa(v.pieces)+`}}`)
}

func (v *messagesVoice) usage(int, int) string { return "" }
func (v *messagesVoice) done() string          { return typed("message_stop", `{"type":"message_stop"}`) }

func (v *messagesVoice) whole(text string) string {
	return v.head() + `,"content":[{"type":"text","text":` + str(text) +
		`}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":5,"output_tokens":` + strconv.Itoa(words(text)) + `}}`
}

func (v *messagesVoice) failure(_ int, code, message string) string {
	if code == "" {
		code = "test_error"
	}
	return `{"type":"error","error":{"type":` + str(code) + `,"message":` + str(message) + `},"request_id":"req_test"}`
}
