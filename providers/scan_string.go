package providers

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// shortString is how far a string is read byte by byte. Most are names and end before; longer ones are searched with
// the machine's own search, which costs more to start.
const shortString = 16

// string returns what stands between the quotes of the next value, escapes unread; nil if it is no string. A value
// of another sort is skipped.
func (c *cursor) string() []byte {
	if c.peek() != '"' {
		c.skip()
		return nil
	}
	c.at++
	from := c.at
	for near := min(from+shortString, len(c.text)); c.at < near; c.at++ {
		switch b := c.text[c.at]; {
		case b == '"':
			c.at++
			return c.text[from : c.at-1 : c.at-1]
		case b == '\\':
			return c.longString(from)
		case b < ' ':
			c.bad = true
			return nil
		case b >= utf8.RuneSelf && c.utf8:
			return c.longString(from)
		}
	}
	return c.longString(from)
}

// longString reads on in a string that began at from. Every byte is looked at once for each of three questions: is
// it a quote, a backslash, a control character or beyond ASCII?
func (c *cursor) longString(from int) []byte {
	for {
		quote := bytes.IndexByte(c.text[min(c.at, len(c.text)):], '"')
		if quote < 0 {
			c.bad = true
			return nil
		}
		if quote += c.at; c.escapes(quote) {
			break
		}
		if c.bad {
			return nil
		}
	}
	inner := c.text[from:c.at:c.at]
	c.at++
	if rest := inner[plainPrefix(inner):]; len(rest) > 0 && (hasControl(rest) || c.utf8 && !utf8.Valid(rest)) {
		c.bad = true
		return nil
	}
	return inner
}

// escapes goes through the escapes before a quote and tells whether the quote is the string's end.
func (c *cursor) escapes(quote int) bool {
	for c.at <= quote {
		i := bytes.IndexByte(c.text[c.at:quote], '\\')
		if i < 0 {
			c.at = quote
			return true
		}
		c.at += i
		if c.escape(); c.bad {
			return false
		}
	}
	return false
}

// escape checks one escape sequence.
func (c *cursor) escape() {
	if c.at+1 >= len(c.text) {
		c.bad = true
		return
	}
	switch c.text[c.at+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		c.at += 2
	case 'u':
		c.bad = c.at+6 > len(c.text)
		for i := c.at + 2; !c.bad && i < c.at+6; i++ {
			c.bad = !isHex(c.text[i])
		}
		c.at += 6
	default:
		c.bad = true
	}
}

func isHex(b byte) bool {
	return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'f'
}

// highs are the highest bits of eight bytes.
const highs = 0x8080808080808080

// plainPrefix is a length up to which b has neither control characters nor bytes beyond ASCII, 64 bytes at a time: all
// of it, or what stands before the piece where it has.
func plainPrefix(b []byte) int {
	at := 0
	for ; len(b)-at >= 64; at += 64 {
		if (outside(b[at:at+32:at+32])|outside(b[at+32:at+64:at+64]))&highs != 0 {
			return at
		}
	}
	for i := at; i < len(b); i++ {
		if b[i] < ' ' || b[i] >= utf8.RuneSelf {
			return at
		}
	}
	return len(b)
}

// hasControl tells whether b holds a byte below a blank, 64 bytes at a time.
func hasControl(b []byte) bool {
	for len(b) >= 64 {
		if (below(b[:32:32])|below(b[32:64:64]))&highs != 0 {
			return true
		}
		b = b[64:]
	}
	for _, c := range b {
		if c < ' ' {
			return true
		}
	}
	return false
}

const eightBlanks = 0x2020202020202020

// outside sets the highest bit of one of its bytes if one of the 32 is below a blank or beyond ASCII.
func outside(b []byte) uint64 {
	w0, w1 := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	w2, w3 := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
	return (w0 - eightBlanks) | w0 | (w1 - eightBlanks) | w1 | (w2 - eightBlanks) | w2 | (w3 - eightBlanks) | w3
}

// below sets the highest bit of one of its bytes if one of the 32 is below a blank: subtracting a blank sets it in
// those, and in none that is below 0x80.
func below(b []byte) uint64 {
	w0, w1 := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	w2, w3 := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
	return (w0-eightBlanks)&^w0 | (w1-eightBlanks)&^w1 | (w2-eightBlanks)&^w2 | (w3-eightBlanks)&^w3
}
