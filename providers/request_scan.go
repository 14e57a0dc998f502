package providers

import (
	"bytes"
	"encoding/json"
)

// deepestRequest is how many objects and arrays of a request may stand in one another.
const deepestRequest = 128

// span is a part of a request's body; an empty one is none.
type span [2]int

func (s span) of(body []byte) []byte { return body[s[0]:s[1]] }
func (s span) none() bool            { return s[0] == s[1] }

// places are where in the body routing and splicing look later.
type places struct {
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
	request       *Request
	model, stream bool // the member was there
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
	r := s.request
	switch string(key) {
	case "model":
		return s.modelMember()
	case "stream":
		return s.streamMember()
	case "stream_options":
		return s.optionsMember()
	case "max_tokens", "max_completion_tokens", "max_output_tokens":
		return s.maxTokensMember(key)
	case "messages":
		return s.messagesMember()
	case "input", "prompt":
		s.inputMember(string(key) == "input")
	case "tools", "functions":
		r.Tools = s.offered() || r.Tools
	case "user":
		r.at.user = s.value()
	case "prompt_cache_key":
		r.at.cacheKey = s.value()
	case "n":
		r.at.choices = int(s.int64())
	default:
		if len(key) <= len("ſtream") && (bytes.EqualFold(key, []byte("model")) || bytes.EqualFold(key, []byte("stream"))) {
			return badRequest("unknown_parameter", string(key), "Unrecognized parameter '%s': names are lower case.", key)
		}
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

func (s *requestScan) modelMember() error {
	if s.model {
		return duplicate("model")
	}
	s.model = true
	switch first := s.peek(); first {
	case '"':
		at := s.value()
		s.request.ModelAt = at
		if !at.none() {
			s.request.Model = text(at.of(s.text))
		}
	case 'n':
		s.request.ModelAt = s.value()
	default:
		s.skip()
		return s.wrong("model", "a string", first)
	}
	return nil
}

func (s *requestScan) streamMember() error {
	if s.stream {
		return duplicate("stream")
	}
	s.stream = true
	var err error
	s.request.Stream, err = s.boolean("stream")
	return err
}

func (s *requestScan) optionsMember() error {
	first := s.peek()
	from := s.at
	if first != '{' {
		s.skip()
		if first == 'n' {
			s.request.at.options = span{from, s.at}
			return nil
		}
		return s.wrong("stream_options", "an object", first)
	}
	s.limit--
	s.request.IncludeUsage = false
	for key := s.firstKey(); key != nil; key = s.nextKey() {
		if string(key) != "include_usage" {
			s.skip()
			continue
		}
		s.blanks()
		begin := s.at
		include, err := s.boolean("stream_options.include_usage")
		if err != nil {
			return err
		}
		s.request.IncludeUsage = include
		s.request.at.includeUsage = span{begin, s.at}
	}
	s.request.at.options = span{from, s.at}
	return nil
}

func (s *requestScan) maxTokensMember(name []byte) error {
	switch first := s.peek(); first {
	case '"', '{', '[', 't', 'f':
		s.skip()
		return s.wrong(string(name), "an integer", first)
	}
	s.request.MaxTokens = max(s.request.MaxTokens, int(min(s.int64(), 1<<31-1)))
	return nil
}

// offered tells whether the next value is an array with something in it.
func (s *requestScan) offered() bool {
	at := s.value()
	body := at.of(s.text)
	return len(body) > 2 && body[0] == '[' && len(bytes.TrimSpace(body[1:len(body)-1])) > 0
}

// boolean reads true or false; null stands for false, as it does for OpenAI.
func (s *requestScan) boolean(name string) (bool, error) {
	first := s.peek()
	s.skip()
	switch first {
	case 't':
		return true, nil
	case 'f', 'n':
		return false, nil
	}
	return false, s.wrong(name, "a boolean", first)
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
