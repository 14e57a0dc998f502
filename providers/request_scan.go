package providers

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// deepestRequest is how many objects and arrays of a request may stand in one another.
const deepestRequest = 128

// span is a part of a request's body; an empty one is none.
type span [2]int

func (s span) of(body []byte) []byte { return body[s[0]:s[1]] }
func (s span) none() bool            { return s[0] == s[1] }

// places are where in the body routing and splicing look later.
type places struct {
	form         bool // the body is a form, not JSON
	encoded      bool // files are part of the input, encoded as text
	given        mark // members that are there and not null
	inside       int  // behind the brace that opens the body
	empty        bool // the body has no members
	options      span // value of stream_options
	includeUsage span // value of stream_options.include_usage
	user         span
	cacheKey     span // value of prompt_cache_key
	input        span // value of messages, input or prompt
	choices      int  // n, 0 if the client set none
}

// requestScan reads a request's body once. Members it doesn't know are checked as JSON and left alone.
type requestScan struct {
	cursor
	request *Request
	members map[string]member // that are looked at
	seen    mark
	spot    spot
	fault   error // the first one that was found in a list
}

// object reads the body. Its error is a *BadRequest or nil.
func (s *requestScan) object() error {
	if first := s.peek(); first != '{' {
		s.skip()
		if !s.end() {
			return s.broken()
		}
		return badRequest("invalid_type", "", "The request body must be a JSON object, but it is %s.", typeName(first))
	}
	s.request.at.inside = s.at + 1
	key := s.firstKey()
	s.request.at.empty = key == nil
	for ; key != nil; key = s.nextKey() {
		if err := s.member(key); err != nil {
			return err
		}
	}
	if !s.end() {
		return s.broken()
	}
	return nil
}

// broken tells why the body is no JSON or too deep.
func (s *requestScan) broken() error {
	if s.deep {
		return badRequest("invalid_json", "", "The request body is nested deeper than %d levels.", deepestRequest)
	}
	return badRequest("invalid_json", "", "The request body is not valid JSON: it breaks at byte %d.", min(s.at, len(s.text)))
}

func (s *requestScan) member(key []byte) error {
	if bytes.IndexByte(key, '\\') >= 0 {
		key = unescape(key)
	}
	s.limit = deepestRequest - 1
	m, known := s.members[string(key)]
	if !known {
		s.skip()
		return foreignCase(key)
	}
	if s.seen&m.mark != 0 {
		return duplicate(string(key))
	}
	s.seen |= m.mark
	first := s.peek()
	if !m.types.holds(first) {
		s.skip()
		return s.wrong(string(key), m.types.String(), first)
	}
	if first != 'n' {
		s.request.at.given |= m.mark
	}
	if m.elements != 0 && first == '[' {
		return s.list(string(key), m.elements)
	}
	return s.read(key)
}

// list reads a list whose elements are all of some types.
func (s *requestScan) list(name string, types jsonTypes) error {
	s.limit--
	n := 0
	for more := s.firstElement(); more; more = s.nextElement() {
		if first := s.peek(); first == 'n' || !types.holds(first) {
			s.skip()
			s.blame(types.String(), first, "%s[%d]", name, n)
		} else {
			s.skip()
		}
		n++
	}
	if name == "tools" || name == "functions" {
		s.request.Tools = n > 0 || s.request.Tools
	}
	return s.fault
}

// read takes over a member whose value is of the right type.
func (s *requestScan) read(key []byte) error {
	r := s.request
	switch string(key) {
	case "model":
		s.modelMember()
	case "stream":
		r.Stream = s.truth() || r.Stream
	case "stream_options":
		return s.optionsMember()
	case "max_tokens", "max_completion_tokens", "max_output_tokens":
		return s.limitMember(string(key))
	case "messages":
		s.inputMember("messages")
		return s.fault
	case "input":
		s.inputMember("input")
		return s.fault
	case "prompt":
		r.at.input = s.value()
	case "user":
		r.at.user = s.value()
	case "prompt_cache_key":
		r.at.cacheKey = s.value()
	case "n":
		r.at.choices = int(s.int64())
	case "stream_format": // of speech, which is streamed in events or as it sounds
		r.Stream = string(s.string()) == "sse" || r.Stream
	default:
		s.skip()
	}
	return nil
}

// value skips the next value and tells where it stands.
func (s *requestScan) value() span {
	s.blanks()
	from := s.at
	s.skip()
	if s.bad {
		return span{}
	}
	return span{from, s.at}
}

func (s *requestScan) modelMember() {
	at := s.value()
	s.request.ModelAt = at
	if quoted := at.of(s.text); len(quoted) > 0 && quoted[0] == '"' {
		s.request.Model = text(quoted)
	}
}

// limitMember reads how many tokens may come. What is below zero is a host's own way to say that there is no limit, which
// Anthropic's dialect doesn't have.
func (s *requestScan) limitMember(name string) error {
	raw := s.skipped()
	digits := cursor{text: raw}
	if n := digits.int64(); n > 0 {
		s.request.MaxTokens = max(s.request.MaxTokens, int(min(n, 1<<31-1)))
		return nil
	}
	if n, err := strconv.ParseFloat(string(raw), 64); err == nil && n != math.Trunc(n) {
		return badRequest("invalid_type", name, "Invalid type for '%s': expected an integer, but got a decimal number instead.", name)
	} else if err == nil && n < 0 && s.request.Endpoint == Messages {
		return badRequest("invalid_value", name, "Invalid value for '%s': expected 0 or more.", name)
	}
	return nil
}

func (s *requestScan) optionsMember() error {
	first := s.peek()
	from := s.at
	if first != '{' {
		s.skip()
		s.request.at.options = span{from, s.at}
		return nil
	}
	s.limit--
	s.request.IncludeUsage = false
	for key := s.firstKey(); key != nil; key = s.nextKey() {
		if string(key) != "include_usage" {
			s.skip()
			continue
		}
		first := s.peek()
		if !jsonBoolean.holds(first) {
			s.skip()
			return s.wrong("stream_options.include_usage", jsonBoolean.String(), first)
		}
		begin := s.at
		s.request.IncludeUsage = s.truth()
		s.request.at.includeUsage = span{begin, s.at}
	}
	s.request.at.options = span{from, s.at}
	return nil
}

// truth reads a boolean; null stands for false, as it does for OpenAI.
func (s *requestScan) truth() bool {
	first := s.peek()
	s.skip()
	return first == 't'
}

// wrong is the error of a value of a wrong type, unless what stands there is no value at all.
func (s *requestScan) wrong(name, want string, first byte) error {
	if s.bad {
		return nil
	}
	return wrongType(name, want, first)
}

func duplicate(name string) error {
	return badRequest("duplicate_parameter", name, "Parameter '%s' is there more than once.", name)
}

// text decodes a JSON string.
func text(quoted []byte) string {
	inner := quoted[1 : len(quoted)-1]
	for _, c := range inner {
		if c == '\\' || c >= 0x80 {
			var s string
			if json.Unmarshal(quoted, &s) != nil {
				return ""
			}
			return s
		}
	}
	return string(inner)
}

func unescape(inner []byte) []byte {
	quoted := append(append(append(make([]byte, 0, len(inner)+2), '"'), inner...), '"')
	return []byte(text(quoted))
}
