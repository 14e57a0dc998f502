package providers

import "bytes"

// messagesMember reads a conversation.
func (s *requestScan) messagesMember() error {
	if first := s.peek(); first != '[' {
		s.skip()
		return s.wrong("messages", "an array of objects", first)
	}
	s.inputMember(true)
	return nil
}

// inputMember reads what the model is asked: a text, a list, or, in some endpoints, a conversation.
func (s *requestScan) inputMember(conversation bool) {
	s.blanks()
	from := s.at
	if conversation {
		s.messages()
	} else {
		s.skip()
	}
	s.request.at.input = span{from, s.at}
}

// messages walks the messages of a conversation, looking for images among their parts.
func (s *requestScan) messages() {
	if s.peek() != '[' {
		s.skip()
		return
	}
	for more := s.firstElement(); more; more = s.nextElement() {
		s.limit = deepestRequest - 2
		if s.peek() != '{' {
			s.skip()
			continue
		}
		for key := s.firstKey(); key != nil; key = s.nextKey() {
			s.limit = deepestRequest - 3
			if s.peek() == '[' && string(key) == "content" {
				s.parts()
			} else {
				s.skip()
			}
		}
	}
}

// parts walks the parts of one message.
func (s *requestScan) parts() {
	for more := s.firstElement(); more; more = s.nextElement() {
		s.limit = deepestRequest - 4
		if s.peek() != '{' {
			s.skip()
			continue
		}
		for key := s.firstKey(); key != nil; key = s.nextKey() {
			s.limit = deepestRequest - 5
			if string(key) == "type" && imageParts[string(s.string())] {
				s.request.Vision = true
			} else if string(key) != "type" {
				s.skip()
			}
		}
	}
}

// imageParts are the types of parts that hold a picture, in all dialects.
var imageParts = map[string]bool{"image_url": true, "input_image": true, "image": true}

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
	bytesPerToken  = 4
	tokensPerImage = 800
)

// EstimatedTokens guesses how many tokens the input takes, rather too few than too many. It reads the body only if
// there are images in it.
func (r *Request) EstimatedTokens() int {
	if !r.Vision {
		return len(r.Body) / bytesPerToken
	}
	images, encoded := 0, 0
	rest := r.at.input.of(r.Body)
	for {
		mark, at := nextImage(rest)
		if at < 0 {
			break
		}
		rest = rest[at+mark:]
		length := max(bytes.IndexByte(rest, '"'), 0)
		images, encoded = images+1, encoded+length
		rest = rest[length:]
	}
	return (len(r.Body)-encoded)/bytesPerToken + images*tokensPerImage
}

// nextImage finds where the next encoded picture is announced, in any dialect, and how long the announcement is.
func nextImage(b []byte) (length, at int) {
	at = -1
	for _, mark := range []string{";base64,", `"data":"`} {
		if i := bytes.Index(b, []byte(mark)); i >= 0 && (at < 0 || i < at) {
			length, at = len(mark), i
		}
	}
	return length, at
}
