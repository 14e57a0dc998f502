package providertest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/providers"
	"github.com/ohmroute/ohmroute/sse"
)

// proveRefusals: a refusal and an empty answer are passed on as they came, in the form and the dialect that the client
// asked for.
func proveRefusals(t *testing.T, b *bench) {
	t.Helper()
	tests := map[string]struct {
		script string
		kind   providers.Kind
	}{
		"a stream that is refused":    {"role; finish content_filter; done", providers.ContentPolicy},
		"a stream that says nothing":  {"role; finish stop; done", providers.ModelFault},
		"an answer that says nothing": {"whole ", providers.ModelFault},
	}
	for name, test := range tests {
		for _, streamed := range []bool{true, false} {
			b.script(splitScript(test.script)...)
			o := b.send(t.Context(), t, streamed, providers.Limits{})
			if o.kind() != test.kind || o.sent != "" {
				t.Errorf("%s, streamed %v: %v, want %s", name, streamed, o.failure, test.kind)
				continue
			}
			if f := o.failure; f.Stream != streamed || !b.isOwn(f.Body, streamed) || !strings.HasPrefix(f.ContentType, contentTypes[streamed]) {
				t.Errorf("%s, streamed %v: the client gets a stream: %v, %s\n%s", name, streamed, f.Stream, f.ContentType, f.Body)
			}
		}
	}
}

// contentTypes are those of answers by whether they are streamed.
var contentTypes = map[bool]string{true: "text/event-stream", false: "application/json"}

// isOwn tells whether an answer is one of the client's dialect that says nothing.
func (b *bench) isOwn(body []byte, streamed bool) bool {
	own := map[providers.Endpoint]string{providers.Chat: `"choices":`, providers.Responses: `"object":"response"`, providers.Messages: `"role":"assistant"`}
	if !strings.Contains(string(body), own[b.suite.Endpoint]) {
		return false
	}
	if !streamed {
		_, f := providers.JudgePlain("", "", b.suite.Endpoint, http.StatusOK, nil, body, time.Time{})
		return f != nil && f.Body != nil
	}
	last := ""
	for ev := range sse.Events(body) {
		if last = string(ev.Data); last != "[DONE]" && !json.Valid(ev.Data) {
			return false
		}
	}
	ends := map[providers.Endpoint]string{providers.Chat: "[DONE]", providers.Responses: `"response.`, providers.Messages: "message_stop"}
	return strings.Contains(last, ends[b.suite.Endpoint])
}
