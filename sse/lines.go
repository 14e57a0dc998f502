package sse

import "bytes"

const bom = "\xEF\xBB\xBF"

func hasBOM(b []byte) bool { return len(b) >= len(bom) && string(b[:len(bom)]) == bom }

// TrimBOM removes the byte order mark that may open the first block of a stream; only there it is one.
func TrimBOM(block []byte) []byte {
	if hasBOM(block) {
		return block[len(bom):]
	}
	return block
}

// lastEnd returns the index behind the last blank line of buf that ends at or behind from, -1 if there is none.
// A line starts at first.
func lastEnd(buf []byte, first, from int) int {
	for i := len(buf) - 1; i >= max(from, first); i-- {
		c := buf[i]
		if c > '\r' || (c != '\n' && c != '\r') {
			continue
		}
		line := i
		if c == '\n' && i > first && buf[i-1] == '\r' {
			line-- // one line end of two bytes
		}
		if line == first || buf[line-1] == '\n' || buf[line-1] == '\r' {
			return i + 1
		}
	}
	return -1
}

// firstEnd returns the index behind the first blank line of buf, len(buf) if there is none.
func firstEnd(buf []byte) int {
	l := newLines(buf)
	for {
		line, whole := l.next()
		if !whole {
			return len(buf)
		}
		if len(line) == 0 {
			return l.at
		}
	}
}

// lines walks the lines of a block in linear time, whatever ends they have.
type lines struct {
	buf []byte
	at  int // start of the next line
	lf  int // the first LF at or behind at, len(buf) if there is none
	cr  int // the first CR likewise
}

func newLines(buf []byte) lines {
	return lines{buf: buf, lf: indexFrom(buf, 0, '\n'), cr: indexFrom(buf, 0, '\r')}
}

// next returns the next line without its end; whole is false if no line end follows.
func (l *lines) next() (line []byte, whole bool) {
	start, end := l.at, min(l.lf, l.cr)
	if end == len(l.buf) {
		return nil, false
	}
	l.at = end + 1
	if l.cr+1 == l.lf && l.lf < len(l.buf) {
		l.at++
	}
	if l.lf < l.at {
		l.lf = indexFrom(l.buf, l.at, '\n')
	}
	if l.cr < l.at {
		l.cr = indexFrom(l.buf, l.at, '\r')
	}
	return l.buf[start:end], true
}

// dataOnly takes a whole event that is one data line and ends in two LFs: what nearly every event is.
func (l *lines) dataOnly() (data []byte, ok bool) {
	start, end := l.at, l.lf
	if end+1 >= len(l.buf) || l.buf[end+1] != '\n' || l.cr < end || end-start < 5 || string(l.buf[start:start+5]) != "data:" {
		return nil, false
	}
	if start += 5; l.buf[start] == ' ' {
		start++
	}
	l.at = end + 2
	l.lf = indexFrom(l.buf, l.at, '\n')
	return l.buf[start:end], true
}

func indexFrom(buf []byte, from int, c byte) int {
	if i := bytes.IndexByte(buf[from:], c); i >= 0 {
		return from + i
	}
	return len(buf)
}
