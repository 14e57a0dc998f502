package translate

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// geminiReader reads the events of one stream. The stream has no last event, and some hosts repeat the finish reason in
// all: what it comes to is said in the end.
type geminiReader struct {
	begun  bool
	id     string // what ids of calls are made of
	blocks int    // that were opened
	open   blockType
	calls  int
	partly *partialCall // a call whose arguments come in pieces

	counts  geminiCounts
	reason  string
	blocked bool
}

func newGeminiReader() streamReader { return &geminiReader{} }

// read implements [streamReader].
func (r *geminiReader) read(ev sse.Event, said []event) []event {
	if !valid(ev.Data) {
		return said
	}
	return r.chunk(gjson.ParseBytes(ev.Data), said)
}

// chunk reads one event's data, or a whole answer.
func (r *geminiReader) chunk(data gjson.Result, said []event) []event {
	r.counts.take(data.Get("usageMetadata"))
	said = r.begin(data, said)
	r.blocked = r.blocked || data.Get("promptFeedback.blockReason").String() != ""
	candidate := data.Get("candidates.0")
	if candidate.Get("index").Int() != 0 {
		return said // another answer than the first, which nobody asked for
	}
	for _, p := range candidate.Get("content.parts").Array() {
		said = r.part(p, said)
	}
	if reason := candidate.Get("finishReason").String(); reason != "" {
		r.reason = reason
	}
	return said
}

// begin says what the first event tells of the answer.
func (r *geminiReader) begin(data gjson.Result, said []event) []event {
	if r.begun {
		return said
	}
	r.begun = true
	first := event{is: began, id: data.Get("responseId").String(), model: data.Get("modelVersion").String(), usage: r.counts.usage()}
	if at, err := time.Parse(time.RFC3339, data.Get("createTime").String()); err == nil {
		first.created = at.Unix()
	}
	r.id = geminiIDBase(first.id, data.Raw)
	return append(said, first)
}

// end implements [ender].
func (r *geminiReader) end(said []event) []event {
	said = r.whole(r.close(said))
	last := event{is: finished, finish: finishIn(geminiFinishes, r.reason, r.calls > 0), usage: r.counts.usage()}
	if r.blocked {
		last.finish = finishFilter
	}
	return append(said, last)
}

// in opens a block of the type, unless the one that is open is of it.
func (r *geminiReader) in(is blockType, said []event) []event {
	if r.open == is {
		return said
	}
	said = r.opened(block{is: is}, r.close(said))
	r.open = is
	return said
}

func (r *geminiReader) opened(b block, said []event) []event {
	r.blocks++
	return append(said, event{is: opened, at: r.blocks - 1, block: b})
}

// close closes the text or the reasoning that is open.
func (r *geminiReader) close(said []event) []event {
	if r.open == 0 {
		return said
	}
	r.open = 0
	return append(said, event{is: closed, at: r.blocks - 1})
}

// grow adds to the block that is open.
func (r *geminiReader) grow(text string, said []event) []event {
	if text == "" {
		return said
	}
	return append(said, event{is: more, at: r.blocks - 1, text: text})
}
