package providers

import (
	"encoding/binary"
	"math/bits"
)

// cursor reads a JSON text once, front to back, checking all of it and allocating nothing. After the first fault it
// is spent: every method returns its zero value, and ok is false.
type cursor struct {
	text  []byte
	at    int
	bad   bool
	deep  bool // bad because of its nesting
	limit int  // of the nesting within a value that is skipped, 0: deepest
}

// deepest is the nesting from which on a text is taken for an attack.
const deepest = 10_000

// ok tells whether the text was JSON as far as it was read.
func (c *cursor) ok() bool { return !c.bad }

// end checks that only blanks follow.
func (c *cursor) end() bool {
	c.blanks()
	return !c.bad && c.at == len(c.text)
}

// peek returns the first byte of the next value, 0 at the end.
func (c *cursor) peek() byte {
	c.blanks()
	if c.bad || c.at >= len(c.text) {
		return 0
	}
	return c.text[c.at]
}

// firstKey enters an object and returns its first key, nil if it has none. A value that is no object is skipped.
func (c *cursor) firstKey() []byte {
	if c.peek() != '{' {
		c.skip()
		return nil
	}
	c.at++
	if c.peek() == '}' {
		c.at++
		return nil
	}
	return c.key()
}

// nextKey returns the object's next key, nil at its end. The value of the last key must have been read.
func (c *cursor) nextKey() []byte {
	switch c.peek() {
	case ',':
		c.at++
		return c.key()
	case '}':
		c.at++
	default:
		c.bad = true
	}
	return nil
}

func (c *cursor) key() []byte {
	if c.peek() != '"' {
		c.bad = true
		return nil
	}
	key := c.string()
	if c.peek() != ':' {
		c.bad = true
		return nil
	}
	c.at++
	return key
}

// firstElement enters an array and tells whether it has an element to read. A value that is no array is skipped.
func (c *cursor) firstElement() bool {
	if c.peek() != '[' {
		c.skip()
		return false
	}
	c.at++
	if c.peek() == ']' {
		c.at++
		return false
	}
	return !c.bad
}

// nextElement tells whether the array has another element. The last one must have been read.
func (c *cursor) nextElement() bool {
	switch c.peek() {
	case ',':
		c.at++
		return true
	case ']':
		c.at++
	default:
		c.bad = true
	}
	return false
}

// string returns what stands between the quotes of the next value, escapes unread; nil if it is no string. A value
// of another sort is skipped.
func (c *cursor) string() []byte {
	if c.peek() != '"' {
		c.skip()
		return nil
	}
	c.at++
	from := c.at
	for c.at < len(c.text) {
		switch b := c.text[c.at]; {
		case b == '"':
			c.at++
			return c.text[from : c.at-1 : c.at-1]
		case b == '\\':
			c.escape()
			if c.bad {
				return nil
			}
		case b < ' ':
			c.bad = true
			return nil
		default:
			c.at += plainBytes(c.text[c.at:])
		}
	}
	c.bad = true
	return nil
}

// plainBytes counts the bytes before the next quote, backslash or control character, eight at a time.
func plainBytes(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(b); n += 8 {
		word := binary.LittleEndian.Uint64(b[n:])
		quote, backslash := word^(ones*'"'), word^(ones*'\\')
		special := ((quote - ones) &^ quote) | ((backslash - ones) &^ backslash) | ((word - ones*' ') &^ word)
		if special &= highs; special != 0 {
			return n + bits.TrailingZeros64(special)/8
		}
	}
	for ; n < len(b) && b[n] != '"' && b[n] != '\\' && b[n] >= ' '; n++ {
	}
	return n
}

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

// int64 returns the next value if it is an integer in range, else 0. Any value is skipped.
func (c *cursor) int64() int64 {
	from := c.skipped()
	if len(from) == 0 || len(from) > 18 {
		return 0
	}
	n := int64(0)
	for _, b := range from {
		if b < '0' || b > '9' {
			return 0
		}
		n = n*10 + int64(b-'0')
	}
	return n
}

// skipped skips the next value and returns it.
func (c *cursor) skipped() []byte {
	c.blanks()
	from := c.at
	c.skip()
	if c.bad {
		return nil
	}
	return c.text[from:c.at]
}

func (c *cursor) blanks() {
	for c.at < len(c.text) && (c.text[c.at] == ' ' || c.text[c.at] == '\n' || c.text[c.at] == '\r' || c.text[c.at] == '\t') {
		c.at++
	}
}
