package providers

import (
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"testing"
)

// headerOf reads "name: value" lines.
func headerOf(lines string) http.Header {
	h := http.Header{}
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		h.Add(textproto.TrimString(name), textproto.TrimString(value))
	}
	return h
}

func allCases() map[string]classifyCase {
	all := maps.Clone(anyCases)
	maps.Copy(all, namedCases)
	maps.Copy(all, presetCases)
	return all
}

func TestClassifyFollowsEveryRowOfTheSpecification(t *testing.T) {
	for name, c := range allCases() {
		t.Run(name, func(t *testing.T) {
			f := Classify(c.signal())
			if f == nil {
				t.Fatal("no failure")
			}
			if f.Kind != c.want || f.Hint != c.hint || f.Next != c.next || f.Status != c.status {
				t.Errorf("got %s, hint %s, next %t, status %d; want %s, hint %s, next %t, status %d",
					f.Kind, f.Hint, f.Next, f.Status, c.want, c.hint, c.next, c.status)
			}
			if f.Message == "" {
				t.Error("no message")
			}
		})
	}
}

func TestClassifyJudgesTheSameErrorWithinAStream(t *testing.T) {
	for name, c := range allCases() {
		if c.stream == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := c.event()
			f := Classify(s)
			if f == nil {
				t.Fatal("no failure")
			}
			if f.Kind != c.stream || f.Next != c.next {
				t.Errorf("got %s, next %t; want %s, next %t", f.Kind, f.Next, c.stream, c.next)
			}
			if c.header == "" && c.stream == c.want && f.Hint != c.hint {
				t.Errorf("hint %s, want %s", f.Hint, c.hint)
			}
			s.Finished = true
			if f := Classify(s); f != nil {
				t.Errorf("an error after the finish is a failure: %v", f)
			}
			s.Finished, s.Committed = false, true
			if f := Classify(s); f == nil || f.Kind != Truncated || f.Hint != 0 {
				t.Errorf("an error after the commit is %v", f)
			}
		})
	}
}

func TestEveryRowOfTheTablesIsReached(t *testing.T) {
	var hit []*rule
	for _, c := range allCases() {
		for _, s := range []Signal{c.signal(), c.event()} {
			o := readObject(&s)
			e := evidenceOf(&s, &o)
			hit = append(hit, firstOf(&e))
		}
	}
	tables := map[string][]rule{
		"overCode": overCode, "byCode": byCode, "byHeader": byHeader, "byWording": byWording, "byStatus": byStatus,
	}
	for name, table := range tables {
		for i := range table {
			if !slices.Contains(hit, &table[i]) {
				t.Errorf("no case reaches row %d of %s: %+v", i, name, table[i].row)
			}
		}
	}
}

func TestRowsNameKnownProviders(t *testing.T) {
	kinds := []string{"openai", "anthropic", "gemini", "azure", "demo"}
	for _, table := range [][]rule{overCode, byCode, byHeader, byWording, byStatus} {
		for _, r := range table {
			for _, name := range r.of {
				if p, ok := PresetOf(name); !slices.Contains(kinds, name) && (!ok || p.Name != name) {
					t.Errorf("%q is neither a provider kind nor a preset", name)
				}
			}
			if _, ok := RuleOf(r.kind); !ok {
				t.Errorf("%q is no kind", r.kind)
			}
		}
	}
}

func TestWhatIsNoFailureIsNil(t *testing.T) {
	for name, s := range map[string]Signal{
		"a 200 answer":               {Status: 200, Body: []byte(`{"choices":[{}]}`)},
		"a 200 answer, error null":   {Status: 200, Body: []byte(`{"error":null,"choices":[{}]}`)},
		"a 200 answer, error empty":  {Status: 200, Body: []byte(`{"error":{},"choices":[{}]}`)},
		"a 200 answer, error false":  {Status: 200, Body: []byte(`{"error":false}`)},
		"a chunk":                    {Status: 200, Event: true, Body: []byte(`{"choices":[{"delta":{"content":"\"error\""}}]}`)},
		"a ping":                     {Status: 200, Event: true, EventType: "ping", Body: []byte(`{"type":"ping"}`)},
		"the end marker":             {Status: 200, Event: true, Body: []byte(`[DONE]`)},
		"an event without data":      {Status: 200, Event: true},
		"response.created":           {Status: 200, Event: true, EventType: "response.created", Body: []byte(`{"type":"response.created","response":{"status":"in_progress","error":null}}`)},
		"response.incomplete":        {Status: 200, Event: true, Body: []byte(`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"error":null}}`)},
		"a filter that was down":     {Dialect: "azure", Status: 200, Event: true, Body: []byte(`{"choices":[{"content_filter_result":{"error":{"code":"content_filter_error"}},"delta":{}}]}`)},
		"filtered after the commit":  {Status: 200, Event: true, Committed: true, Body: []byte(`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`)},
		"MiniMax's zero":             {Preset: "minimax", Status: 200, Body: []byte(`{"choices":[{}],"base_resp":{"status_code":0}}`)},
		"a token limit after length": {Preset: "openrouter", Status: 200, Event: true, Finished: true, Body: []byte(`{"error":{"code":400,"message":"Token limit reached"},"choices":[{"finish_reason":null}]}`)},
	} {
		t.Run(name, func(t *testing.T) {
			s.Now = testNow
			if f := Classify(s); f != nil {
				t.Errorf("got %v", f)
			}
		})
	}
}

func TestEventsThatSayErrorAreFailuresWhateverTheyHold(t *testing.T) {
	for name, c := range map[string]struct {
		event, data string
		want        Kind
	}{
		"no data":           {"error", "", Malformed},
		"text":              {"error", "upstream broke", Malformed},
		"a message alone":   {"error", `{"message":"x"}`, Malformed},
		"a code":            {"error", `{"code":"rate_limit_exceeded","message":"x"}`, RateLimit},
		"a status":          {"error", `{"status":503,"message":"x"}`, Overloaded},
		"an exception":      {"throttlingException", `{"throttlingException":{"message":"x"}}`, RateLimit},
		"half of an object": {"error", `{"error":{"code":"insuf`, Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			preset := "openai"
			if strings.HasSuffix(c.event, "Exception") {
				preset = "bedrock"
			}
			f := Classify(Signal{Dialect: "openai", Preset: preset, Status: 200, Event: true, EventType: c.event, Body: []byte(c.data), Now: testNow})
			if f == nil || f.Kind != c.want {
				t.Errorf("got %v, want %s", f, c.want)
			}
		})
	}
}

func TestAContentFilterBeforeTheCommitIsARefusal(t *testing.T) {
	f := Classify(Signal{Dialect: "openai", Status: 200, Event: true, EventType: "response.incomplete", Body: []byte(
		`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}`)})
	if f == nil || f.Kind != ContentPolicy {
		t.Errorf("got %v", f)
	}
}

func TestBodiesArePassedOnOnlyAsTheyCame(t *testing.T) {
	refused := `{"error":{"message":"sk-secret is in here","code":"unsupported_value"}}`
	for name, c := range map[string]struct {
		s    Signal
		want string
	}{
		"a 400":               {Signal{Dialect: "openai", Status: 400, Body: []byte(refused)}, refused},
		"a 400 without body":  {Signal{Dialect: "openai", Status: 400}, ""},
		"an error under 200":  {Signal{Dialect: "openai", Status: 200, Body: []byte(refused)}, ""},
		"an event":            {Signal{Dialect: "openai", Status: 200, Event: true, Body: []byte(refused)}, ""},
		"a server's error":    {Signal{Dialect: "openai", Status: 500, Body: []byte(`{"error":{}}`)}, ""},
		"a broken tool call":  {Signal{Dialect: "openai", Preset: "groq", Status: 400, Body: []byte(`{"error":{"code":"tool_use_failed"}}`)}, ""},
		"an unknown key":      {Signal{Dialect: "openai", Status: 401, Body: []byte(`{"error":{}}`)}, ""},
		"a context too small": {Signal{Dialect: "openai", Status: 400, Body: []byte(`{"error":{"code":"context_length_exceeded"}}`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := Classify(c.s)
			if got := string(f.Body); got != c.want {
				t.Errorf("body %q, want %q", got, c.want)
			}
		})
	}
}

func TestTheContextWindowIsReadFromTheWording(t *testing.T) {
	for message, want := range map[string]int{
		"This model's maximum context length is 8192 tokens. However": 8192,
		"prompt is too long: 3333404 tokens > 200000 maximum":         200000,
		"exceeds the maximum number of tokens allowed (1048576).":     1048576,
		"Your request exceeded model token limit: 8192":               8192,
		"the context window of 32768 tokens is full":                  32768,
		"maximum context length is 99999999999999999999 tokens":       0,
		"exceeded max context length by 1119046 tokens":               0,
		"prompt too long": 0,
		"This model's maximum context length is 131,072 tokens. However":      131072,
		"maximum context length is 1,048,576 tokens":                          1048576,
		"maximum context length is 131.072 tokens":                            131072,
		"maximum context length is 131 072 tokens":                            131072,
		"maximum context length is 131\u00a0072 tokens":                       131072,
		"maximum context length is 131'072 tokens":                            131072,
		"maximum context length is 131_072 tokens.":                           131072,
		"prompt is too long: 3,333,404 tokens > 200,000 maximum":              200000,
		"exceeds the maximum number of tokens allowed (1,048,576).":           1048576,
		"exceeded model token limit: 8,192.":                                  8192,
		"the context window of 32,768 tokens is full":                         32768,
		"maximum context length is 128k tokens":                               0,
		"maximum context length is 131,07 tokens":                             0,
		"maximum context length is 1,5 million tokens":                        0,
		"maximum context length is 0.1 million tokens":                        0,
		"maximum context length is 1,048.576 tokens":                          0,
		"maximum context length is 8192, and 9000 tokens were sent":           8192,
		"maximum context length is 1 tokens, 200 were sent":                   1,
		"maximum context length is 131,072,000,000 tokens":                    0,
		"maximum context length is 128K":                                      0,
		"the context length is set to 8192 by default and takes 4,096 tokens": 0,
	} {
		if got := windowOf(message); got != want {
			t.Errorf("%q: %d, want %d", message, got, want)
		}
	}
}

func TestQuotedTextIsNoWording(t *testing.T) {
	for message, want := range map[string]string{
		`This model's maximum is 'maximum context' long`: `This model's maximum is   long`,
		`a "b \" c" d`:           `a   d`,
		`don't "unclosed`:        `don't  `,
		"the `x` and 'don't' y":  "the   and   y",
		`“curly” «angled» plain`: `    plain`,
		`'tis quoted' rest`:      `  rest`,
		`no quotes at all`:       `no quotes at all`,
		`"\"begins" so`:          `  so`,
		`"\“ is no end" so`:      `  so`,
	} {
		if got := unquoted(message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

func TestTheMessageIsFoundInEveryEnvelope(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"inner"},"message":"outer"}`:   "inner",
		`{"error":{"code":1},"message":"outer"}`:            "outer",
		`{"error":"text","message":"outer"}`:                "text",
		`{"message":"m","detail":"d"}`:                      "m",
		`{"detail":"d","errors":["e"]}`:                     "d",
		`{"detail":[{"msg":"field required","loc":["x"]}]}`: "field required",
		`{"errors":[{"message":"e1"},{"message":"e2"}]}`:    "e1",
		`{"errors":["e1","e2"]}`:                            "e1",
		`{"Message":"capital"}`:                             "capital",
		`[{"error":{"message":"in a list"}}]`:               "in a list",
		`plain text`:                                        "plain text",
	} {
		if f := Classify(Signal{Dialect: "openai", Status: 500, Body: []byte(body), Now: testNow}); f.Message != want {
			t.Errorf("%s: %q, want %q", body, f.Message, want)
		}
	}
}
