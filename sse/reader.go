package sse

import (
	"bytes"
	"errors"
	"io"
)

// ErrTooLong is returned for an event that is longer than the reader's limit.
var ErrTooLong = errors.New("sse: event exceeds the limit")

const (
	firstBuffer = 2 << 10  // bytes: most streams are slow, and an idle one holds its buffer
	burstBuffer = 16 << 10 // up to here it also grows while reads fill it
	keepBuffer  = 16 << 10 // the largest buffer that Reset keeps
	emptyReads  = 100      // reads without bytes and without an error before giving up
)

// Reader cuts a byte stream into blocks of whole events, in linear time and without changing a byte. Lines end in
// LF, CRLF or CR; a blank line ends an event. It is not safe for concurrent use.
type Reader struct {
	src     io.Reader
	max     int
	buf     []byte // buf[start:end] is what was read and not handed out
	start   int
	end     int
	scanned int  // no event ends in buf[start:scanned]
	filled  bool // the last read left no room: more was there
	begun   bool // a block was handed out, so a byte order mark is no longer one
	err     error
}

// NewReader returns a reader of src that refuses events of more than limit bytes.
func NewReader(src io.Reader, limit int) *Reader { return &Reader{src: src, max: limit} }

// Reset makes the reader read src from its start, with the memory it has.
func (r *Reader) Reset(src io.Reader) {
	buf := r.buf
	if cap(buf) > keepBuffer {
		buf = nil
	}
	*r = Reader{src: src, max: r.max, buf: buf}
}

// Next returns the whole events that one read of the source completed, exactly as they came, with their blank lines.
// The block is valid until the next call. When a CR ends the block, the LF that may belong to it opens the next one.
// The error is io.EOF at an orderly end, io.ErrUnexpectedEOF at an end within an event (see [Reader.Rest]),
// [ErrTooLong], or the source's own; whole events that came before it are handed out first.
func (r *Reader) Next() ([]byte, error) {
	r.compact()
	for empty := 0; ; {
		if block, err := r.cut(); block != nil || err != nil {
			return block, err
		}
		if r.err != nil {
			return nil, r.ended()
		}
		r.grow()
		n, err := r.src.Read(r.buf[r.end:])
		r.end += n
		r.filled = r.end == len(r.buf)
		r.err = err
		if n == 0 && err == nil {
			if empty++; empty == emptyReads {
				r.err = io.ErrNoProgress
			}
		}
	}
}

// Rest returns the bytes of the unfinished event after an error of Next.
func (r *Reader) Rest() []byte { return r.buf[r.start:r.end] }

// AtEOF tells that the source has said its orderly end, so that no read is due any more.
func (r *Reader) AtEOF() bool { return errors.Is(r.err, io.EOF) }

// cut takes the whole events out of what was read. It returns nothing if there is none.
func (r *Reader) cut() ([]byte, error) {
	from := max(r.scanned, r.start)
	at := lastEnd(r.buf[:r.end], r.lineStart(), from)
	r.scanned = r.end
	if at < 0 {
		if r.end-r.start > r.max {
			return nil, ErrTooLong
		}
		return nil, nil
	}
	block := r.buf[r.start:at]
	if len(block) > r.max {
		if block = r.withinLimit(block); len(block) == 0 {
			return nil, ErrTooLong
		}
	}
	r.start += len(block)
	r.begun = true
	return block, nil
}

// lineStart is where the first line of the unread bytes begins: behind the byte order mark, if there is one.
func (r *Reader) lineStart() int {
	if !r.begun && hasBOM(r.buf[r.start:r.end]) {
		return r.start + len(bom)
	}
	return r.start
}

// withinLimit returns the events of block before the first one that is too long.
func (r *Reader) withinLimit(block []byte) []byte {
	good := 0
	for good < len(block) {
		n := firstEnd(block[good:])
		if n > r.max+crlf(block[:good+n]) {
			r.scanned = 0
			break
		}
		good += n
	}
	return block[:good]
}

// crlf is 1 if b ends in CRLF: the LF may as well have come with the next read, so that it never counts.
func crlf(b []byte) int {
	if bytes.HasSuffix(b, []byte("\r\n")) {
		return 1
	}
	return 0
}

func (r *Reader) ended() error {
	if errors.Is(r.err, io.EOF) && r.end > r.start {
		return io.ErrUnexpectedEOF
	}
	return r.err
}

// compact moves the unfinished event to the front. Each byte is moved at most once.
func (r *Reader) compact() {
	if r.start == 0 {
		return
	}
	copy(r.buf, r.buf[r.start:r.end])
	r.end -= r.start
	r.scanned = max(r.scanned-r.start, 0)
	r.start = 0
}

// grow makes room for a read. An event that may still grow is shorter than the limit, so the buffer stays near it.
func (r *Reader) grow() {
	if r.end < len(r.buf) && (!r.filled || len(r.buf) >= burstBuffer) {
		return
	}
	buf := make([]byte, min(max(2*len(r.buf), firstBuffer), r.max+firstBuffer))
	copy(buf, r.buf[:r.end])
	r.buf = buf
}
