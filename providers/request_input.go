package providers

import (
	"bytes"
	"fmt"
)

// conversations are the endpoints whose messages, or input, are a conversation that every host reads in the same way.
var conversations = map[Endpoint]string{Chat: "messages", Messages: "messages", CountTokens: "messages", Responses: "input"}

// inputMember reads what the model is asked: a text, a list, or a conversation.
func (s *requestScan) inputMember(name string) {
	s.blanks()
	from := s.at
	s.messages(name, conversations[s.request.Endpoint] == name)
	s.request.at.input = span{from, s.at}
}

// spot is where in a conversation the scan is.
type spot struct {
	list    string // messages or input
	message int
	part    int
	strict  bool  // what is no conversation's is a fault
	chat    bool  // it is one of messages, whose members have one meaning
	output  bool  // what a tool gave is read, which may be anything
	fault   error // the first one in the parts of an item of input: it is none if the item is of a sort that hosts have of their own
}

// messages walks the messages of a conversation, looking for files among their parts. strict says that what is no
// message is a fault.
func (s *requestScan) messages(name string, strict bool) {
	if s.peek() != '[' {
		s.skip()
		return
	}
	s.spot = spot{list: name, strict: strict, chat: strict && name == "messages"}
	for more := s.firstElement(); more; more = s.nextElement() {
		s.limit = deepestRequest - 2
		if first := s.peek(); first != '{' {
			s.skip()
			if strict {
				s.blame("an object", first, "%s[%d]", name, s.spot.message)
			}
		} else {
			s.message()
		}
		s.spot.message++
	}
}

// message walks the members of one message.
func (s *requestScan) message() {
	at, spoken := &s.spot, false
	at.fault = nil
	var sort []byte
	for key := s.firstKey(); key != nil; key = s.nextKey() {
		s.limit = deepestRequest - 3
		first := s.peek()
		switch string(key) {
		case "content":
			if first == '[' {
				s.parts(4)
				continue
			}
			s.skip()
			if at.chat && !(jsonText | jsonList).holds(first) {
				s.blame("a string or an array", first, "%s[%d].content", at.list, at.message)
			}
		case "output": // of a tool, in Responses
			if first == '[' {
				at.output = true
				s.parts(4)
				at.output = false
				continue
			}
			s.skip()
		case "role", "type":
			value := s.string()
			if key[0] == 't' {
				sort = value
			}
			spoken = spoken || key[0] == 'r' && first != 'n'
			if at.strict && !jsonText.holds(first) {
				s.blame("a string", first, "%s[%d].%s", at.list, at.message, key)
			}
		case "tool_calls":
			s.calls()
		default:
			spoken = spoken || bytes.IndexByte(key, '\\') >= 0 // it may be the role
			s.skip()
		}
	}
	switch {
	case s.bad || s.fault != nil:
	case at.chat && !spoken:
		s.fault = missing(fmt.Sprintf("%s[%d].role", at.list, at.message))
	case len(sort) == 0 || string(sort) == "message":
		s.fault = at.fault
	}
}

// calls walks the calls of tools in a message of chat.
func (s *requestScan) calls() {
	at, first := &s.spot, s.peek()
	if !at.chat || s.request.Endpoint != Chat || first == 'n' {
		s.skip()
		return
	}
	if first != '[' {
		s.skip()
		s.blame("an array", first, "%s[%d].tool_calls", at.list, at.message)
		return
	}
	n := 0
	for more := s.firstElement(); more; more = s.nextElement() {
		s.limit = deepestRequest - 4
		first := s.peek()
		s.skip()
		if first != '{' {
			s.blame("an object", first, "%s[%d].tool_calls[%d]", at.list, at.message, n)
		}
		n++
	}
}

// blame notes the first fault in a list.
func (s *requestScan) blame(want string, got byte, format string, at ...any) {
	if s.fault == nil {
		s.fault = s.wrong(fmt.Sprintf(format, at...), want, got)
	}
}

// parts walks the parts of one message, which are a list on that level of the body, and those of a tool's result.
func (s *requestScan) parts(level int) {
	n := 0
	for more := s.firstElement(); more; more = s.nextElement() {
		s.limit = deepestRequest - level
		if level == 4 {
			s.spot.part = n
		}
		if first := s.peek(); first != '{' {
			s.skip()
			s.blamePart(level, n, "an object", first, "")
		} else {
			s.part(level, n)
		}
		n++
	}
}

// part walks the members of the part that is n-th in its list.
func (s *requestScan) part(level, n int) {
	for key := s.firstKey(); key != nil; key = s.nextKey() {
		s.limit = deepestRequest - level - 1
		first := s.peek()
		switch {
		case string(key) == "type":
			holds := fileParts[string(s.string())]
			s.request.Vision = s.request.Vision || holds == aPicture
			s.request.at.encoded = s.request.at.encoded || holds != noFile
			if !jsonText.holds(first) {
				s.blamePart(level, n, "a string", first, ".type")
			}
		case string(key) == "content" && level == 4 && first == '[':
			s.parts(level + 2)
		default:
			s.skip()
		}
	}
}

// blamePart notes a fault in a part of a message.
func (s *requestScan) blamePart(level, n int, want string, got byte, member string) {
	at := &s.spot
	if !at.strict || at.output || at.fault != nil {
		return
	}
	name := fmt.Sprintf("%s[%d].content[%d]%s", at.list, at.message, n, member)
	if level != 4 {
		name = fmt.Sprintf("%s[%d].content[%d].content[%d]%s", at.list, at.message, at.part, n, member)
	}
	at.fault = s.wrong(name, want, got)
	if at.chat && s.fault == nil {
		s.fault = at.fault
	}
}

// fileParts are the types of parts that hold a file, in all dialects.
var fileParts = map[string]fileSort{
	"image_url": aPicture, "input_image": aPicture, "image": aPicture,
	"document": aFile, "file": aFile, "input_file": aFile, "input_audio": aFile, "video_url": aFile, "input_video": aFile,
}

type fileSort uint8

const (
	noFile fileSort = iota
	aPicture
	aFile // whether a model can read it, the model's host knows
)

// Session is what keeps a conversation with one target: the session header, else the user or prompt_cache_key
// member, else the first user message; empty if there is none of these (spec: routing.md 1). It reads the body.
func (r *Request) Session() string {
	if r.SessionHeader != "" {
		return r.SessionHeader
	}
	for _, at := range []span{r.at.user, r.at.cacheKey} {
		if raw := at.of(r.Body); len(raw) > 2 && raw[0] == '"' {
			return text(raw)
		}
	}
	return r.firstUserMessage()
}

// firstUserMessage is the content of the first message of the user, as it stands in the body.
func (r *Request) firstUserMessage() string {
	input := r.at.input.of(r.Body)
	if len(input) == 0 || input[0] != '[' {
		return string(input)
	}
	c := cursor{text: input}
	for more := c.firstElement(); more; more = c.nextElement() {
		var role, content []byte
		if c.peek() != '{' {
			return string(input)
		}
		for key := c.firstKey(); key != nil; key = c.nextKey() {
			switch string(key) {
			case "role":
				role = c.string()
			case "content":
				content = c.skipped()
			default:
				c.skip()
			}
		}
		if string(role) == "user" && len(content) > 0 {
			return string(content)
		}
	}
	return ""
}

// bytesPerToken is on the high side of what tokenizers give for text, so that the estimate is on the low side.
const (
	bytesPerToken = 4
	tokensPerFile = 800
)

// EstimatedTokens guesses how many tokens the input takes, rather too few than too many. It reads the body only if
// there are files in it.
func (r *Request) EstimatedTokens() int {
	switch {
	case r.at.form:
		return 0 // it is sound
	case !r.at.encoded:
		return len(r.Body) / bytesPerToken
	}
	files, length := encodedFiles(r.at.input.of(r.Body))
	return (len(r.Body)-length)/bytesPerToken + files*tokensPerFile
}

// fileMarks announce an encoded file, in all dialects: what follows up to the quote is the file.
var fileMarks = [...][]byte{[]byte(`;base64,`), []byte(`"data":"`), []byte(`"data": "`), []byte(`"file_data":"`), []byte(`"file_data": "`)}

// encodedFiles counts the files in a text and the bytes that they take, in one pass.
func encodedFiles(b []byte) (files, length int) {
	var next [len(fileMarks)]int // where each mark stands next, len(b) if it doesn't
	for i := range next {
		next[i] = -1
	}
	for at := 0; ; {
		first, mark := len(b), 0
		for i, text := range fileMarks {
			if next[i] < at {
				if next[i] = bytes.Index(b[at:], text); next[i] < 0 {
					next[i] = len(b)
				} else {
					next[i] += at
				}
			}
			if next[i] < first {
				first, mark = next[i], i
			}
		}
		if first == len(b) {
			return files, length
		}
		at = first + len(fileMarks[mark])
		n := max(bytes.IndexByte(b[at:], '"'), 0)
		files, length, at = files+1, length+n, at+n
	}
}
