package sse

import "iter"

// Event is one event of a block. Its members are views into the block, except Data of several data lines.
type Event struct {
	Raw  []byte // the event as it came, with its blank line
	Type []byte // value of the last event field, empty for none
	Data []byte // values of the data fields joined by newlines
}

// Events walks the events of a block.
func Events(block []byte) iter.Seq[Event] { return func(func(Event) bool) {} }
