package translate

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// geminiChunk is an event of those parts, with what else a candidate has.
func geminiChunk(parts, more string) string {
	return `{"candidates":[{"content":{"parts":[` + parts + `],"role":"model"}` + more + `}],"responseId":"R-1"}`
}

// readGemini reads events as they come, and then the end.
func readGemini(events ...string) []event {
	r := newGeminiReader()
	var said []event
	for _, data := range events {
		for ev := range sse.Events([]byte("data: " + data + "\r\n\r\n")) {
			said = r.read(ev, said)
		}
	}
	return r.(ender).end(said)
}

var (
	blockNames  = map[blockType]string{textBlock: "text", imageBlock: "image", callBlock: "call", reasoningBlock: "reasoning"}
	finishNames = map[finish]string{finishStop: "stop", finishLength: "length", finishCalls: "calls", finishFilter: "filter"}
)

// shown is an event in a line.
func (e *event) shown() string {
	switch e.is {
	case began:
		return fmt.Sprintf("began %s %s %d", e.id, e.model, e.created)
	case opened:
		return strings.Join(slices.DeleteFunc([]string{
			"open", strconv.Itoa(e.at), blockNames[e.block.is], e.block.id, e.block.name, e.block.signature.text, e.block.media.data,
		}, func(s string) bool { return s == "" }), " ")
	case more:
		return fmt.Sprintf("more %d %s", e.at, e.text)
	case signed:
		return fmt.Sprintf("sign %d %s", e.at, e.signature.text)
	case closed:
		return fmt.Sprintf("close %d", e.at)
	default:
		return "finish " + finishNames[e.finish]
	}
}

func TestGeminiStreamEvents(t *testing.T) {
	const stop = `,"finishReason":"STOP"`
	text := func(s string) string { return `{"text":"` + s + `"}` }
	thought := func(s string) string { return `{"text":"` + s + `","thought":true}` }
	tests := map[string]struct {
		events []string
		want   string // without the first event
	}{
		"texts": {
			[]string{geminiChunk(text("A"), ""), geminiChunk(text("B"), ""), geminiChunk(text("C"), stop)},
			"open 0 text; more 0 A; more 0 B; more 0 C; close 0; finish stop",
		},
		"a thought, and a signature on the text behind it": {
			[]string{geminiChunk(thought("hm"), ""), geminiChunk(thought("aha"), ""), geminiChunk(`{"text":"A","thoughtSignature":"s"}`, ""), geminiChunk(text("B"), stop)},
			"open 0 reasoning; more 0 hm; more 0 aha; sign 0 s; close 0; open 1 text; more 1 A; more 1 B; close 1; finish stop",
		},
		"a signature in the end": {
			[]string{geminiChunk(text("A"), ""), geminiChunk(`{"text":"","thoughtSignature":"s"}`, stop)},
			"open 0 text; more 0 A; close 0; open 1 reasoning; sign 1 s; close 1; finish stop",
		},
		"calls, one of them without arguments": {
			[]string{
				geminiChunk(thought("hm"), ""),
				geminiChunk(`{"functionCall":{"name":"f","args":{}},"thoughtSignature":"s"},{"functionCall":{"name":"g","args":{"a": 1}}}`, ""), geminiChunk(text(""), stop),
			},
			`open 0 reasoning; more 0 hm; close 0; open 1 call gemini_R-1_0 f s; close 1; open 2 call gemini_R-1_1 g; more 2 {"a":1}; close 2; finish calls`,
		},
		"a text between calls": {
			[]string{geminiChunk(`{"functionCall":{"id":"x","name":"f"}}`, ""), geminiChunk(text("A"), ""), geminiChunk(`{"functionCall":{"name":"f"}}`, stop)},
			"open 0 call x f; close 0; open 1 text; more 1 A; close 1; open 2 call gemini_R-1_1 f; close 2; finish calls",
		},
		"an image": {
			[]string{geminiChunk(text("A"), ""), geminiChunk(`{"inlineData":{"mimeType":"image/png","data":"eA=="}}`, stop)},
			"open 0 text; more 0 A; close 0; open 1 image eA==; close 1; finish stop",
		},
		"a finish reason in every event": {
			[]string{geminiChunk(text("A"), stop), geminiChunk(text("B"), `,"finishReason":"MAX_TOKENS"`)},
			"open 0 text; more 0 A; more 0 B; close 0; finish length",
		},
		"a blocked question":       {[]string{`{"promptFeedback":{"blockReason":"OTHER"},"responseId":"R-1"}`}, "finish filter"},
		"a filter behind the text": {[]string{geminiChunk(text("A"), ""), `{"candidates":[{"finishReason":"SAFETY"}]}`}, "open 0 text; more 0 A; close 0; finish filter"},
		"another candidate":        {[]string{geminiChunk(text("A"), ""), geminiChunk(text("B"), `,"index":1`+stop), geminiChunk("", stop)}, "open 0 text; more 0 A; close 0; finish stop"},
		"what is no JSON":          {[]string{geminiChunk(text("A"), ""), `{"candidates":[`, geminiChunk("", stop)}, "open 0 text; more 0 A; close 0; finish stop"},
		"what is of other types":   {[]string{`{"responseId":"R-1","candidates":"x"}`, `[1]`, `{"candidates":[{"content":{"parts":["x",{"functionCall":3,"text":{}}]}}],"usageMetadata":7}`}, "finish stop"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, ev := range readGemini(test.events...)[1:] {
				got = append(got, ev.shown())
			}
			if all := strings.Join(got, "; "); all != test.want {
				t.Errorf("got %s\nwant %s", all, test.want)
			}
		})
	}
}

func TestGeminiArgumentsInPieces(t *testing.T) {
	const begin = `{"functionCall":{"name":"f","willContinue":true},"thoughtSignature":"s"}`
	piece := func(args string) string { return `{"functionCall":{"partialArgs":[` + args + `],"willContinue":true}}` }
	const end = `{"functionCall":{}}`
	tests := map[string]struct {
		parts []string
		want  string // the arguments
	}{
		"none": {[]string{begin, end}, ""},
		"a text": {
			[]string{begin, piece(`{"jsonPath":"$.at","stringValue":"","willContinue":true}`), piece(`{"jsonPath":"$.at","stringValue":"Bos","willContinue":true}`), piece(`{"jsonPath":"$.at","stringValue":"ton"}`), end},
			`{"at":"Boston"}`,
		},
		"values": {
			[]string{begin, piece(`{"jsonPath":"$.n","numberValue":1.50},{"jsonPath":"$.b","boolValue":false},{"jsonPath":"$.z","nullValue":"NULL_VALUE"},{"jsonPath":"$.e"}`), end},
			`{"n":1.50,"b":false,"z":null,"e":null}`,
		},
		"nested": {
			[]string{begin, piece(`{"jsonPath":"$.q[0].o[0].l","stringValue":"a"},{"jsonPath":"$.q[0].o[1].l","stringValue":"b"},{"jsonPath":"$.q[1]['x.y']","numberValue":2}`), piece(`{"jsonPath":"$.q[0].o[1].l","stringValue":"c"}`), end},
			`{"q":[{"o":[{"l":"a"},{"l":"bc"}]},{"x.y":2}]}`,
		},
		"the last event has a piece":  {[]string{begin, piece(`{"jsonPath":"$.l[0]","numberValue":1}`), `{"functionCall":{"partialArgs":[{"jsonPath":"$.l[1]","numberValue":2}]}}`}, `{"l":[1,2]}`},
		"the first event has a piece": {[]string{`{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"$.a","numberValue":1}],"willContinue":true},"thoughtSignature":"s"}`, end}, `{"a":1}`},
		"no last event":               {[]string{begin, piece(`{"jsonPath":"$.a","numberValue":1}`)}, `{"a":1}`},
		"at once after all":           {[]string{begin, `{"functionCall":{"name":"f","args":{"a": 1}}}`}, `{"a":1}`},
		"paths that lead nowhere":     {[]string{begin, piece(`{"jsonPath":"a","numberValue":1},{"jsonPath":"$[x]","numberValue":1},{"jsonPath":"$.","numberValue":1},{"jsonPath":"$['x","numberValue":1},{"numberValue":"x"},{"jsonPath":"$.b","numberValue":1}`), end}, `{"b":1}`},
		"a path too deep":             {[]string{begin, piece(`{"jsonPath":"$` + strings.Repeat("[0]", 1000) + `","numberValue":1}`), end}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var events []string
			for _, p := range test.parts {
				events = append(events, geminiChunk(p, ""))
			}
			var j joining
			said := readGemini(events...)
			for _, ev := range said {
				j.take(&ev)
			}
			want := []block{{is: callBlock, id: "gemini_R-1_0", name: "f", text: test.want, signature: signature{Gemini, "s"}}}
			if !reflect.DeepEqual(j.blocks, want) || j.finish != finishCalls {
				t.Errorf("got %+v\nwant %+v", j.blocks, want)
			}
			if n := len(said); said[n-2].is != closed || said[n-1].is != finished {
				t.Errorf("it ends with %v, %v", said[n-2].shown(), said[n-1].shown())
			}
		})
	}
}

func TestGeminiCallsInPiecesOneAfterTheOther(t *testing.T) {
	var got []string
	for _, ev := range readGemini(
		geminiChunk(`{"functionCall":{"name":"f","willContinue":true}},{"functionCall":{"partialArgs":[{"jsonPath":"$.a","numberValue":1}],"willContinue":true}}`, ""),
		geminiChunk(`{"functionCall":{"name":"g","willContinue":true}},{"text":"A"}`, `,"finishReason":"STOP"`),
	) {
		got = append(got, ev.shown())
	}
	want := []string{
		"began R-1  0", "open 0 call gemini_R-1_0 f", `more 0 {"a":1}`, "close 0",
		"open 1 call gemini_R-1_1 g", "close 1", "open 2 text", "more 2 A", "close 2", "finish calls",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %s\nwant %s", strings.Join(got, "; "), strings.Join(want, "; "))
	}
}

func TestGeminiStreamBegins(t *testing.T) {
	said := readGemini(
		`{"candidates":[],"usageMetadata":{"promptTokenCount":12},"modelVersion":"gemini-x","createTime":"2026-03-12T18:06:04.325486Z","responseId":"R-1"}`,
		`{"usageMetadata":{"promptTokenCount":15,"candidatesTokenCount":2},"modelVersion":"other"}`,
	)
	if first := said[0]; first.is != began || first.id != "R-1" || first.model != "gemini-x" || first.created != 1773338764 || first.usage.input != 12 {
		t.Errorf("it begins with %+v", first)
	}
	if last := said[len(said)-1]; len(said) != 2 || *last.usage != (usage{input: 15, output: 2}) {
		t.Errorf("it ends with %+v", last)
	}
}

// Whatever a provider sent: blocks are opened and closed once, in their order, and hold all text that was sent.
func TestGeminiRecordings(t *testing.T) {
	for _, r := range recordings(t) {
		if r.dialect != Gemini {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			reader := newGeminiReader()
			var said []event
			var text, thoughts, signatures strings.Builder
			calls := 0
			for _, raw := range r.events {
				for ev := range sse.Events(raw) {
					said = reader.read(ev, said)
					for _, p := range gjson.GetBytes(ev.Data, "candidates.0.content.parts").Array() {
						if p.Get("functionCall").Exists() {
							calls++
						}
						signatures.WriteString(p.Get("thoughtSignature").Str)
						to := &text
						if p.Get("thought").Bool() {
							to = &thoughts
						}
						to.WriteString(geminiText(p))
					}
				}
			}
			said = reader.(ender).end(said)
			holdsTogether(t, said)
			var j joining
			for _, ev := range said {
				j.take(&ev)
			}
			got := map[blockType]string{}
			ids := map[string]bool{}
			var signed strings.Builder
			for _, b := range j.blocks {
				got[b.is] += b.text
				signed.WriteString(b.signature.text)
				if b.is == callBlock {
					ids[b.id] = true
				}
			}
			if got[textBlock] != text.String() || got[reasoningBlock] != thoughts.String() || signed.String() != signatures.String() || len(ids) != calls {
				t.Errorf("got %+v\nwant %q, %q and %d calls", j.blocks, text.String(), thoughts.String(), calls)
			}
			if want := map[bool]finish{false: finishStop, true: finishCalls}[calls > 0]; j.finish != want || j.usage == nil || j.usage.output == 0 || j.id == "" {
				t.Errorf("got %+v", j.answer)
			}
		})
	}
}

// holdsTogether checks the order of a stream's events.
func holdsTogether(t *testing.T, said []event) {
	t.Helper()
	open, blocks := -1, 0
	for i, ev := range said {
		switch {
		case (ev.is == began) != (i == 0), (ev.is == finished) != (i == len(said)-1):
			t.Errorf("event %d is %s", i, ev.shown())
		case ev.is == opened && (open >= 0 || ev.at != blocks):
			t.Errorf("event %d opens %d: %d is open of %d", i, ev.at, open, blocks)
		case ev.is == opened:
			open, blocks = ev.at, blocks+1
		case (ev.is == more || ev.is == signed || ev.is == closed) && ev.at != open:
			t.Errorf("event %d is %s: %d is open", i, ev.shown(), open)
		case ev.is == more && ev.text == "":
			t.Errorf("event %d says nothing", i)
		case ev.is == closed:
			open = -1
		}
	}
	if open >= 0 {
		t.Errorf("block %d is open in the end", open)
	}
}
