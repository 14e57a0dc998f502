package providers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/e2e/recorded"
	"github.com/ohmroute/ohmroute/sse"
)

func TestReadGeminiChunk(t *testing.T) {
	part := func(members string) string {
		return `{"candidates":[{"content":{"parts":[{` + members + `}],"role":"model"},"index":0}]}`
	}
	finish := func(reason string) string {
		return `{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"` + reason + `","index":0}]}`
	}
	content := func(c Content) event { return event{answered: answered{Content: c, listed: true}} }
	finished := func(reason string) event {
		e := content(Content{Finish: reason})
		e.finished = finishedAll
		return e
	}
	counted := event{answered: answered{counted: true, usage: Usage{InputTokens: 9, OutputTokens: 7, CachedTokens: 3, ReasoningTokens: 5}}}
	tests := map[string]struct {
		data string
		want event
	}{
		"text":                       {part(`"text":"A"`), content(Content{Text: true})},
		"a thought":                  {part(`"text":"hm","thought":true`), content(Content{Text: true})},
		"no text":                    {part(`"text":"","thoughtSignature":"x"`), content(Content{})},
		"a call":                     {part(`"functionCall":{"name":"f","args":{}}`), content(Content{ToolCall: true})},
		"an image":                   {part(`"inlineData":{"mimeType":"image/png","data":"eA=="}`), content(Content{Text: true})},
		"code":                       {part(`"executableCode":{"code":"1"}`), content(Content{Text: true})},
		"what came of code":          {part(`"codeExecutionResult":{"output":"1"}`), content(Content{Text: true})},
		"the end":                    {finish("STOP"), finished("STOP")},
		"a limit":                    {finish("MAX_TOKENS"), finished("MAX_TOKENS")},
		"a filter":                   {finish("SAFETY"), finished("SAFETY")},
		"a reason nobody knows":      {finish("TIRED"), finished("TIRED")},
		"no reason":                  {finish("FINISH_REASON_UNSPECIFIED"), content(Content{})},
		"a candidate of nothing":     {`{"candidates":[{}]}`, content(Content{})},
		"no candidate":               {`{"candidates":[]}`, event{}},
		"usage":                      {`{"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"thoughtsTokenCount":5,"cachedContentTokenCount":3}}`, counted},
		"a blocked question":         {`{"promptFeedback":{"safetyRatings":[],"blockReason":"OTHER","blockReasonMessage":"no"}}`, finished(finishContentFilter)},
		"a question that was rated":  {`{"promptFeedback":{"safetyRatings":[{}]},"candidates":[{}]}`, content(Content{})},
		"an error":                   {`{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}`, event{answered: answered{failed: true}, odd: true}},
		"an error of another API":    {`{"event_type":"error","error":{"code":"x"}}`, event{answered: answered{failed: true}, odd: true}},
		"something else":             {`{"responseId":"r"}`, event{odd: true}},
		"a list":                     {`[{"error":{}}]`, event{undecodable: true, odd: true}},
		"no JSON":                    {`<html>`, event{undecodable: true, odd: true}},
		"half of an event":           {`{"candidates":[{"content":{"parts":[{"text":"A"`, event{answered: answered{Content: Content{Text: true}, listed: true}, undecodable: true}},
		"something behind the event": {part(`"text":"A"`) + "x", event{answered: answered{Content: Content{Text: true}, listed: true}, undecodable: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got event
			readGeminiChunk(sse.Event{Data: []byte(test.data)}, &got)
			if got != test.want {
				t.Errorf("got %+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestGeminiErrorEventIsOdd(t *testing.T) {
	var e event
	readGeminiChunk(sse.Event{Type: []byte("error"), Data: []byte(`{"candidates":[{}]}`)}, &e)
	if !e.odd {
		t.Errorf("got %+v", e)
	}
}

// Every event of a recorded stream can be read, brings content or an end, and only the last ends the answer: whatever is
// missing behind it, what came is never taken for whole.
func TestGeminiRecordingsFinishWithTheirLastEvent(t *testing.T) {
	streams := geminiRecordings(t)
	for name, stream := range streams {
		t.Run(name, func(t *testing.T) {
			var all []event
			for ev := range sse.Events(stream) {
				var e event
				readGeminiChunk(ev, &e)
				all = append(all, e)
			}
			var content Content
			for i, e := range all {
				last := i == len(all)-1
				if e.undecodable || e.odd || e.failed || !e.listed || !e.counted || e.done {
					t.Errorf("event %d of %d: %+v", i+1, len(all), e)
				}
				if (e.finished != 0) != last || (e.Finish == "STOP") != last {
					t.Errorf("event %d of %d finishes with %q", i+1, len(all), e.Finish)
				}
				content = content.with(e.Content)
			}
			if kind := content.Judge("gemini"); kind != "" {
				t.Errorf("the answer is judged %s: %+v", kind, content)
			}
			if usage := all[len(all)-1].usage; usage.InputTokens == 0 || usage.OutputTokens == 0 {
				t.Errorf("usage %+v", usage)
			}
		})
	}
}

// geminiRecordings are the recorded streams in Gemini's dialect; Vertex streams others, too.
func geminiRecordings(tb testing.TB) map[string][]byte {
	tb.Helper()
	streams := map[string][]byte{}
	folder := recorded.Folder(tb, "fixtures", "sse")
	for _, host := range []string{"gemini", "vertex"} {
		files, err := filepath.Glob(filepath.Join(folder, host+"-*.sse"))
		if err != nil || len(files) == 0 {
			tb.Fatalf("no recordings of %s in %s: %v", host, folder, err)
		}
		for _, file := range files {
			stream, err := os.ReadFile(file)
			if err != nil {
				tb.Fatal(err)
			}
			if strings.Contains(string(stream), `"candidates"`) {
				streams[filepath.Base(file)] = stream
			}
		}
	}
	return streams
}

// fromGemini is what a chat's client gets of a stream of Gemini's.
func fromGemini(t *testing.T, stream, members string) sent {
	t.Helper()
	u := upstreamOf("text/event-stream", &pieces{[]byte(stream), 100})
	u.dialect, u.kind, u.native = "gemini", geminiKind, NativeEndpoints("gemini", nil)
	return receive(t, u, Chat, `,"messages":[{"role":"user","content":"Hi"}],"stream":true`+members)
}

func TestStreamOfGemini(t *testing.T) {
	chunk := func(part, more string) string {
		return `data: {"candidates":[{"content":{"parts":[{` + part + `}],"role":"model"}` + more + "}]}\r\n\r\n"
	}
	const (
		stop    = `,"finishReason":"STOP"`
		failure = `data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}` + "\r\n\r\n"
	)
	text, last := chunk(`"text":"Hello"`, ""), chunk(`"text":"."`, stop)
	tests := map[string]struct {
		stream  string
		members string
		kind    Kind   // empty: success
		finish  string // that the client sees
	}{
		"a whole one":                  {text + last, "", "", "stop"},
		"two answers were asked for":   {text + last, `,"n":2`, "", "stop"},
		"a call":                       {chunk(`"functionCall":{"name":"f","args":{}}`, stop), "", "", "tool_calls"},
		"a limit":                      {chunk(`"text":""`, `,"finishReason":"MAX_TOKENS"`), "", "", "length"},
		"a limit while it thought":     {chunk(`"text":"hm","thought":true`, `,"finishReason":"MAX_TOKENS"`), "", "", "length"},
		"a filter behind a text":       {text + chunk(`"text":""`, `,"finishReason":"SAFETY"`), "", "", "content_filter"},
		"a broken call behind a text":  {text + chunk(`"text":""`, `,"finishReason":"MALFORMED_FUNCTION_CALL"`), "", "", "stop"},
		"an error behind the end":      {text + last + failure, "", "", "stop"},
		"a filter at once":             {chunk(`"text":""`, `,"finishReason":"SAFETY"`), "", ContentPolicy, ""},
		"a question that was blocked":  {`data: {"promptFeedback":{"blockReason":"SAFETY"}}` + "\r\n\r\n", "", ContentPolicy, ""},
		"an empty answer":              {chunk(`"text":""`, stop), "", ModelFault, ""},
		"a broken call":                {chunk(`"text":""`, `,"finishReason":"MALFORMED_FUNCTION_CALL"`), "", Malformed, ""},
		"an error":                     {failure, "", Overloaded, ""},
		"an error behind a text":       {text + failure, "", Truncated, ""},
		"no end":                       {text, "", Truncated, ""},
		"no end, and nothing else":     {`data: {"usageMetadata":{"promptTokenCount":1}}` + "\r\n\r\n", "", Malformed, ""},
		"nothing":                      {"", "", Malformed, ""},
		"a page":                       {"<html>", "", Malformed, ""},
		"half of the last event":       {text + last[:len(last)-6], "", Truncated, ""},
		"the last event but its blank": {text + last[:len(last)-2], "", "", "stop"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := fromGemini(t, test.stream, test.members)
			if kindOf(got.failure) != test.kind || got.whole != (test.kind == "") {
				t.Errorf("got %v, whole %v, want %q", got.failure, got.whole, test.kind)
			}
			finishes := strings.Contains(got.text, `"finish_reason":"`+test.finish+`"`) && test.finish != ""
			if done := strings.HasSuffix(got.text, theEnd); done != (test.finish != "") || finishes != done {
				t.Errorf("it should finish with %q:\n%s", test.finish, got.text)
			}
		})
	}
}

// However much of a recorded stream is missing, its client is not told that the answer is whole.
func TestRecordedStreamsOfGeminiThatAreCut(t *testing.T) {
	for name, stream := range geminiRecordings(t) {
		t.Run(name, func(t *testing.T) {
			if got := fromGemini(t, string(stream), ""); !got.whole || !strings.HasSuffix(got.text, theEnd) || got.usage == nil {
				t.Errorf("whole it is %v: %s", got.failure, got.text)
			}
			for ev := range sse.Events(stream) {
				stream = stream[:len(stream)-len(ev.Raw)]
				got := fromGemini(t, string(stream), "")
				if got.whole || strings.Contains(got.text, theEnd) || strings.Contains(got.text, `"finish_reason":"`) {
					t.Errorf("without %d bytes it is whole: %s", len(ev.Raw), got.text)
				}
			}
		})
	}
}
