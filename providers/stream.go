package providers

import (
	"bytes"
	"io"
	"slices"

	"github.com/ohmroute/ohmroute/sse"
)

// longestHeld is how many bytes of a stream may come before its first meaningful event (spec: routing.md 3).
const longestHeld = 256 << 10

// stream judges the events of a streamed answer one by one, in the order in which they came, so that it makes no
// difference how the bytes were split on the way. What it hands out is what came, byte for byte, except events that
// are dropped.
type stream struct {
	exchange *exchange
	reader   *sse.Reader // nil once closed
	dialect  dialect
	judging

	block   []byte   // what was read and not handed out
	begun   bool     // a block was read
	held    []byte   // all that came before the first meaningful event
	failure *Failure // found behind what was handed out
	untold  *Usage   // of an event that was dropped: told with the next chunk
	half    bool     // the event that was dropped last ended in CR: its LF may come
}

func newStream(x *exchange, src io.Reader) *stream {
	r := readers.Get().(*sse.Reader)
	r.Reset(timed{&x.watch, src})
	return &stream{exchange: x, reader: r, dialect: dialectOf(x.wire)}
}

// timed tells the watch when a read waits.
type timed struct {
	watch *watch
	src   io.Reader
}

func (t timed) Read(p []byte) (int, error) {
	t.watch.reads()
	n, err := t.src.Read(p)
	t.watch.hasRead()
	return n, err
}

// Next implements [Events].
func (s *stream) Next() (Chunk, error) {
	for {
		switch {
		case s.failure != nil:
			return Chunk{}, s.late()
		case s.done || s.reader == nil:
			return Chunk{}, io.EOF
		}
		if len(s.block) == 0 {
			block, err := s.reader.Next()
			if err != nil {
				return s.end(err)
			}
			s.block = block
		}
		if c := s.cut(); len(c.Data) > 0 || c.Done {
			return c, nil
		}
	}
}

// Commit implements [Events].
func (s *stream) Commit() bool {
	s.committed = true
	return s.exchange.forget()
}

// Close implements [Events].
func (s *stream) Close() error {
	if s.reader == nil {
		return nil
	}
	unread := s.done && !s.reader.AtEOF()
	s.release()
	if unread {
		s.exchange.drain()
	} else {
		s.exchange.close()
	}
	return nil
}

// release gives the reader's memory back.
func (s *stream) release() {
	s.reader.Reset(nil)
	readers.Put(s.reader)
	s.reader, s.block = nil, nil
}

// cut takes from the block what can be handed out at once: all of it, or what stands before an event that is dropped
// or shows a failure.
func (s *stream) cut() Chunk {
	c := Chunk{Usage: s.untold}
	s.untold = nil
	block, at := s.block, 0
	if s.half && len(block) > 0 && block[0] == '\n' {
		block = block[1:]
	}
	s.half = false
	if !s.begun {
		at = len(block) - len(sse.TrimBOM(block))
		s.begun = true
	}
	s.block = nil
	for ev := range sse.Events(block[at:]) {
		waiting := !s.meaningful
		v := s.judge(&c, ev, block)
		if waiting && s.meaningful && s.tooLate(at) {
			return Chunk{}
		}
		switch v {
		case keep:
			at += len(ev.Raw)
			continue
		case last: // what stands behind the end came with it and goes with it
			return s.hand(c, closed(block))
		case drop:
			s.block = block[at+len(ev.Raw):]
			s.half = len(s.block) == 0 && ev.Raw[len(ev.Raw)-1] == '\r'
			s.untold, c.Usage = c.Usage, nil
		case fail:
		}
		return s.hand(c, block[:at])
	}
	return s.hand(c, block)
}

// closed completes the last line end of a stream whose lines end in CRLF, if the read ended between the two bytes.
func closed(block []byte) []byte {
	if bytes.HasSuffix(block, []byte("\r\n\r")) {
		return append(slices.Clip(block), '\n')
	}
	return block
}

// hand keeps a copy of what comes before the first meaningful event.
func (s *stream) hand(c Chunk, data []byte) Chunk {
	c.Data = data
	switch {
	case s.meaningful:
		s.held = nil
	case s.failure != nil:
	case s.tooLate(len(data)):
		return Chunk{}
	default:
		s.held = append(s.held, data...)
	}
	return c
}

// tooLate tells, and sets it as the failure, that more came before the first meaningful event than is held. It counts
// bytes and not reads, so that the verdict is the same however they were split.
func (s *stream) tooLate(more int) bool {
	if len(s.held)+more <= longestHeld {
		return false
	}
	s.failure = s.malformed("no content came in the first 256 KiB of the stream")
	return true
}

// end decides what it means that no more bytes come.
func (s *stream) end(err error) (Chunk, error) {
	orderly := s.reader.AtEOF() // also in the middle of an event
	rest := s.reader.Rest()
	if orderly && len(rest) > 0 && s.dialect.closes(rest) {
		return s.last(rest)
	}
	if orderly && len(rest) == 0 && s.whole(s.exchange.attempt) {
		c := Chunk{Usage: s.untold, Data: []byte(s.dialect.closing())}
		if s.ended(&c, c.Data) == fail {
			return Chunk{}, s.late()
		}
		return c, nil
	}
	if orderly && !s.meaningful && s.exchange.cause() == nil {
		return s.empty(rest)
	}
	if orderly {
		err = io.ErrUnexpectedEOF
	}
	s.failure = s.exchange.failure(Signal{Err: err, Cause: s.exchange.cause(), Committed: s.committed})
	return Chunk{}, s.late()
}

// last takes the protocol's last event, whose blank line is missing.
func (s *stream) last(rest []byte) (Chunk, error) {
	s.block = append(bytes.TrimRight(rest, "\r\n"), "\n\n"...)
	c := s.cut()
	if s.failure == nil && !s.done {
		s.ended(&c, nil)
	}
	if s.failure != nil {
		return Chunk{}, s.late()
	}
	return c, nil
}

// unended looks for an error in a last event whose blank line is missing; nil: there is none.
func (s *stream) unended(rest []byte) *Failure {
	for ev := range sse.Events(append(bytes.Clone(rest), "\n\n"...)) {
		if isJSON(ev.Data) {
			return s.classified(ev)
		}
	}
	return nil
}

// empty judges a stream that ended without any content: it may have been no stream.
func (s *stream) empty(rest []byte) (Chunk, error) {
	body := append(s.held, rest...)
	if text := trimBlank(body); len(text) == 0 || isEventStream(text) {
		if s.failure = s.unended(rest); s.failure == nil {
			s.failure = s.judged(Malformed, nil)
		}
		return Chunk{}, s.late()
	}
	answer, f := s.exchange.plain(body)
	if f != nil {
		s.failure = f
		return Chunk{}, f
	}
	s.done, s.meaningful = true, true
	return answer.Events.Next()
}
