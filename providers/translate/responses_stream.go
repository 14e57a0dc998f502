package translate

import (
	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// responsesStream reads the events of one stream. Hosts differ in which events they leave out, so an item's last event,
// which holds all of it, says what was not said before.
type responsesStream struct {
	begun  bool
	blocks int
	parts  map[responsesPlace]*responsesPart
	done   map[int64]bool // items that are whole
	kinds  []block        // what the blocks are
}

// responsesPlace is where a piece of a text belongs: a part of an item, or the item itself.
type responsesPlace struct{ output, content int64 }

// wholeItem is the place of what is not in a part: calls and reasoning.
const wholeItem = -1

// responsesPart is a block that has been opened.
type responsesPart struct {
	at      int
	grown   bool
	from    string // of reasoning: the member that its text comes from
	section int64  // of a summary
}

func newResponsesReader() streamReader {
	return &responsesStream{parts: map[responsesPlace]*responsesPart{}, done: map[int64]bool{}}
}

// responsesEvents are the events that say something.
var responsesEvents = map[string]func(s *responsesStream, data gjson.Result, said []event) []event{
	"response.created":     (*responsesStream).begin,
	"response.in_progress": (*responsesStream).begin,

	"response.output_item.added": (*responsesStream).added,
	"response.output_item.done":  (*responsesStream).itemDone,

	"response.output_text.delta":             (*responsesStream).textDelta,
	"response.refusal.delta":                 (*responsesStream).refusalDelta,
	"response.function_call_arguments.delta": (*responsesStream).argumentsDelta,
	"response.reasoning_summary_text.delta":  (*responsesStream).summaryDelta,
	"response.reasoning_text.delta":          (*responsesStream).thoughtDelta,

	"response.completed":  (*responsesStream).end,
	"response.incomplete": (*responsesStream).end,
}

func (s *responsesStream) read(ev sse.Event, said []event) []event {
	data := gjson.ParseBytes(ev.Data)
	typ := data.Get("type").Str
	if typ == "" {
		typ = string(ev.Type)
	}
	if say := responsesEvents[typ]; say != nil {
		return say(s, data, said)
	}
	return said
}

func (s *responsesStream) begin(data gjson.Result, said []event) []event {
	if s.begun {
		return said
	}
	s.begun = true
	response := data.Get("response")
	return append(said, event{
		is: began, id: response.Get("id").String(), model: response.Get("model").String(),
		created: response.Get("created_at").Int(),
	})
}

// open opens a block, unless it is open.
func (s *responsesStream) open(p responsesPlace, b block, said []event) (*responsesPart, []event) {
	part := s.parts[p]
	if part == nil {
		part = &responsesPart{at: s.blocks}
		s.parts[p] = part
		s.blocks++
		s.kinds = append(s.kinds, block{is: b.is})
		said = append(said, event{is: opened, at: part.at, block: b})
	}
	return part, said
}

// grow says more of a block.
func (s *responsesStream) grow(part *responsesPart, text string, said []event) []event {
	if text == "" {
		return said
	}
	part.grown = true
	return append(said, event{is: more, at: part.at, text: text})
}

func (s *responsesStream) added(data gjson.Result, said []event) []event {
	item, output := data.Get("item"), data.Get("output_index").Int()
	if item.Get("type").Str != "function_call" {
		return said
	}
	part, said := s.open(responsesPlace{output, wholeItem}, responsesCall(item), said)
	return s.grow(part, responsesArguments(item), said)
}

func (s *responsesStream) textDelta(data gjson.Result, said []event) []event {
	return s.partDelta(textBlock, data, said)
}

func (s *responsesStream) refusalDelta(data gjson.Result, said []event) []event {
	return s.partDelta(refusalBlock, data, said)
}

func (s *responsesStream) partDelta(is blockType, data gjson.Result, said []event) []event {
	text := data.Get("delta").String()
	if text == "" {
		return said
	}
	p := responsesPlace{data.Get("output_index").Int(), data.Get("content_index").Int()}
	part, said := s.open(p, block{is: is}, said)
	return s.grow(part, text, said)
}

func (s *responsesStream) argumentsDelta(data gjson.Result, said []event) []event {
	part := s.parts[responsesPlace{data.Get("output_index").Int(), wholeItem}]
	if part == nil {
		return said
	}
	return s.grow(part, data.Get("delta").String(), said)
}

func (s *responsesStream) summaryDelta(data gjson.Result, said []event) []event {
	return s.reasoningDelta("summary", data.Get("summary_index").Int(), data, said)
}

func (s *responsesStream) thoughtDelta(data gjson.Result, said []event) []event {
	return s.reasoningDelta("content", data.Get("content_index").Int(), data, said)
}

// reasoningDelta says more of what the model thought. Hosts that show thoughts may sum them up as well: what comes first
// is said.
func (s *responsesStream) reasoningDelta(from string, section int64, data gjson.Result, said []event) []event {
	text := data.Get("delta").String()
	if text == "" {
		return said
	}
	b := block{is: reasoningBlock, id: data.Get("item_id").String()}
	part, said := s.open(responsesPlace{data.Get("output_index").Int(), wholeItem}, b, said)
	if part.from == "" {
		part.from, part.section = from, section
	}
	if part.from != from {
		return said
	}
	if part.section != section {
		part.section, text = section, reasoningGap+text
	}
	return s.grow(part, text, said)
}

func (s *responsesStream) itemDone(data gjson.Result, said []event) []event {
	return s.item(data.Get("output_index").Int(), data.Get("item"), said)
}

// item says what is left to say of an item that is whole.
func (s *responsesStream) item(output int64, item gjson.Result, said []event) []event {
	if s.done[output] {
		return said
	}
	s.done[output] = true
	if item.Get("type").Str == "message" {
		return s.message(output, item, said)
	}
	var n notes // of a stream nothing is told
	blocks, _ := responsesBlocks(item, &n)
	p := responsesPlace{output, wholeItem}
	if len(blocks) == 0 {
		if part := s.parts[p]; part != nil {
			said = append(said, event{is: closed, at: part.at})
		}
		return said
	}
	return s.whole(p, blocks[0], said)
}

// message says what is left to say of a message's parts.
func (s *responsesStream) message(output int64, item gjson.Result, said []event) []event {
	var at int64
	item.Get("content").ForEach(func(_, part gjson.Result) bool {
		p := responsesPlace{output, at}
		at++
		switch text, refusal := part.Get("text").String(), part.Get("refusal").String(); {
		case text != "":
			said = s.whole(p, block{is: textBlock, text: text}, said)
		case refusal != "":
			said = s.whole(p, block{is: refusalBlock, text: refusal}, said)
		}
		return true
	})
	return said
}

// whole says what is left to say of a block, and closes it.
func (s *responsesStream) whole(p responsesPlace, b block, said []event) []event {
	text, sign := b.text, b.signature
	b.text, b.signature = "", signature{}
	part, said := s.open(p, b, said)
	if !part.grown {
		said = s.grow(part, text, said)
	}
	if sign.text != "" {
		said = append(said, event{is: signed, at: part.at, signature: sign})
	}
	return append(said, event{is: closed, at: part.at})
}

// end says why the answer ends, and the answer itself if the stream did not.
func (s *responsesStream) end(data gjson.Result, said []event) []event {
	response := data.Get("response")
	said = s.begin(data, said)
	if s.blocks == 0 {
		var output int64
		response.Get("output").ForEach(func(_, item gjson.Result) bool {
			said = s.item(output, item, said)
			output++
			return true
		})
	}
	return append(said, event{
		is: finished, finish: responsesFinish(response, s.kinds), usage: responsesUsage(response.Get("usage")),
	})
}
