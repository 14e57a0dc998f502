package providertest

import (
	"fmt"
	"strings"
)

// responsesVoice speaks OpenAI's Responses.
type responsesVoice struct {
	model string
	count int      // of the events so far
	items []string // whole, as JSON
	text  strings.Builder
	open  bool // a message is
	words int
	cut   string // why the response is incomplete; empty: it isn't
}

// cuts are the reasons of incomplete responses for OpenAI's finish reasons.
var cuts = map[string]string{"length": "max_output_tokens", "content_filter": "content_filter"}

func (v *responsesVoice) event(typ, members string) string {
	e := typed(typ, fmt.Sprintf(`{"type":%s,"sequence_number":%d,%s}`, str(typ), v.count, members))
	v.count++
	return e
}

func (v *responsesVoice) response(status string) string {
	usage := "null"
	if status != "in_progress" {
		usage = fmt.Sprintf(`{"input_tokens":5,"input_tokens_details":{"cached_tokens":0},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":%d}`, v.words, v.words+5)
	}
	details := "null"
	if v.cut != "" {
		details = `{"reason":` + str(v.cut) + `}`
	}
	return `{"id":"resp_test","object":"response","created_at":1700000000,"status":` + str(status) + `,"error":null,"incomplete_details":` + details + `,` +
		`"model":` + str(v.model) + `,"output":[` + strings.Join(v.items, ",") + `],"parallel_tool_calls":true,"tool_choice":"auto","tools":[],"usage":` + usage + `}`
}

func (v *responsesVoice) role() string {
	return v.event("response.created", `"response":`+v.response("in_progress")) + v.event("response.in_progress", `"response":`+v.response("in_progress"))
}

func (v *responsesVoice) at() string {
	return fmt.Sprintf(`"output_index":%d,"item_id":"msg_%d","content_index":0`, len(v.items), len(v.items))
}

func (v *responsesVoice) message(status, content string) string {
	return fmt.Sprintf(`{"id":"msg_%d","type":"message","status":%s,"role":"assistant","content":[%s]}`, len(v.items), str(status), content)
}

func part(text string) string {
	return `{"type":"output_text","text":` + str(text) + `,"annotations":[]}`
}

func (v *responsesVoice) chunk(text string) string {
	before := ""
	if !v.open {
		v.open = true
		before = v.event("response.output_item.added", fmt.Sprintf(`"output_index":%d,"item":%s`, len(v.items), v.message("in_progress", ""))) +
			v.event("response.content_part.added", v.at()+`,"part":`+part(""))
	}
	v.words++
	v.text.WriteString(text)
	return before + v.event("response.output_text.delta", v.at()+`,"delta":`+str(text))
}

// item is one that comes whole.
func (v *responsesVoice) item(item string) string {
	at := fmt.Sprintf(`"output_index":%d,"item":%s`, len(v.items), item)
	v.items = append(v.items, item)
	return v.event("response.output_item.added", at) + v.event("response.output_item.done", at)
}

func (v *responsesVoice) reason(text string) string {
	return v.close() + v.item(fmt.Sprintf(`{"id":"rs_%d","type":"reasoning","summary":[{"type":"summary_text","text":%s}]}`, len(v.items), str(text)))
}

func (v *responsesVoice) tool(name, arguments string) string {
	return v.close() + v.item(fmt.Sprintf(`{"id":"fc_%d","type":"function_call","status":"completed","call_id":"call_1","name":%s,"arguments":%s}`, len(v.items), str(name), str(arguments)))
}

func (v *responsesVoice) close() string {
	if !v.open {
		return ""
	}
	v.open = false
	text := v.text.String()
	v.text.Reset()
	item := v.message("completed", part(text))
	end := v.event("response.output_text.done", v.at()+`,"text":`+str(text)) + v.event("response.content_part.done", v.at()+`,"part":`+part(text)) +
		v.event("response.output_item.done", fmt.Sprintf(`"output_index":%d,"item":%s`, len(v.items), item))
	v.items = append(v.items, item)
	return end
}

func (v *responsesVoice) finish(reason string) string {
	v.cut = cuts[reason]
	return v.close()
}

func (v *responsesVoice) usage(int, int) string { return "" }

func (v *responsesVoice) done() string {
	if v.cut != "" {
		return v.event("response.incomplete", `"response":`+v.response("incomplete"))
	}
	return v.event("response.completed", `"response":`+v.response("completed"))
}

func (v *responsesVoice) whole(text string) string {
	v.words = words(text)
	v.items = append(v.items, v.message("completed", part(text)))
	return v.response("completed")
}

func (v *responsesVoice) failure(status int, code, message string) string {
	return chatVoice{}.failure(status, code, message)
}
