package providers

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"
)

// Bounds of a form.
const (
	longestPartHeader = 8 << 10
	mostFormParts     = 1000
	longestBoundary   = 70 // RFC 2046, 5.1.1
)

// ParseForm finds in a form (multipart/form-data, RFC 7578) what routing asks about, without decoding the rest. Its
// error is always a [*BadRequest]. The request keeps body. What two readers could understand in two ways is refused:
// the target must not read another model than the gateway did.
func ParseForm(e Endpoint, contentType string, body []byte) (*Request, error) {
	boundary, err := boundaryOf(contentType)
	if err != nil {
		return nil, err
	}
	r := &Request{Endpoint: e, ContentType: contentType, Body: body}
	r.at.form = true
	s := formScan{text: body, delimiter: []byte("\r\n--" + boundary), request: r}
	if err := s.form(); err != nil {
		return nil, err
	}
	if r.Model == "" && !modelOptional[e] {
		return nil, missing("model")
	}
	return r, nil
}

// boundaryOf reads the boundary that a form's content type names.
func boundaryOf(contentType string) (string, error) {
	kind, params, err := mime.ParseMediaType(contentType)
	boundary := params["boundary"]
	switch {
	case kind != "multipart/form-data":
		return "", badForm("The request body must be a form, of content type multipart/form-data.")
	case err != nil, strings.Contains(strings.ToLower(contentType), "boundary*"):
		return "", badForm("The content type of the form can't be read.")
	case boundary == "":
		return "", badForm("The content type of the form names no boundary.")
	case len(boundary) > longestBoundary || !isBoundary(boundary):
		return "", badForm("The boundary of the form is not one of RFC 2046.")
	}
	return boundary, nil
}

// isBoundary checks the characters of a boundary (RFC 2046, 5.1.1).
func isBoundary(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if !letter && strings.IndexByte("'()+_,-./:=? ", c) < 0 {
			return false
		}
	}
	return s[len(s)-1] != ' '
}

func badForm(format string, args ...any) *BadRequest {
	return badRequest("invalid_form", "", format, args...)
}

// formScan goes through the parts of a form once.
type formScan struct {
	text      []byte
	at        int
	delimiter []byte // what stands between two parts, with its line end in front
	request   *Request
	seen      mark
}

// form reads all parts.
func (s *formScan) form() error {
	s.at = len(s.delimiter)
	switch first := s.delimiter[len("\r\n"):]; {
	case bytes.HasPrefix(s.text, first):
		s.at -= len("\r\n")
	case !bytes.HasPrefix(s.text, s.delimiter):
		return badForm("The form doesn't begin with its boundary.")
	}
	for range mostFormParts {
		rest := s.text[s.at:]
		if end, ok := bytes.CutPrefix(rest, []byte("--")); ok {
			if len(bytes.ReplaceAll(end, []byte("\r\n"), nil)) > 0 {
				return badForm("Something follows the end of the form.")
			}
			return nil
		}
		if !bytes.HasPrefix(rest, []byte("\r\n")) {
			return badForm("A line of the form begins with the boundary and goes on.")
		}
		if err := s.part(); err != nil {
			return err
		}
	}
	return badForm("The form has more than %d parts.", mostFormParts)
}

// part reads the part whose delimiter ends at the cursor, up to behind the next delimiter.
func (s *formScan) part() error {
	from := s.at + len("\r\n")
	header, _, ok := bytes.Cut(s.text[from:min(len(s.text), from+longestPartHeader)], []byte("\r\n\r\n"))
	if !ok {
		return badForm("The header of a part of the form is longer than %d bytes or has no end.", longestPartHeader)
	}
	from += len(header) + len("\r\n\r\n")
	length := bytes.Index(s.text[from:], s.delimiter[len("\r"):]) - len("\r")
	switch {
	case length < -1:
		return badForm("The form has no end.")
	case s.text[from+length] != '\r': // some readers would end the part here, and some not
		return badForm("A line of the form that is a boundary doesn't stand behind CR and LF.")
	}
	dash := s.delimiter[len("\r\n"):]
	if bytes.HasPrefix(header, dash) || bytes.Contains(header, s.delimiter) || bytes.HasPrefix(s.text[from:], dash) {
		return badForm("A part of the form ends within its header.")
	}
	field, err := readPartHeader(string(header))
	if err != nil {
		return err
	}
	s.at = from + length + len(s.delimiter)
	return s.value(field, span{from, from + length})
}

// value takes over the value of a field that routing asks about.
func (s *formScan) value(f formField, at span) error {
	r := s.request
	switch f.name {
	case "model":
		if err := s.once(f, markModel); err != nil {
			return err
		}
		value := at.of(s.text)
		if !utf8.Valid(value) || bytes.ContainsFunc(value, isControl) ||
			bytes.Contains(value, s.delimiter[len("\r\n"):]) {
			return badRequest("invalid_value", "model", "The name of the model has characters that no name has.")
		}
		r.Model, r.ModelAt = string(value), at
	case "stream":
		if err := s.once(f, markStream); err != nil {
			return err
		}
		switch value := string(at.of(s.text)); value {
		case "true", "True":
			r.Stream = true
		case "false", "False", "":
		default:
			return badRequest("invalid_type", "stream", "Invalid type for 'stream': expected true or false.")
		}
	case "file", "url":
		r.at.given |= markFile
	default:
		return foreignCase([]byte(f.name))
	}
	return nil
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }

// once refuses a field that is there twice, or is no plain text to every reader.
func (s *formScan) once(f formField, m mark) error {
	if s.seen&m != 0 {
		return duplicate(f.name)
	}
	s.seen |= m
	if f.file || f.coded {
		return badRequest("invalid_type", f.name, "Invalid type for '%s': expected plain text, but got a file or a coded part.", f.name)
	}
	return nil
}
