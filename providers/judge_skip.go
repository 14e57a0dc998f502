package providers

import "cmp"

// skip checks the next value, whatever it is, and goes behind it. Nesting costs a bit a level, no stack.
func (c *cursor) skip() {
	var nest nesting
	for !c.bad {
		switch c.peek() {
		case '{':
			c.at++
			c.bad = !c.enter(&nest, true)
			if c.peek() != '}' {
				c.bad = c.bad || c.key() == nil
				continue
			}
			c.at++
			nest.depth--
		case '[':
			c.at++
			c.bad = !c.enter(&nest, false)
			if c.peek() != ']' {
				continue
			}
			c.at++
			nest.depth--
		case '"':
			c.string()
		default:
			c.literal()
		}
		if c.leave(&nest) {
			return
		}
	}
}

// leave goes behind the value that was just read: to the next one of the objects and arrays around it, if there is
// one, else out of all of them, which it tells.
func (c *cursor) leave(nest *nesting) bool {
	for !c.bad && nest.depth > 0 {
		inObject := nest.inObject()
		switch b := c.peek(); {
		case b == ',':
			c.at++
			if inObject && c.key() == nil {
				c.bad = true
			}
			return false
		case b == '}' && inObject, b == ']' && !inObject:
			c.at++
			nest.depth--
		default:
			c.bad = true
		}
	}
	return true
}

// nesting remembers of each level whether it is an object. The first 64 levels need no memory of their own.
type nesting struct {
	depth int
	near  uint64
	far   []bool
}

func (c *cursor) enter(n *nesting, object bool) bool {
	if n.depth >= cmp.Or(c.limit, deepest) {
		c.deep = true
		return false
	}
	if n.depth < 64 {
		n.near &^= 1 << n.depth
		if object {
			n.near |= 1 << n.depth
		}
	} else {
		n.far = append(n.far[:n.depth-64], object)
	}
	n.depth++
	return true
}

func (n *nesting) inObject() bool {
	if n.depth <= 64 {
		return n.near>>(n.depth-1)&1 == 1
	}
	return n.far[n.depth-65]
}

// literal checks a number, true, false or null.
func (c *cursor) literal() {
	switch c.peek() {
	case 't':
		c.word("true")
	case 'f':
		c.word("false")
	case 'n':
		c.word("null")
	default:
		c.number()
	}
}

func (c *cursor) word(w string) {
	if len(c.text)-c.at < len(w) || string(c.text[c.at:c.at+len(w)]) != w {
		c.bad = true
		return
	}
	c.at += len(w)
}

func (c *cursor) number() {
	if c.here() == '-' {
		c.at++
	}
	if c.here() == '0' {
		c.at++
	} else {
		c.digits()
	}
	if c.here() == '.' {
		c.at++
		c.digits()
	}
	if c.here()|0x20 == 'e' {
		c.at++
		if c.here() == '+' || c.here() == '-' {
			c.at++
		}
		c.digits()
	}
}

// digits needs at least one.
func (c *cursor) digits() {
	from := c.at
	for c.here() >= '0' && c.here() <= '9' {
		c.at++
	}
	c.bad = c.bad || c.at == from
}

// here returns the byte at the cursor, 0 at the end.
func (c *cursor) here() byte {
	if c.at < len(c.text) {
		return c.text[c.at]
	}
	return 0
}
