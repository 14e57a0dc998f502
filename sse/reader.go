package sse

import (
	"errors"
	"io"
)

// ErrTooLong is returned for an event that is longer than the reader's limit.
var ErrTooLong = errors.New("sse: event exceeds the limit")

// Reader cuts a byte stream into blocks of whole events. It is not safe for concurrent use.
type Reader struct {
	src io.Reader
	max int
}

// NewReader returns a reader of src that refuses events of more than max bytes.
func NewReader(src io.Reader, max int) *Reader { return &Reader{src: src, max: max} }

// Next returns one or more whole events exactly as they came, valid until the next call.
// The error is io.EOF at an orderly end, io.ErrUnexpectedEOF at an end within an event, [ErrTooLong], or the source's own.
func (r *Reader) Next() ([]byte, error) { return nil, io.EOF }

// Rest returns the bytes of the unfinished event at the end of the stream.
func (r *Reader) Rest() []byte { return nil }
