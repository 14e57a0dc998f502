package providers

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/ohmroute/ohmroute/e2e/recorded"
)

// sent is what came out of a stream.
type sent struct {
	text       string // that a client gets: nothing before the first meaningful chunk
	all        string
	failure    *Failure
	whole      bool
	meaningful int // events
	finish     string
	usage      *Usage
}

// transport answers with a body that is read in the way that the test wants.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// upstreamOf is an upstream that answers with that content type and body.
func upstreamOf(contentType string, body io.Reader) *upstream {
	base, _ := baseURL("http://upstream/v1")
	return &upstream{
		dialect: "openai", kind: openAIKind, base: base, now: time.Now,
		transport: transport(func(r *http.Request) (*http.Response, error) {
			_, _ = io.Copy(io.Discard, r.Body)
			_ = r.Body.Close()
			return &http.Response{
				StatusCode: http.StatusOK, ProtoMajor: 2, Header: http.Header{"Content-Type": {contentType}},
				Body: io.NopCloser(body), ContentLength: -1,
			}, nil
		}),
	}
}

// receive sends a request and reads what comes, committing at the first meaningful chunk.
func receive(tb testing.TB, u *upstream, endpoint Endpoint, members string) sent {
	tb.Helper()
	r, err := ParseRequest(endpoint, []byte(`{"model":"m"`+members+`}`))
	if err != nil {
		tb.Fatal(err)
	}
	var got sent
	answer, err := u.send(tb.Context(), &Attempt{Request: r, Model: "m"})
	if err != nil {
		got.failure = err.(*Failure)
		return got
	}
	defer answer.Events.Close()
	var text bytes.Buffer
	for committed := false; ; {
		c, err := answer.Events.Next()
		if err != nil {
			got.whole = errors.Is(err, io.EOF)
			got.failure, _ = errors.AsType[*Failure](err)
			got.all = text.String()
			if committed {
				got.text = got.all
			}
			return got
		}
		text.Write(c.Data)
		got.meaningful += c.Count
		if c.Meaningful && !committed {
			committed = true
			answer.Events.Commit()
		}
		if c.FinishReason != "" {
			got.finish = c.FinishReason
		}
		if c.Usage != nil {
			got.usage = c.Usage
		}
	}
}

// streamOf receives a stream.
func streamOf(tb testing.TB, body io.Reader, members string) sent {
	tb.Helper()
	return receive(tb, upstreamOf("text/event-stream", body), Chat, `,"stream":true`+members)
}

const (
	role     = `data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n"
	wordA    = `data: {"id":"c","choices":[{"index":0,"delta":{"content":"A"},"finish_reason":null}]}` + "\n\n"
	wordB    = `data: {"id":"c","choices":[{"index":0,"delta":{"content":"B"},"finish_reason":null}]}` + "\n\n"
	stop     = `data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	counted  = `data: {"id":"c","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}` + "\n\n"
	theEnd   = "data: [DONE]\n\n"
	overload = `data: {"error":{"message":"The server is overloaded","type":"service_unavailable_error","param":null,"code":"server_is_overloaded"}}` + "\n\n"
)

func TestStream(t *testing.T) {
	finish := func(reason string) string { return strings.Replace(stop, `"stop"`, `"`+reason+`"`, 1) }
	delta := func(members string) string {
		return `data: {"choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}` + "\n\n"
	}
	same := "\x00"
	tests := map[string]struct {
		stream  string
		text    string // what the client gets, same: the stream
		kind    Kind   // empty: success
		members string
	}{
		"a whole one":                   {role + wordA + wordB + stop + counted + theEnd, same, "", ""},
		"without usage":                 {role + wordA + stop + theEnd, same, "", ""},
		"without a finish reason":       {role + wordA + theEnd, same, "", ""},
		"without [DONE]":                {role + wordA + stop, role + wordA + stop + theEnd, "", ""},
		"[DONE] without its blank line": {role + wordA + stop + "data: [DONE]", role + wordA + stop + theEnd, "", ""},
		"[DONE] without a blank":        {wordA + stop + "data:[DONE]\n\n", same, "", ""},
		"bytes behind the end":          {wordA + stop + theEnd + ": bye\n\nevent: x\n\n", same, "", ""},
		"comments and pings before":     {": ping\n\n: OPENROUTER PROCESSING\n\n" + role + wordA + stop + theEnd, same, "", ""},
		"blank lines before":            {"\n\n\n" + wordA + stop + theEnd, same, "", ""},
		"Azure's first chunk":           {`data: {"choices":[],"created":0,"id":"","model":"","prompt_filter_results":[{}]}` + "\n\n" + wordA + stop + theEnd, same, "", ""},
		"a byte order mark":             {"\uFEFF" + wordA + stop + theEnd, same, "", ""},
		"CRLF":                          {strings.ReplaceAll(role+wordA+stop+theEnd, "\n", "\r\n"), same, "", ""},
		"CR":                            {strings.ReplaceAll(role+wordA+stop+theEnd, "\n", "\r"), same, "", ""},
		"reasoning":                     {role + delta(`"reasoning_content":"hm"`) + stop + theEnd, same, "", ""},
		"reasoning in details":          {role + delta(`"reasoning_details":[{"data":"x"}]`) + stop + theEnd, same, "", ""},
		"a tool call":                   {role + delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":""}}]`) + finish("tool_calls") + theEnd, same, "", ""},
		"a refusal":                     {role + delta(`"refusal":"no"`) + stop + theEnd, same, "", ""},
		"a list of parts":               {role + delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"x"}]}]`) + stop + theEnd, same, "", ""},
		"a limit before any text":       {role + finish("length") + theEnd, same, "", ""},
		"a limit before any text, without [DONE]": {role + finish("length"), role + finish("length") + theEnd, "", ""},
		"text, then refused":                      {role + wordA + finish("content_filter") + theEnd, same, "", ""},

		"nothing":                         {"", "", Malformed, ""},
		"comments only":                   {": a\n\n: b\n\n", "", Malformed, ""},
		"a role only":                     {role, "", Malformed, ""},
		"a role and an end":               {role + theEnd, "", Malformed, ""},
		"empty choices and an end":        {counted + theEnd, "", Malformed, ""},
		"an empty answer":                 {role + stop + theEnd, "", ModelFault, ""},
		"an empty answer without [DONE]":  {role + stop, "", ModelFault, ""},
		"refused at once":                 {role + finish("content_filter") + theEnd, "", ContentPolicy, ""},
		"a page":                          {"<html>\n\n</html>", "", Malformed, ""},
		"an error and nothing else":       {overload, "", Overloaded, ""},
		"an error, then [DONE]":           {overload + theEnd, "", Overloaded, ""},
		"an error behind the role":        {role + overload, "", Overloaded, ""},
		"a typed error":                   {"event: error\ndata: {\"error\":{\"message\":\"x\",\"code\":\"rate_limit_exceeded\"}}\n\n", "", RateLimit, ""},
		"an error that nobody knows":      {`data: {"error":{"message":"x"}}` + "\n\n", "", Malformed, ""},
		"a chunk that ends in an error":   {role + finish("error") + theEnd, "", Malformed, ""},
		"an error without its blank line": {strings.TrimRight(overload, "\n"), "", Overloaded, ""},
		"an error without its blank line, behind the role": {role + strings.TrimSuffix(overload, "\n"), "", Overloaded, ""},
		"half an error":                        {role + overload[:60], "", Malformed, ""},
		"no JSON":                              {"data: hello\n\n", "", Malformed, ""},
		"half of JSON":                         {"data: {\"choices\":[\n\n", "", Malformed, ""},
		"an error behind content":              {role + wordA + overload + theEnd, role + wordA, Truncated, ""},
		"an end without a finish":              {role + wordA + wordB, role + wordA + wordB, Truncated, ""},
		"an end in the middle of an event":     {role + wordA + wordB[:30], role + wordA, Truncated, ""},
		"an end in the middle of the finish":   {role + wordA + stop[:len(stop)-1], role + wordA, Truncated, ""},
		"an end in the middle of usage":        {role + wordA + stop + counted[:20], role + wordA + stop, Truncated, ""},
		"a chunk that ends in an error, later": {role + wordA + finish("error") + theEnd, role + wordA, Truncated, ""},

		"an error behind the finish is dropped":                 {role + wordA + stop + overload + theEnd, role + wordA + stop + theEnd, "", ""},
		"an error behind the finish, without [DONE]":            {role + wordA + stop + overload, role + wordA + stop + theEnd, "", ""},
		"an error behind the finish, and usage behind that":     {role + wordA + stop + overload + counted + theEnd, role + wordA + stop + counted + theEnd, "", ""},
		"two choices of which one has finished":                 {wordA + stop, wordA + stop, Truncated, `,"n":2`},
		"two choices of which both have finished":               {wordA + stop + strings.Replace(stop, `"index":0`, `"index":1`, 1), wordA + stop + strings.Replace(stop, `"index":0`, `"index":1`, 1) + theEnd, "", `,"n":2`},
		"a whole answer in an event is content":                 {`data: {"choices":[{"index":0,"message":{"content":"x"},"finish_reason":"stop"}]}` + "\n\n" + theEnd, same, "", ""},
		"JSON in a body that is called a stream, with an error": {`{"error":{"message":"x","code":"server_is_overloaded","type":"service_unavailable_error"}}`, "", Overloaded, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			want := test.text
			if want == same {
				want = test.stream
			}
			readers := map[string]io.Reader{
				"at once":        strings.NewReader(test.stream),
				"byte by byte":   iotest.OneByteReader(strings.NewReader(test.stream)),
				"with its end":   iotest.DataErrReader(strings.NewReader(test.stream)),
				"half by half":   iotest.HalfReader(strings.NewReader(test.stream)),
				"piece by piece": &pieces{[]byte(test.stream), 11},
			}
			for split, body := range readers {
				got := streamOf(t, body, test.members)
				kind := Kind("")
				if got.failure != nil {
					kind = got.failure.Kind
				}
				if kind != test.kind || got.whole != (test.kind == "") {
					t.Errorf("%s: %v, want %q", split, got.failure, test.kind)
				}
				if behind := strings.HasPrefix(want, got.text) && strings.Contains(name, "behind the end"); got.text != want && !behind {
					t.Errorf("%s: the client gets\n%s\nwant\n%s", split, got.text, want)
				}
			}
		})
	}
}

// blanks are blanks without an end.
type blanks struct{}

func (blanks) Read(b []byte) (int, error) { return copy(b, manyBlanks), nil }

var manyBlanks = bytes.Repeat([]byte(" "), 64<<10)

// pieces gives a stream in pieces of that size.
type pieces struct {
	stream []byte
	size   int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.stream) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.stream[:min(p.size, len(p.stream))])
	p.stream = p.stream[n:]
	return n, nil
}

func TestStreamReadError(t *testing.T) {
	reset := errors.New("reset")
	tests := map[string]struct {
		stream string
		kind   Kind
	}{
		"before content":            {role, Malformed},
		"behind content":            {role + wordA, Truncated},
		"behind the finish":         {role + wordA + stop, Truncated},
		"behind the protocol's end": {role + wordA + stop + theEnd, ""},
	}
	for name, test := range tests {
		for _, err := range []error{reset, io.ErrUnexpectedEOF} {
			got := streamOf(t, io.MultiReader(strings.NewReader(test.stream), iotest.ErrReader(err)), "")
			if kind := kindOf(got.failure); kind != test.kind {
				t.Errorf("%v %s: got %v, want %q", err, name, got.failure, test.kind)
			}
		}
	}
}

func kindOf(f *Failure) Kind {
	if f == nil {
		return ""
	}
	return f.Kind
}

func TestStreamTells(t *testing.T) {
	t.Run("usage, finish and how many events mean something", func(t *testing.T) {
		got := streamOf(t, strings.NewReader(role+wordA+wordB+stop+counted+theEnd), "")
		if got.meaningful != 3 || got.finish != "stop" || got.usage == nil || *got.usage != (Usage{InputTokens: 7, OutputTokens: 2}) {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("usage of Groq", func(t *testing.T) {
		groq := strings.Replace(stop, `"choices"`, `"x_groq":{"usage":{"prompt_tokens":3,"completion_tokens":4}},"choices"`, 1)
		got := streamOf(t, strings.NewReader(wordA+groq+theEnd), "")
		if got.usage == nil || got.usage.OutputTokens != 4 {
			t.Errorf("got %+v", got.usage)
		}
	})
	t.Run("an empty answer is kept to be passed on as it came", func(t *testing.T) {
		whole := role + stop + counted + theEnd
		got := streamOf(t, iotest.OneByteReader(strings.NewReader(whole)), "")
		if f := got.failure; f == nil || string(f.Body) != whole || f.ContentType != "text/event-stream" || f.Usage == nil {
			t.Errorf("got %+v", got.failure)
		}
	})
	t.Run("an answer is bounded", func(t *testing.T) {
		endless := io.MultiReader(strings.NewReader(`{"x":"`), blanks{})
		got := receive(t, upstreamOf("application/json", endless), Chat, `,"stream":true`)
		if kindOf(got.failure) != Malformed {
			t.Errorf("got %v", got.failure)
		}
	})
	t.Run("what comes before the first content is bounded", func(t *testing.T) {
		got := streamOf(t, strings.NewReader(strings.Repeat(": "+strings.Repeat("x", 1000)+"\n\n", 300)+wordA+stop+theEnd), "")
		if kindOf(got.failure) != Malformed || len(got.all) > longestHeld {
			t.Errorf("got %v after %d bytes", got.failure, len(got.all))
		}
	})
}

func TestStreamHidesUsageThatWasInjected(t *testing.T) {
	tests := map[string]struct {
		members, want string
	}{
		"nobody asked for it":     {"", role + wordA + stop + theEnd},
		"the client asked for it": {`,"stream_options":{"include_usage":true}`, role + wordA + stop + counted + theEnd},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, body := range []io.Reader{
				strings.NewReader(role + wordA + stop + counted + theEnd),
				iotest.OneByteReader(strings.NewReader(role + wordA + stop + counted + theEnd)),
			} {
				u := upstreamOf("text/event-stream", body)
				u.injectUsage = true
				got := receive(t, u, Chat, `,"stream":true`+test.members)
				if got.text != test.want || got.usage == nil || got.usage.InputTokens != 7 {
					t.Errorf("got %q and %+v", got.text, got.usage)
				}
			}
		})
	}
}

// chatRecordings are the recorded streams in OpenAI's dialect, by file name, with the endpoint that they are of.
func chatRecordings(tb testing.TB) map[string][]byte {
	tb.Helper()
	folder := recorded.Folder(tb, "fixtures", "sse")
	index, err := os.ReadFile(filepath.Join(folder, "INDEX.tsv"))
	if err != nil {
		tb.Fatal(err)
	}
	streams := map[string][]byte{}
	for line := range strings.Lines(string(index)) {
		column := strings.Split(line, "\t")
		if !strings.HasSuffix(column[2], "/chat/completions") && !strings.HasSuffix(column[2], "/responses") {
			continue
		}
		stream, err := os.ReadFile(filepath.Join(folder, column[0]))
		if err != nil {
			tb.Fatal(err)
		}
		name := "chat/" + column[0]
		if strings.HasSuffix(column[2], "/responses") {
			name = "responses/" + column[0]
		}
		streams[name] = stream
	}
	return streams
}

// withoutLateErrors drops the events with an error object: recordings have one only behind a finish reason.
func withoutLateErrors(stream string) string {
	var kept strings.Builder
	for ev := range strings.SplitAfterSeq(stream, "\n\n") {
		if !strings.Contains(ev, `"error":{"code"`) {
			kept.WriteString(ev)
		}
	}
	return kept.String()
}

func endpointOf(name string) Endpoint {
	kind, _, _ := strings.Cut(name, "/")
	return Endpoint(kind)
}

func TestRecordedStreamsComeThrough(t *testing.T) {
	for name, stream := range chatRecordings(t) {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1 << 20, 1000, 7} {
				if len(stream) > 5000*size {
					continue // short reads of long streams take long and show nothing new
				}
				u := upstreamOf("text/event-stream", &pieces{stream, size})
				got := receive(t, u, endpointOf(name), `,"stream":true`)
				want := string(stream)
				if size < 1000 { // what stands behind the protocol's end needs not come
					want = strings.TrimSuffix(want, theEnd)
					got.text = strings.TrimSuffix(got.text, theEnd)
				}
				if got.text != withoutLateErrors(want) || !got.whole {
					t.Fatalf("reads of %d: %d of %d bytes, %v", size, len(got.text), len(stream), got.failure)
				}
			}
		})
	}
}
