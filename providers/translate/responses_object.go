package translate

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// responsesObject is the response that a client gets, whole or as the frame of a stream.
type responsesObject struct {
	id, model string
	created   int64
	base      string // of the ids of items
	repeated  []byte // members that repeat the request's
	custom    map[string]bool
	reply     Reply
	calls     int  // items that are calls
	refused   bool // one of the items is a refusal
}

// responsesRepeated are the members that repeat what the client asked for, and what they are if it did not say.
var responsesRepeated = []member{
	{"instructions", "null"},
	{"max_output_tokens", "null"},
	{"metadata", "{}"},
	{"parallel_tool_calls", "true"},
	{"prompt_cache_key", "null"},
	{"reasoning", `{"effort":null,"summary":null}`},
	{"safety_identifier", "null"},
	{"temperature", "null"},
	{"text", `{"format":{"type":"text"}}`},
	{"tool_choice", `"auto"`},
	{"tools", "[]"},
	{"top_p", "null"},
	{"user", "null"},
}

const (
	responsePrefix    = "resp_"
	longestResponseID = 59 // beside the prefix
	longestItemBase   = 44 // clients send ids of items back, and OpenAI takes 64 characters
)

func newResponsesObject(r Reply) *responsesObject {
	asked := map[string]gjson.Result{}
	gjson.ParseBytes(r.Request).ForEach(func(name, v gjson.Result) bool {
		asked[name.Str] = v
		return true
	})
	var w writer
	for _, m := range responsesRepeated {
		w.key(m.name)
		if v := asked[m.name]; v.Type != gjson.Null && (!v.IsObject() || !unset(v)) {
			w.raw(oneLine(v.Raw))
		} else {
			w.raw(m.raw)
		}
	}
	return &responsesObject{reply: r, repeated: w.b, custom: customTools(asked["tools"])}
}

// oneLine is JSON on a line of its own, as the data of an event has to be.
func oneLine(raw string) string {
	var b bytes.Buffer
	if !strings.ContainsAny(raw, "\r\n") || json.Compact(&b, []byte(raw)) != nil {
		return raw
	}
	return b.String()
}

// named sets what the target tells of the answer.
func (o *responsesObject) named(id, model string, created int64) {
	o.base = strings.TrimPrefix(id, responsePrefix)
	o.id = responsePrefix + legalID(o.base, longestResponseID)
	o.base = legalID(o.base, longestItemBase)
	o.model, o.created = model, created
}

// itemID is the id of an item of that kind at that place.
func (o *responsesObject) itemID(kind string, index int) string {
	return kind + "_" + o.base + "_" + strconv.Itoa(index)
}

// write writes the response. output is a list of items, in JSON; status is that of the response.
func (o *responsesObject) write(w *writer, status, reason, output string, u *usage) {
	w.begin('{')
	w.textMember("id", o.id)
	w.textMember("object", "response")
	w.intMember("created_at", o.created)
	w.textMember("status", status)
	w.rawMember("background", "false")
	w.rawMember("error", "null")
	if reason == "" {
		w.rawMember("incomplete_details", "null")
	} else {
		w.object("incomplete_details")
		w.textMember("reason", reason)
		w.end('}')
	}
	w.textMember("model", o.model)
	w.rawMember("output", output)
	w.rawMember("previous_response_id", "null")
	w.raw(string(o.repeated))
	w.rawMember("store", "false") // nothing can be asked for later
	w.textMember("truncation", "disabled")
	writeResponsesUsage(w, u, status)
	w.end('}')
}

// ended is the status of a whole response, and why it is incomplete.
func (o *responsesObject) ended(f finish) (status, reason string) {
	switch {
	case f == finishLength, f == finishWindow:
		return "incomplete", "max_output_tokens"
	case f == finishFilter, f == finishRefusal && !o.refused:
		return "incomplete", "content_filter"
	}
	return "completed", ""
}

// writeResponsesUsage writes what was counted. Clients that check a whole response take a missing count, but not null.
func writeResponsesUsage(w *writer, u *usage, status string) {
	if u == nil {
		if status == "in_progress" {
			w.rawMember("usage", "null")
		}
		return
	}
	w.object("usage")
	w.intMember("input_tokens", u.input)
	w.object("input_tokens_details")
	w.intMember("cached_tokens", u.cacheRead)
	w.intMember("cache_write_tokens", u.cacheWrite)
	w.end('}')
	w.intMember("output_tokens", u.output)
	w.object("output_tokens_details")
	w.intMember("reasoning_tokens", u.reasoning)
	w.end('}')
	w.intMember("total_tokens", u.input+u.output)
	w.end('}')
}
