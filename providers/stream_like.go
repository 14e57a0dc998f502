package providers

import (
	"bytes"

	"github.com/ohmroute/ohmroute/sse"
)

const (
	mostVarying = 4    // strings that may change from event to event: contents and padding
	longestLike = 2048 // bytes of an event that is worth remembering
	mostMisses  = 16   // events in a row that looked different, before nothing is remembered any more
)

// likeness is how the events of a stream look that carry nothing but a piece of text. Nearly all of them are the same
// but for one or two strings; such an event holds no finish reason, no usage and no error, and needs no parsing.
type likeness struct {
	event  []byte // the one that was remembered
	parts  [mostVarying + 1][]byte
	count  int   // of parts; 0: nothing is remembered
	texts  uint8 // which of the strings between the parts are content
	misses int
}

// matches tells whether an event differs from the one that was remembered in its varying strings only, and whether
// it brings text.
func (l *likeness) matches(ev sse.Event) (text, ok bool) {
	if l.count == 0 || len(ev.Type) > 0 {
		return false, false
	}
	data := ev.Data
	for i, part := range l.parts[:l.count] {
		if !bytes.HasPrefix(data, part) {
			return false, false
		}
		data = data[len(part):]
		if i == l.count-1 {
			break
		}
		n := endOfString(data)
		if n < 0 {
			return false, false
		}
		text = text || n > 0 && l.texts>>i&1 == 1
		data = data[n:]
	}
	if len(data) > 0 {
		return false, false
	}
	l.misses = 0
	return text, true
}

// endOfString finds the quote that ends a string, -1 if none does: one behind an odd number of backslashes doesn't.
func endOfString(data []byte) int {
	for n := 0; ; n++ {
		i := bytes.IndexByte(data[n:], '"')
		if i < 0 {
			return -1
		}
		n += i
		before := n
		for before > 0 && data[before-1] == '\\' {
			before--
		}
		if (n-before)%2 == 0 {
			return n
		}
	}
}

// learn remembers an event that brings text and nothing else.
func (l *likeness) learn(ev sse.Event, e *event) {
	other := e.ToolCall || e.Refusal || e.Finish != "" || e.counted || e.failed || e.odd || e.undecodable || len(ev.Type) > 0
	if !e.Text || other || e.texts == 0 || e.strings > mostVarying || len(ev.Data) > longestLike || l.misses > mostMisses {
		return
	}
	l.misses++
	l.event = append(l.event[:0], ev.Data...)
	l.count, l.texts = 0, e.texts
	from := 0
	for _, at := range e.varying[:e.strings] {
		l.parts[l.count] = l.event[from:at[0]]
		l.count++
		from = at[1]
	}
	l.parts[l.count] = l.event[from:]
	l.count++
}
