package sse

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// parsed is what an event means, without the bytes it came in.
type parsed struct {
	Type, Data string
	HasData    bool
}

// reference parses a whole stream one byte at a time, slowly and by the letter of the HTML standard. A comment or
// another event without data counts as an event without data. rest is what follows the last blank line.
func reference(stream []byte) (events []parsed, rest []byte) {
	text := strings.TrimPrefix(string(stream), bom)
	var ev parsed
	var line strings.Builder
	var data []string
	fields, whole := 0, 0
	endLine := func(next int) {
		defer line.Reset()
		if line.Len() == 0 {
			if fields > 0 {
				ev.Data, ev.HasData = strings.Join(data, "\n"), data != nil
				events = append(events, ev)
			}
			ev, data, fields, whole = parsed{}, nil, 0, next
			return
		}
		fields++
		name, value, _ := strings.Cut(line.String(), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "data":
			data = append(data, value)
		case "event":
			ev.Type = value
		}
	}
	offset := len(stream) - len(text)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\r' && i+1 < len(text) && text[i+1] == '\n':
			i++
			endLine(offset + i + 1)
		case c == '\r', c == '\n':
			endLine(offset + i + 1)
		default:
			line.WriteByte(c)
		}
	}
	return events, stream[whole:]
}

// splitReader gives the stream in pieces of the given sizes, over and over; a size of 0 is a read without bytes.
type splitReader struct {
	stream  []byte
	sizes   []byte
	reads   int
	withEOF bool // the last piece comes together with the end
}

func (s *splitReader) Read(p []byte) (int, error) {
	if len(s.stream) == 0 {
		return 0, io.EOF
	}
	n := len(s.stream)
	if len(s.sizes) > 0 {
		n = int(s.sizes[s.reads%len(s.sizes)])
	}
	s.reads++
	n = copy(p[:min(n, len(p))], s.stream)
	s.stream = s.stream[n:]
	if len(s.stream) == 0 && s.withEOF {
		return n, io.EOF
	}
	return n, nil
}

// relayed is what a reader made of a stream.
type relayed struct {
	Bytes  []byte
	Events []parsed
	Err    error
	Rest   []byte
}

func relay(src io.Reader, limit int) relayed {
	var out relayed
	r := NewReader(src, limit)
	for first := true; ; {
		block, err := r.Next()
		if err != nil {
			out.Err = err
			out.Rest = bytes.Clone(r.Rest())
			return out
		}
		if len(block) == 0 {
			out.Err = errors.New("empty block")
			return out
		}
		out.Bytes = append(out.Bytes, block...)
		if first {
			block, first = TrimBOM(block), false
		}
		for ev := range Events(block) {
			out.Events = append(out.Events, parsed{string(ev.Type), string(ev.Data), ev.Data != nil})
		}
	}
}
