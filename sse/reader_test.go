package sse

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

const large = 16 << 20

func TestReader(t *testing.T) {
	tests := map[string]struct {
		stream string
		events []parsed
		rest   string
		err    error
	}{
		"an empty stream":                 {"", nil, "", io.EOF},
		"LF":                              {"data: a\n\ndata: b\n\n", []parsed{{"", "a", true}, {"", "b", true}}, "", io.EOF},
		"CRLF":                            {"data: a\r\n\r\ndata: b\r\n\r\n", []parsed{{"", "a", true}, {"", "b", true}}, "", io.EOF},
		"CR":                              {"data: a\r\rdata: b\r\r", []parsed{{"", "a", true}, {"", "b", true}}, "", io.EOF},
		"mixed line ends":                 {"data: a\r\n\ndata: b\n\r\ndata: c\n\rdata: d\r\r\n", []parsed{{"", "a", true}, {"", "b", true}, {"", "c", true}, {"", "d", true}}, "", io.EOF},
		"no space after the colon":        {"data:a\nevent:x\n\n", []parsed{{"x", "a", true}}, "", io.EOF},
		"one space is taken, not two":     {"data:  a\n\n", []parsed{{"", " a", true}}, "", io.EOF},
		"several data lines":              {"data: a\ndata:\ndata: b\n\n", []parsed{{"", "a\n\nb", true}}, "", io.EOF},
		"a data line without a colon":     {"data\n\n", []parsed{{"", "", true}}, "", io.EOF},
		"other fields":                    {"id: 1\nretry: 5\ndatax: a\nx\n\n", []parsed{{"", "", false}}, "", io.EOF},
		"a comment":                       {": ping\n\ndata: a\n\n", []parsed{{"", "", false}, {"", "a", true}}, "", io.EOF},
		"a byte order mark":               {bom + "data: a\n\n" + bom + "data: b\n\n", []parsed{{"", "a", true}, {"", "", false}}, "", io.EOF},
		"blank lines around events":       {"\n\r\n\rdata: a\n\n\n\n\r\n", []parsed{{"", "a", true}}, "", io.EOF},
		"a byte order mark and a blank":   {bom + "\n", nil, "", io.EOF},
		"an end within an event":          {"data: a\n\ndata: b\n", []parsed{{"", "a", true}}, "data: b\n", io.ErrUnexpectedEOF},
		"an end within a byte order":      {bom, nil, bom, io.ErrUnexpectedEOF},
		"NUL and broken UTF-8":            {"data: \x00\xff\xc3\n\n", []parsed{{"", "\x00\xff\xc3", true}}, "", io.EOF},
		"the last of several event lines": {"event: a\nevent: b\ndata: c\n\n", []parsed{{"b", "c", true}}, "", io.EOF},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for size := byte(1); size < 20; size++ {
				got := relay(&splitReader{stream: []byte(test.stream), sizes: []byte{size}}, large)
				if want := strings.TrimSuffix(test.stream, test.rest); string(got.Bytes) != want {
					t.Errorf("reads of %d: relayed %q, want %q", size, got.Bytes, want)
				}
				if !reflect.DeepEqual(got.Events, test.events) {
					t.Errorf("reads of %d: events %+v, want %+v", size, got.Events, test.events)
				}
				if !errors.Is(got.Err, test.err) || string(got.Rest) != test.rest {
					t.Errorf("reads of %d: ended with %v and %q, want %v and %q", size, got.Err, got.Rest, test.err, test.rest)
				}
			}
		})
	}
}

func TestReaderHandsOutWhatOneReadCompleted(t *testing.T) {
	reads := []string{"data: a\n\ndata: b\n\nda", "ta: c\n", "\n", "data: d\r\r", "\ndata: e\r\n\r", "\n"}
	want := []string{"data: a\n\ndata: b\n\n", "data: c\n\n", "data: d\r\r", "\ndata: e\r\n\r", "\n"}
	var sources []io.Reader
	for _, read := range reads {
		sources = append(sources, strings.NewReader(read))
	}
	r := NewReader(io.MultiReader(sources...), large)
	for _, block := range want {
		got, err := r.Next()
		if err != nil || string(got) != block {
			t.Fatalf("got %q and %v, want %q", got, err, block)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Fatalf("ended with %v, want EOF", err)
	}
	if !r.AtEOF() {
		t.Error("the reader doesn't know that its source ended")
	}
}

func TestReaderEndsWithTheError(t *testing.T) {
	broken := errors.New("reset by peer")
	t.Run("of its source, behind the whole events", func(t *testing.T) {
		src := io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken))
		got := relay(src, large)
		if string(got.Bytes) != "data: a\n\n" || !errors.Is(got.Err, broken) || string(got.Rest) != "data: b" {
			t.Errorf("got %q, %v, rest %q", got.Bytes, got.Err, got.Rest)
		}
	})
	t.Run("of a source that gives nothing, over and over", func(t *testing.T) {
		got := relay(&splitReader{stream: []byte("data: a\n\n"), sizes: []byte{0}}, large)
		if !errors.Is(got.Err, io.ErrNoProgress) {
			t.Errorf("got %v", got.Err)
		}
	})
}

func TestReaderLimit(t *testing.T) {
	const limit = 100
	event := func(n int, end string) string { return "data:" + strings.Repeat("x", n-5-len(end)) + end }
	tests := map[string]struct {
		stream string
		whole  int // bytes that come through before the error
		err    error
	}{
		"an event of the limit":                   {event(limit, "\n\n"), limit, io.EOF},
		"one byte more":                           {event(limit+1, "\n\n"), 0, ErrTooLong},
		"one byte more behind good ones":          {"data:a\n\n" + event(limit+1, "\n\n") + "data:b\n\n", 8, ErrTooLong},
		"the LF of a CRLF doesn't count":          {event(limit+1, "\r\n\r\n"), limit + 1, io.EOF},
		"many events beyond the limit together":   {strings.Repeat(event(limit, "\n\n"), 5), 5 * limit, io.EOF},
		"an event without an end":                 {event(10*limit, ""), 0, ErrTooLong},
		"an event without an end below the limit": {event(limit, ""), 0, io.ErrUnexpectedEOF},
		"blank lines are not one long event":      {strings.Repeat("\n", 10*limit), 10 * limit, io.EOF},
		"lines of one event count together":       {strings.Repeat("data:x\n", limit), 0, ErrTooLong},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, sizes := range [][]byte{{1}, {7}, {99}, {100}, {101}, nil} {
				got := relay(&splitReader{stream: []byte(test.stream), sizes: sizes}, limit)
				if len(got.Bytes) != test.whole || !errors.Is(got.Err, test.err) {
					t.Errorf("reads of %v: %d bytes and %v, want %d and %v", sizes, len(got.Bytes), got.Err, test.whole, test.err)
				}
			}
		})
	}
}

func TestReaderTakesEventsOf16MiB(t *testing.T) {
	for name, stream := range map[string]string{
		"one line":   "data:" + strings.Repeat("x", large-7) + "\n\n",
		"many lines": strings.Repeat("data:xxx\n", (large-8)/9) + "\n",
		"only CR":    strings.Repeat("data:xxx\r", (large-8)/9) + "\r",
	} {
		t.Run(name, func(t *testing.T) {
			got := relay(&splitReader{stream: []byte(stream), sizes: []byte{255}, withEOF: true}, large)
			if !errors.Is(got.Err, io.EOF) || string(got.Bytes) != stream || len(got.Events) == 0 {
				t.Errorf("got %d bytes, %d events, %v", len(got.Bytes), len(got.Events), got.Err)
			}
		})
	}
}

// TestReaderTakesBurstsAtOnce: reads grow with what comes, so that the blocks of a burst do, up to a bound.
func TestReaderTakesBurstsAtOnce(t *testing.T) {
	const event = "data: 0123456789abcdef\n\n"
	r := NewReader(strings.NewReader(strings.Repeat(event, 10_000)), large)
	longest := 0
	for {
		block, err := r.Next()
		if err != nil {
			break
		}
		longest = max(longest, len(block))
	}
	if longest < burstBuffer-len(event) || longest > burstBuffer {
		t.Errorf("the longest block has %d bytes, want about %d", longest, burstBuffer)
	}
}

func TestReaderReset(t *testing.T) {
	r := NewReader(strings.NewReader("data: a\n\nda"), large)
	for range 2 {
		if _, err := r.Next(); err != nil {
			break
		}
	}
	r.Reset(strings.NewReader(bom + "data: b\n\n"))
	block, err := r.Next()
	if err != nil || string(block) != bom+"data: b\n\n" {
		t.Errorf("got %q and %v", block, err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("data: a\r\n\r\ndata: b\n\n: c\r\r\n"), []byte{1, 2, 3}, byte(0))
	f.Add([]byte(bom+"event: x\ndata: y\ndata:z\n\n"), []byte{4}, byte(9))
	f.Add([]byte("\r\n\n\r\rdata\n\n"), []byte{}, byte(1))
	f.Fuzz(func(t *testing.T, stream, sizes []byte, limit byte) {
		if bytes.Count(sizes, []byte{0}) > 20 {
			return // reads without progress end a stream on purpose
		}
		events, rest := reference(stream)
		for _, source := range []io.Reader{
			bytes.NewReader(stream),
			iotest.OneByteReader(bytes.NewReader(stream)),
			&splitReader{stream: stream, sizes: sizes},
			&splitReader{stream: stream, sizes: sizes, withEOF: true},
		} {
			got := relay(source, large)
			if errors.Is(got.Err, io.ErrNoProgress) {
				continue
			}
			if !reflect.DeepEqual(got.Events, events) {
				t.Errorf("events %+v, want %+v", got.Events, events)
			}
			if !bytes.Equal(append(got.Bytes, got.Rest...), stream) || !bytes.Equal(got.Rest, rest) {
				t.Errorf("relayed %q and left %q, want %q to be left", got.Bytes, got.Rest, rest)
			}
			if want := map[bool]error{true: io.EOF, false: io.ErrUnexpectedEOF}[len(rest) == 0]; !errors.Is(got.Err, want) {
				t.Errorf("ended with %v, want %v", got.Err, want)
			}
		}
		whole := relay(bytes.NewReader(stream), int(limit))
		split := relay(iotest.OneByteReader(bytes.NewReader(stream)), int(limit))
		if !bytes.Equal(whole.Bytes, split.Bytes) || !errors.Is(whole.Err, split.Err) {
			t.Errorf("with a limit of %d: %q and %v in one read, %q and %v byte by byte", limit, whole.Bytes, whole.Err, split.Bytes, split.Err)
		}
	})
}
