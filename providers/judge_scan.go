package providers

// cursor reads a JSON text once, front to back, checking all of it and allocating nothing. After the first fault it
// is spent: bad is set, and every method returns its zero value.
type cursor struct {
	text  []byte
	at    int
	bad   bool
	deep  bool // bad because of its nesting
	limit int  // of the nesting within a value that is skipped, 0: deepest
	utf8  bool // strings that are no UTF-8 are a fault: encoding/json takes them, and most of those who read on don't
}

// deepest is the nesting from which on a text is taken for an attack.
const deepest = 10_000

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
	for c.at < len(c.text) && c.text[c.at] <= ' ' && isBlank(c.text[c.at]) {
		c.at++
	}
}

func isBlank(b byte) bool { return b == ' ' || b == '\n' || b == '\r' || b == '\t' }
