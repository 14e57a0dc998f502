package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// parseJSON reads a whole JSON document. A document that is broken, nested too deeply or not UTF-8 is one problem
// without a path.
func parseJSON(body []byte) (node, []Problem) {
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return node{}, []Problem{{Message: "the document is empty; it must be a JSON object"}}
	case !utf8.Valid(body):
		return node{}, []Problem{{Message: "the document is not valid UTF-8"}}
	case jsonDepth(body) > maxDepth:
		return node{}, []Problem{{Message: errDepth.Error()}}
	}
	var whole json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return node{}, []Problem{{Message: explainJSON(body, err)}}
	}
	p := jsonParser{rest: whole}
	return p.value(), nil
}

var errDepth = fmt.Errorf("nested deeper than %d levels", maxDepth)

// jsonDepth is the deepest nesting of a document, also of one that is broken.
func jsonDepth(body []byte) int {
	depth, deepest, inText := 0, 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			inText = !inText
		case inText && c == '\\':
			i++
		case inText:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// explainJSON says where the document broke, by line and column, without quoting it: a secret may stand there.
func explainJSON(body []byte, err error) string {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return "broken JSON"
	}
	before := body[:min(max(syntax.Offset-1, 0), int64(len(body)))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("broken JSON at line %d, column %d: %s", line, column, syntax)
}

// jsonParser makes the tree of a document that is known to be valid.
type jsonParser struct{ rest []byte }

// next skips blanks and what separates values, and returns the first byte of what follows.
func (p *jsonParser) next() byte {
	p.rest = bytes.TrimLeft(p.rest, " \t\r\n,:")
	return p.rest[0]
}

func (p *jsonParser) value() node {
	switch p.next() {
	case '{':
		return p.object()
	case '[':
		return p.list()
	case '"':
		return node{form: formText, text: p.text()}
	}
	word := string(p.take(bytes.IndexAny(p.rest, " \t\r\n,:]}")))
	switch word {
	case "null":
		return node{}
	case "true", "false":
		return node{form: formFlag, text: word}
	default:
		return node{form: formNumber, text: word}
	}
}

func (p *jsonParser) object() node {
	n := node{form: formObject}
	for p.take(1); p.next() != '}'; {
		name := p.text()
		n.members = append(n.members, member{name, p.value()})
	}
	p.take(1)
	return n
}

func (p *jsonParser) list() node {
	n := node{form: formList}
	for p.take(1); p.next() != ']'; {
		n.items = append(n.items, p.value())
	}
	p.take(1)
	return n
}

// text reads a string; only one with an escape has to be decoded.
func (p *jsonParser) text() string {
	end := 1
	for escaped := false; ; end++ {
		switch p.rest[end] {
		case '\\':
			escaped = true
			end++
		case '"':
			raw := p.take(end + 1)
			if !escaped {
				return string(raw[1:end])
			}
			var text string
			_ = json.Unmarshal(raw, &text) // it is valid
			return text
		}
	}
}

// take cuts off n bytes, all that is left if n is less than 0.
func (p *jsonParser) take(n int) []byte {
	if n < 0 {
		n = len(p.rest)
	}
	taken := p.rest[:n]
	p.rest = p.rest[n:]
	return taken
}
