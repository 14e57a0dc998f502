package server

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// sseEvent is an event of a stream as a client reads it.
type sseEvent struct {
	name string
	data map[string]any
}

// eventsOf reads a stream of events of one line of data each.
func eventsOf(tb testing.TB, stream string) (all []sseEvent) {
	tb.Helper()
	for block := range strings.SplitSeq(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		var ev sseEvent
		for line := range strings.Lines(block) {
			line = strings.TrimSuffix(line, "\n")
			if name, ok := strings.CutPrefix(line, "event: "); ok {
				ev.name = name
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				if err := json.Unmarshal([]byte(data), &ev.data); err != nil {
					tb.Fatalf("%v in %q", err, line)
				}
			}
		}
		all = append(all, ev)
	}
	return all
}

const (
	responsesPath = "/v1/responses"
	responsesBody = `{"model":"c","stream":true,"input":"hi"}`
	messageStream = `{"model":"c","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}`

	created = `event: response.created` + "\n" + `data: {"type":"response.created","response":{"id":"resp_up","object":"response","created_at":7,"status":"in_progress","model":"real","output":[]},"sequence_number":0}` + "\n\n"
	said    = `event: response.output_text.delta` + "\n" + `data: {"type":"response.output_text.delta","sequence_number":4,"item_id":"i","delta":"say \"sequence_number\":99 twice"}` + "\n\n"
	message = "event: message_start\ndata: {\"type\":\"message_start\"}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"hi\"}}\n\n"
)

func broken() *providers.Failure {
	return &providers.Failure{Kind: providers.Truncated, Message: "the connection was cut"}
}

// outcome is what the log says became of the newest request.
func (g *gateway) outcome() string {
	g.t.Helper()
	return g.must(http.MethodGet, "/api/v1/requests", "").json()["requests"].([]any)[0].(map[string]any)["outcome"].(string)
}

func TestAMessageThatBreaksEndsWithAnthropicsErrorEventAndACutConnection(t *testing.T) {
	inBubble(t, func(r *running) {
		t := r.t
		r.route(streaming(chunk{data: message}, chunk{after: time.Second, err: broken()}))
		resp, err := r.postTo(t.Context(), messagesPath, messageStream)
		if err != nil {
			t.Fatal(err)
		}
		body, whole := readAll(t, resp)
		rest, ok := strings.CutPrefix(body, message)
		if !ok || whole || resp.Header.Get("Request-Id") == "" {
			t.Fatalf("whole %v: %q", whole, body)
		}
		all := eventsOf(t, rest)
		if len(all) != 1 || all[0].name != "error" || all[0].data["type"] != "error" {
			t.Fatalf("got %q", rest)
		}
		if e := all[0].data["error"].(map[string]any); e["type"] != "api_error" || e["code"] != "truncated" || e["message"] == "" || e["attempts"] != nil {
			t.Errorf("got %v", e)
		}
		if got := r.outcome(); got != "truncated" {
			t.Errorf("the log says %s", got)
		}
	})
}

// wantFailedResponse checks the events that end an answer of Responses.
func wantFailedResponse(tb testing.TB, all []sseEvent, id, code string, first float64) {
	tb.Helper()
	if len(all) != 2 || all[0].name != "response.failed" || all[1].name != "error" {
		tb.Fatalf("got %v", all)
	}
	failed, last := all[0].data, all[1].data
	response := failed["response"].(map[string]any)
	e := response["error"].(map[string]any)
	if failed["type"] != "response.failed" || response["id"] != id || response["status"] != "failed" || e["code"] != code || e["message"] == "" {
		tb.Errorf("got %v, want the id %s and code %s", failed, id, code)
	}
	if last["type"] != "error" || last["code"] != code || last["message"] != e["message"] {
		tb.Errorf("got %v", last)
	}
	if _, ok := last["param"]; !ok {
		tb.Errorf("the error has no param: %v", last)
	}
	if failed["sequence_number"] != first || last["sequence_number"] != first+1 {
		tb.Errorf("numbers %v and %v, want %v and the next", failed["sequence_number"], last["sequence_number"], first)
	}
}

func TestAResponseThatBreaksFailsUnderItsIDAndEndsInOrder(t *testing.T) {
	tests := map[string]struct {
		chunks []chunk
		id     string
		next   float64
	}{
		"in one block":            {[]chunk{{data: created + said}}, "resp_up", 5},
		"in two":                  {[]chunk{{data: created}, {data: said}}, "resp_up", 5},
		"with a byte order mark":  {[]chunk{{data: "\ufeff" + created + said}}, "resp_up", 5},
		"numbers behind a blank":  {[]chunk{{data: created + strings.ReplaceAll(said, `_number":`, `_number": `)}}, "resp_up", 5},
		"without numbers":         {[]chunk{{data: strings.Replace(created, `,"sequence_number":0`, "", 1)}}, "resp_up", 0},
		"with numbers at the end": {[]chunk{{data: created}, {data: "data: {\"delta\":\"x\",\"sequence_number\":41}\n\n"}}, "resp_up", 42},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *running) {
				t := r.t
				r.route(streaming(append(slices.Clone(test.chunks), chunk{after: time.Second, err: broken()})...))
				resp, err := r.postTo(t.Context(), responsesPath, responsesBody)
				if err != nil {
					t.Fatal(err)
				}
				body, whole := readAll(t, resp)
				var relayed strings.Builder
				for _, c := range test.chunks {
					relayed.WriteString(c.data)
				}
				rest, ok := strings.CutPrefix(body, relayed.String())
				if !ok || !whole {
					t.Fatalf("whole %v: %q", whole, body)
				}
				all := eventsOf(t, rest)
				wantFailedResponse(t, all, test.id, "truncated", test.next)
				if response := all[0].data["response"].(map[string]any); response["model"] != "real" || response["created_at"] != 7.0 {
					t.Errorf("got %v", response)
				}
				if got := r.outcome(); got != "truncated" {
					t.Errorf("the log says %s", got)
				}
			})
		})
	}
	t.Run("an answer without an id gets one", func(t *testing.T) {
		inBubble(t, func(r *running) {
			t := r.t
			r.route(streaming(chunk{data: "data: {\"type\":\"response.output_text.delta\",\"delta\":\"x\",\"sequence_number\":1}\n\n"}, chunk{err: broken()}))
			resp, err := r.postTo(t.Context(), responsesPath, responsesBody)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := readAll(t, resp)
			wantFailedResponse(t, eventsOf(t, body)[1:], "resp_"+strings.TrimPrefix(resp.Header.Get("X-Request-Id"), "req_"), "truncated", 2)
		})
	})
}

// TestFailuresBehindEarlyHeaders holds that a failure that comes after the headers is told within the stream.
func TestFailuresBehindEarlyHeaders(t *testing.T) {
	busy := &providers.Failure{Kind: providers.Overloaded, Status: 503, Message: "busy"}
	tooLong := &providers.Failure{Kind: providers.ContextLength, Status: 400, Message: "too long", ContextWindow: 10}
	post := func(r *running, path, body string, f *providers.Failure) (*http.Response, []sseEvent, bool) {
		r.t.Helper()
		r.route(failing(20*time.Second, f))
		resp, err := r.postTo(r.t.Context(), path, body)
		if err != nil {
			r.t.Fatal(err)
		}
		text, whole := readAll(r.t, resp)
		rest, ok := strings.CutPrefix(text, comment)
		if !ok || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
			r.t.Fatalf("status %d, %v: %q", resp.StatusCode, resp.Header, text)
		}
		return resp, eventsOf(r.t, rest), whole
	}
	t.Run("to a client of Messages", func(t *testing.T) {
		inBubble(t, func(r *running) {
			t := r.t
			resp, all, whole := post(r, messagesPath, messageStream, busy)
			if len(all) != 1 || all[0].name != "error" || whole {
				t.Fatalf("whole %v: %v", whole, all)
			}
			e := all[0].data["error"].(map[string]any)
			if e["type"] != "overloaded_error" || e["code"] != "overloaded" || e["attempts"] == nil || all[0].data["request_id"] != resp.Header.Get("Request-Id") {
				t.Errorf("got %v", all[0].data)
			}
			if got := r.outcome(); got != "failed" {
				t.Errorf("the log says %s", got)
			}
		})
	})
	t.Run("a prompt that is too long", func(t *testing.T) {
		inBubble(t, func(r *running) {
			_, all, _ := post(r, messagesPath, messageStream, tooLong)
			if e := all[0].data["error"].(map[string]any); !strings.HasPrefix(e["message"].(string), "prompt is too long: ") || e["type"] != "invalid_request_error" {
				r.t.Errorf("got %v", e)
			}
		})
	})
	t.Run("to a client of Responses, whose answer is begun and ends in order", func(t *testing.T) {
		inBubble(t, func(r *running) {
			t := r.t
			resp, all, whole := post(r, responsesPath, responsesBody, tooLong)
			id := "resp_" + strings.TrimPrefix(resp.Header.Get("X-Request-Id"), "req_")
			if !whole || len(all) != 3 || all[0].name != "response.created" || all[0].data["response"].(map[string]any)["id"] != id {
				t.Fatalf("whole %v: %v", whole, all)
			}
			wantFailedResponse(t, all[1:], id, "context_length_exceeded", 1)
			if resp.Trailer.Get("X-Ohmroute-Target") != "a/m" {
				t.Errorf("trailers %v", resp.Trailer)
			}
			if got := r.outcome(); got != "failed" {
				t.Errorf("the log says %s", got)
			}
		})
	})
	t.Run("to other clients, as to those of a chat", func(t *testing.T) {
		inBubble(t, func(r *running) {
			_, all, whole := post(r, "/v1/completions", `{"model":"c","prompt":"x","stream":true}`, busy)
			if len(all) != 1 || all[0].name != "" || whole || all[0].data["error"].(map[string]any)["code"] != "overloaded" {
				r.t.Errorf("whole %v: %v", whole, all)
			}
		})
	})
}

func TestDrainingTellsClientsOfResponses(t *testing.T) {
	inBubble(t, func(r *running) {
		t := r.t
		r.route(streaming(chunk{data: created + said}, chunk{hang: true}))
		resp, err := r.postTo(t.Context(), responsesPath, responsesBody)
		if err != nil {
			t.Fatal(err)
		}
		r.stop()
		body, whole := readAll(t, resp)
		rest, ok := strings.CutPrefix(body, created+said)
		if !ok || !whole {
			t.Fatalf("whole %v: %q", whole, body)
		}
		wantFailedResponse(t, eventsOf(t, rest), "resp_up", "shutting_down", 5)
	}, func(o *Options) { o.Settings.DrainTimeout = 5 * time.Second })
}

func BenchmarkSee(b *testing.B) {
	block := []byte(strings.Repeat(said, 8))
	so := &responseSoFar{read: true}
	b.ReportAllocs()
	b.SetBytes(int64(len(block)))
	for b.Loop() {
		so.see(block)
	}
}

// FuzzSee: whatever an upstream streams, the numbers rise and the end is JSON of one line.
func FuzzSee(f *testing.F) {
	f.Add([]byte(created), []byte(said))
	f.Add([]byte("data: {\"response\":7}\n\n"), []byte(`"sequence_number":99999999999999999999999`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		so := &responseSoFar{}
		so.see(first)
		before := so.next
		so.see(second)
		if so.next < before || before < 0 {
			t.Fatalf("from %d to %d", before, so.next)
		}
		end := so.failure(&exchange{id: "req_1"}, internalError("req_1"))
		all := eventsOf(t, string(end))
		if len(all) != 2 || all[0].data["response"].(map[string]any)["id"] == "" {
			t.Fatalf("%q", end)
		}
	})
}
