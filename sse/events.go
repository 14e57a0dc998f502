package sse

import "iter"

// Event is one event of a block. Its members are views into the block, except Data of several data lines.
type Event struct {
	Raw  []byte // from the end of the event before it to the end of its blank line
	Type []byte // value of the last event field; empty for none, which means "message"
	Data []byte // values of the data fields joined by newlines; nil if there is no data field, as in a comment

	joined bool // Data is our own memory, so it may be appended to
}

// Events walks the whole events of a block as the HTML standard reads them. Blank lines without an event are
// passed over; they open the Raw of the event behind them. The first block of a stream goes through [TrimBOM] first.
// Nothing is allocated, except for events of several data lines.
func Events(block []byte) iter.Seq[Event] {
	return func(yield func(Event) bool) { walk(block, yield) }
}

func walk(block []byte, yield func(Event) bool) {
	l := newLines(block)
	var ev Event
	start, fields := 0, 0
	for {
		if fields == 0 {
			if data, ok := l.dataOnly(); ok {
				if !yield(Event{Raw: block[start:l.at], Data: data}) {
					return
				}
				start = l.at
				continue
			}
		}
		line, whole := l.next()
		if !whole {
			return
		}
		if len(line) != 0 {
			fields++
			ev.take(line)
			continue
		}
		if fields == 0 {
			continue
		}
		ev.Raw = block[start:l.at]
		if !yield(ev) {
			return
		}
		ev = Event{}
		start, fields = l.at, 0
	}
}

// take adds one line to the event.
func (e *Event) take(line []byte) {
	switch line[0] {
	case 'd':
		if value, ok := field(line, "data"); ok {
			e.join(value)
		}
	case 'e':
		if value, ok := field(line, "event"); ok {
			e.Type = value
		}
	}
}

func (e *Event) join(value []byte) {
	if e.Data == nil {
		e.Data = value
		return
	}
	if !e.joined {
		e.Data = append(make([]byte, 0, 2*(len(e.Data)+len(value)+1)), e.Data...)
		e.joined = true
	}
	e.Data = append(append(e.Data, '\n'), value...)
}

// field returns the value of a line of that field: what follows the colon and one optional space.
func field(line []byte, name string) ([]byte, bool) {
	if len(line) < len(name) || string(line[:len(name)]) != name {
		return nil, false
	}
	value := line[len(name):]
	if len(value) == 0 {
		return value, true
	}
	if value[0] != ':' {
		return nil, false
	}
	if value = value[1:]; len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	return value, true
}
