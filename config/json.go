package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// parseJSON reads a whole JSON document. A document that is broken, nested too deeply or not UTF-8 is one problem
// without a path.
func parseJSON(body []byte) (node, []Problem) {
	if len(bytes.TrimSpace(body)) == 0 {
		return node{}, []Problem{{Message: "the document is empty; it must be a JSON object"}}
	}
	if !utf8.Valid(body) {
		return node{}, []Problem{{Message: "the document is not valid UTF-8"}}
	}
	p := jsonParser{decoder: json.NewDecoder(bytes.NewReader(body)), body: body}
	p.decoder.UseNumber()
	root, err := p.value(0)
	if err == nil {
		if _, more := p.decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the document")
		}
	}
	if err != nil {
		return node{}, []Problem{{Message: p.explain(err)}}
	}
	return root, nil
}

type jsonParser struct {
	decoder *json.Decoder
	body    []byte
}

var errDepth = fmt.Errorf("nested deeper than %d levels", maxDepth)

func (p *jsonParser) value(depth int) (node, error) {
	token, err := p.decoder.Token()
	if err != nil {
		return node{}, err
	}
	switch t := token.(type) {
	case json.Delim:
		if depth == maxDepth {
			return node{}, errDepth
		}
		if t == '{' {
			return p.object(depth + 1)
		}
		return p.list(depth + 1)
	case string:
		return node{form: formText, text: t}, nil
	case json.Number:
		return node{form: formNumber, text: t.String()}, nil
	case bool:
		return node{form: formFlag, text: strconv.FormatBool(t)}, nil
	default:
		return node{}, nil
	}
}

func (p *jsonParser) object(depth int) (node, error) {
	n := node{form: formObject}
	for p.decoder.More() {
		name, err := p.decoder.Token()
		if err != nil {
			return node{}, err
		}
		value, err := p.value(depth)
		if err != nil {
			return node{}, err
		}
		text, _ := name.(string)
		n.members = append(n.members, member{text, value})
	}
	_, err := p.decoder.Token()
	return n, err
}

func (p *jsonParser) list(depth int) (node, error) {
	n := node{form: formList}
	for p.decoder.More() {
		value, err := p.value(depth)
		if err != nil {
			return node{}, err
		}
		n.items = append(n.items, value)
	}
	_, err := p.decoder.Token()
	return n, err
}

// explain says where the document broke, by line and column, without quoting it: a secret may stand there.
func (p *jsonParser) explain(err error) string {
	offset := p.decoder.InputOffset()
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && syntax.Offset > 0 {
		offset = max(offset, syntax.Offset-1)
	}
	before := p.body[:min(int(offset), len(p.body))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Sprintf("broken JSON: it ends too early, at line %d, column %d", line, column)
	}
	if errors.Is(err, errDepth) {
		return err.Error()
	}
	return fmt.Sprintf("broken JSON at line %d, column %d: %s", line, column, err)
}
