package translate

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// Options say what a target's request needs beside the client's.
type Options struct {
	Model     string // the target's own name
	MaxTokens int    // how many tokens the model can put out; 0: unknown

	// NoReasoning leaves reasoning out of a chat's history, for hosts that refuse members of messages that they don't
	// know.
	NoReasoning bool
}

// Translation is a request in the target's dialect.
type Translation struct {
	Body []byte

	// Dropped are the members that have no counterpart, as paths without indexes, sorted, at most 16 of them. Behind them
	// comes messages.reasoning if the target doesn't get all of the reasoning of earlier turns.
	Dropped []string

	// Count is of all members that have no counterpart. Reasoning of earlier turns is not among them: a conversation that
	// was begun with another target goes on without, and no strict provider has to refuse it.
	Count int
}

// Request translates a client's request, which is valid JSON, for a target. Its error is always a [*Refused].
func Request(from, to Dialect, body []byte, o Options) (*Translation, error) {
	var n notes
	c, err := speakers[from].readRequest(gjson.ParseBytes(body), &n)
	if err != nil {
		return nil, err
	}
	if err = c.check(); err != nil {
		return nil, n.ownParam(err)
	}
	out, err := speakers[to].writeRequest(c, o, &n)
	if err != nil {
		return nil, n.ownParam(err)
	}
	return n.translation(out), nil
}

// Reply says how a client's answer is written, beside what the target answered.
type Reply struct {
	ID           string // of the request: what ids are made of that the target doesn't give
	Model        string // shown if the target names none
	Created      int64  // Unix seconds, if the target tells no time
	IncludeUsage bool   // the client of a chat's stream wants the usage
	Request      []byte // the client's, in its own dialect: answers of Responses repeat some of it
}

// Answer translates a target's whole answer, which was judged good, for the client.
func Answer(from, to Dialect, body []byte, r Reply) *Translation {
	var n notes
	a := speakers[from].readAnswer(gjson.ParseBytes(body), &n)
	a.complete(r)
	return n.translation(speakers[to].writeAnswer(a, r, &n))
}

// complete fills in what the target left out.
func (a *answer) complete(r Reply) {
	if a.id == "" {
		a.id = r.ID
	}
	if a.model == "" {
		a.model = r.Model
	}
	if a.created == 0 {
		a.created = r.Created
	}
	if a.finish == 0 {
		a.finish = finishStop
	}
}

// Stream translates the events of one streamed answer. It is not safe for concurrent use.
type Stream struct {
	reader streamReader
	writer streamWriter
	reply  Reply
	said   []event

	begun    bool
	open     []int // blocks
	bare     []int // calls of whose arguments nothing but white space was said
	finished bool
}

// NewStream translates from the target's dialect to the client's.
func NewStream(from, to Dialect, r Reply) *Stream {
	return &Stream{reader: speakers[from].readStream(), writer: speakers[to].writeStream(r), reply: r}
}

// Append reads whole events of the target and appends to dst what the client gets for them, which may be nothing.
func (s *Stream) Append(dst, events []byte) []byte {
	for ev := range sse.Events(events) {
		s.said = s.reader.read(ev, s.said[:0])
		for i := range s.said {
			dst = s.say(dst, &s.said[i])
		}
	}
	return dst
}

// End appends what closes the client's stream, once the target's has come to its good end. It may be called more than
// once, and must not be called for a stream that was cut.
func (s *Stream) End(dst []byte) []byte {
	if e, ok := s.reader.(ender); ok {
		s.said = e.end(s.said[:0])
		for i := range s.said {
			dst = s.say(dst, &s.said[i])
		}
	}
	return dst
}

// say gives the writer an event, in an order that it can rely on: began first, blocks closed once, finished last.
func (s *Stream) say(dst []byte, ev *event) []byte {
	if s.finished {
		return dst
	}
	if !s.begun {
		s.begun = true
		first := event{is: began}
		if ev.is == began {
			first = *ev
		}
		first.complete(s.reply)
		dst = s.writer.write(dst, first)
	}
	switch ev.is {
	case began:
		return dst
	case opened:
		s.open = append(s.open, ev.at)
		if ev.block.is == callBlock {
			s.bare = append(s.bare, ev.at)
		}
	case more, signed:
		if !slices.Contains(s.open, ev.at) || ev.is == more && s.blank(ev) {
			return dst
		}
	case closed:
		i := slices.Index(s.open, ev.at)
		if i < 0 {
			return dst
		}
		s.open = slices.Delete(s.open, i, i+1)
	case finished:
		for _, at := range s.open {
			dst = s.writer.write(dst, event{is: closed, at: at})
		}
		s.open, s.finished = nil, true
	}
	return s.writer.write(dst, *ev)
}

// blank tells whether a piece is white space in front of a call's arguments. Alone it is no arguments at all, which
// writers know how to say.
func (s *Stream) blank(ev *event) bool {
	i := slices.Index(s.bare, ev.at)
	if i < 0 {
		return false
	}
	if strings.TrimSpace(ev.text) == "" {
		return true
	}
	s.bare = slices.Delete(s.bare, i, i+1)
	return false
}

// complete fills in what the target left out.
func (e *event) complete(r Reply) {
	if e.id == "" {
		e.id = r.ID
	}
	if e.model == "" {
		e.model = r.Model
	}
	if e.created == 0 {
		e.created = r.Created
	}
}
