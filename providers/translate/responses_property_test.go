package translate

import (
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"
)

// drawnBlock is any block that an answer may hold.
func drawnBlock(t *rapid.T, i int) block {
	b := block{
		is: rapid.SampledFrom([]blockType{textBlock, imageBlock, audioBlock, fileBlock, callBlock, reasoningBlock, refusalBlock}).Draw(t, "is"),
	}
	switch b.is {
	case callBlock:
		b.id, b.name = "call_"+string(rune('a'+i)), rapid.SampledFrom([]string{"f", "say"}).Draw(t, "name")
		b.signature = rapid.SampledFrom([]signature{{}, {Chat, "sig"}, {Gemini, "sig"}}).Draw(t, "signature")
		b.text = rapid.SampledFrom([]string{"", "{}", `{"a":"\u00e4"}`, `{"input":"x\ny"}`, `{"a":`, "no JSON"}).Draw(t, "arguments")
	case reasoningBlock:
		b.text = rapid.StringN(0, 8, -1).Draw(t, "text")
		b.signature = rapid.SampledFrom([]signature{{}, {Messages, "sig"}, {Gemini, "sig"}, {Responses, "gAAA"}}).Draw(t, "signature")
	case imageBlock, audioBlock, fileBlock:
		b.media = rapid.SampledFrom([]media{{data: "AA=="}, {url: "https://example.com"}}).Draw(t, "media")
	default:
		b.text = rapid.StringN(0, 8, -1).Draw(t, "text")
	}
	return b
}

func drawnAnswer(t *rapid.T) *answer {
	a := &answer{id: rapid.SampledFrom([]string{"resp_1", "chatcmpl-\u00e4"}).Draw(t, "id"), model: "m", created: 1}
	for i := range rapid.IntRange(0, 5).Draw(t, "blocks") {
		a.blocks = append(a.blocks, drawnBlock(t, i))
	}
	a.finish = finish(rapid.IntRange(int(finishStop), int(finishWindow)).Draw(t, "finish"))
	if rapid.Bool().Draw(t, "counted") {
		a.usage = &usage{input: 3, output: 4, cacheRead: 1, cacheWrite: 1, reasoning: 2}
	}
	return a
}

// shuffled plays an answer's events in another order: blocks that are open at the same time grow in turns, but of texts
// and thoughts only the last one.
func shuffled(t *rapid.T, a *answer) []event {
	played := a.played()
	first, rest, last := played[0], played[1:len(played)-1], played[len(played)-1]
	perBlock := make([][]event, len(a.blocks))
	for _, ev := range rest {
		perBlock[ev.at] = append(perBlock[ev.at], ev)
	}
	events := []event{first}
	for begun := 0; ; {
		var able []int
		for at, left := range perBlock[:begun] {
			if len(left) > 0 {
				able = append(able, at)
			}
		}
		if speaks := begun < len(a.blocks) && a.blocks[begun].is != callBlock; begun < len(a.blocks) && (!speaks || !hasText(perBlock[:begun])) {
			able = append(able, begun)
		}
		if len(able) == 0 {
			return append(events, last)
		}
		at := rapid.SampledFrom(able).Draw(t, "next")
		begun = max(begun, at+1)
		events = append(events, perBlock[at][0])
		perBlock[at] = perBlock[at][1:]
	}
}

// hasText tells whether a text or a thought has more to say.
func hasText(left [][]event) bool {
	for _, events := range left {
		for _, ev := range events {
			if ev.is == more {
				return true
			}
		}
	}
	return false
}

// Whatever a target answers, clients can read the stream, and what they put together is what they had got at once.
func TestAnyAnswerIsTheSameStreamedAndWhole(t *testing.T) {
	r := reply([]byte(`{"tools":[{"type":"custom","name":"say"}]}`))
	rapid.Check(t, func(t *rapid.T) {
		a := drawnAnswer(t)
		events := shuffled(t, a)
		w := newResponsesWriter(r)
		var stream []byte
		for _, ev := range events {
			stream = w.write(stream, ev)
		}
		if err := checkResponsesStream(stream); err != nil {
			t.Fatalf("%v\n%s", err, stream)
		}
		whole := gjson.ParseBytes(writeResponsesAnswer(a, r, &notes{}))
		if got := lastResponse(stream); got.Raw != whole.Raw {
			t.Fatalf("streamed it is\n%s\nand whole\n%s", got.Raw, whole.Raw)
		}
	})
}

// What a client of Responses sends back of an answer is what was answered.
func TestAnAnswerThatIsSentBackIsReadAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawnAnswer(t)
		whole := gjson.ParseBytes(writeResponsesAnswer(a, reply(nil), &notes{}))
		c, err := readResponsesRequest(gjson.Parse(`{"input":`+orElse(whole.Get("output").Raw, "[]")+`}`), &notes{})
		if len(whole.Get("output").Array()) == 0 {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		var got []block
		for _, turn := range c.turns {
			if !turn.assistant {
				t.Fatalf("somebody else speaks: %+v", turn)
			}
			got = append(got, turn.blocks...)
		}
		var want []block
		for _, b := range a.blocks {
			switch {
			case b.is == callBlock:
				b.text = orElse(b.text, "{}")
			case b.is == imageBlock, b.is == audioBlock, b.is == fileBlock, b.text == "" && b.signature.text == "":
				continue
			}
			want = append(want, b)
		}
		if len(got) != len(want) {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
		for i, b := range got {
			if b.is == reasoningBlock {
				b.id = ""
			}
			if b.is != want[i].is || b.text != want[i].text || b.id != want[i].id || b.name != want[i].name || b.signature != want[i].signature {
				t.Fatalf("block %d is\n%+v\nwant\n%+v", i, b, want[i])
			}
		}
	})
}
