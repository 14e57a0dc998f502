package server

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// responseSoFar is what a client of Responses has seen of an answer that is streamed to it: a failure has to go on with
// its id and its count of events. The zero value is nothing.
type responseSoFar struct {
	id, model string
	created   int64 // Unix seconds
	next      int64 // sequence number of the next event
	read      bool  // the first event was looked at
}

var sequenceMember = []byte(`"sequence_number":`)

// see notes a block of whole events that the client gets. Of all events but the first, only the last one's number is
// looked for: within texts the member's quotes would be escaped.
func (so *responseSoFar) see(block []byte) {
	if !so.read {
		so.read = true
		for ev := range sse.Events(sse.TrimBOM(block)) {
			response := gjson.GetBytes(ev.Data, "response")
			if so.id = response.Get("id").Str; so.id != "" {
				so.model = cmp.Or(response.Get("model").Str, so.model)
				so.created = response.Get("created_at").Int()
				break
			}
		}
	}
	at := bytes.LastIndex(block, sequenceMember)
	if at < 0 {
		return
	}
	n := int64(0)
	for _, b := range bytes.TrimLeft(block[at+len(sequenceMember):], " ") {
		if b < '0' || b > '9' || n > 1<<50 {
			break
		}
		n = n*10 + int64(b-'0')
	}
	so.next = max(so.next, n+1)
}

// failure is how the answer ends: response.failed with the same id, which Codex and OpenAI's SDKs read, and an error
// event, without which others report success. An answer that never began is begun first, as some SDKs demand.
func (so *responseSoFar) failure(x *exchange, e *apiError) []byte {
	r := failedResponse{
		ID: so.id, Object: "response", CreatedAt: cmp.Or(so.created, x.start.Unix()), Status: "in_progress", Model: so.model,
		ToolChoice: "auto", ParallelToolCalls: true,
	}
	var out []byte
	if r.ID == "" {
		r.ID = "resp_" + strings.TrimPrefix(x.id, "req_")
		if !so.read {
			out = event(out, "response.created", responseEvent{"response.created", so.count(), r})
		}
	}
	r.Status, r.Error = "failed", &responseError{Code: e.Code, Message: e.Message}
	out = event(out, "response.failed", responseEvent{"response.failed", so.count(), r})
	env := e.envelope().Error
	return event(out, "error", responseErrorEvent{
		Type: "error", Code: env.Code, Message: env.Message, Param: env.Param, SequenceNumber: so.count(), Error: env,
	})
}

// count returns the next event's number.
func (so *responseSoFar) count() int64 {
	so.next++
	return so.next - 1
}

type responseEvent struct {
	Type           string         `json:"type"`
	SequenceNumber int64          `json:"sequence_number"`
	Response       failedResponse `json:"response"`
}

// failedResponse has the members that SDKs take for granted.
type failedResponse struct {
	ID                string         `json:"id"`
	Object            string         `json:"object"`
	CreatedAt         int64          `json:"created_at"`
	Status            string         `json:"status"`
	Error             *responseError `json:"error"`
	IncompleteDetails any            `json:"incomplete_details"`
	Instructions      any            `json:"instructions"`
	Metadata          struct{}       `json:"metadata"`
	Model             string         `json:"model"`
	Output            [0]any         `json:"output"`
	ParallelToolCalls bool           `json:"parallel_tool_calls"`
	Temperature       any            `json:"temperature"`
	ToolChoice        string         `json:"tool_choice"`
	Tools             [0]any         `json:"tools"`
	TopP              any            `json:"top_p"`
	Usage             any            `json:"usage"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// responseErrorEvent says the same twice: SDKs read the members of the event, or those of an error in it.
type responseErrorEvent struct {
	Type           string        `json:"type"`
	Code           *string       `json:"code"`
	Message        string        `json:"message"`
	Param          *string       `json:"param"`
	SequenceNumber int64         `json:"sequence_number"`
	Error          envelopeError `json:"error"`
}
