package providers

import "net/http"

// answered is what a reader found in a whole answer.
type answered struct {
	Content
	usage   Usage
	counted bool // usage was sent
	failed  bool // an error member was

	lists   bool // the answer is judged by the list or the member it should hold, not by its content
	listed  bool // something stood in it
	lenient bool // any JSON object without an error will do
}

// judge returns an empty kind for a success.
func (a *answered) judge(preset string) Kind {
	if a.lenient {
		return ""
	}
	if !a.listed && (a.lists || a.Finish == "") {
		return Malformed
	}
	if a.lists {
		return ""
	}
	return a.Judge(preset)
}

// messagesOf say what was wrong with a 2xx answer.
var messagesOf = map[Kind]string{
	ContentPolicy: "the content policy refused the request",
	ModelFault:    "the model's answer was empty",
	ContextLength: "the context window was used up",
	Overloaded:    "the upstream ran out of resources",
	ServerError:   "the upstream failed while it answered",
	Malformed:     "the answer had no content",
}

// failure turns the verdict on a 2xx answer into a failure. A refusal and an empty answer carry the answer itself.
func (a *answered) failure(kind Kind, status int, h http.Header, body []byte, u *Usage) *Failure {
	f := &Failure{
		Kind: kind, Status: status, Message: messagesOf[kind], ContentType: h.Get("Content-Type"),
		UpstreamID: upstreamID(h), Usage: u,
	}
	switch {
	case kind == ContentPolicy:
		f.Code, f.Body = finishContentFilter, body
	case kind == ModelFault && a.BrokenCall:
		f.Message = "the model called a tool with arguments that are no JSON"
	case kind == ModelFault:
		f.Body = body
	}
	return f
}

// form is how an answer is written.
type form uint8

const (
	formOther form = iota
	formChat
	formResponse
	formMessage
	formGemini
	formList
	formSpeech
	formTranscript
	formCount
)

// forms says what endpoints answer with; those that aren't listed answer with anything.
var forms = map[Endpoint]form{
	Chat: formChat, Completions: formChat, Responses: formResponse, Messages: formMessage, GenerateContent: formGemini,
	Embeddings: formList, Moderations: formList, Images: formList, Rerank: formList,
	Speech: formSpeech, Transcriptions: formTranscript, CountTokens: formCount,
}

// read calls its readers by name, so that neither argument goes to the heap.
func (f form) read(c *cursor, a *answered) {
	switch f {
	case formChat:
		readChat(c, a)
	case formResponse:
		readResponse(c, a)
	case formMessage:
		readMessages(c, a)
	case formGemini:
		readGemini(c, a)
	case formList:
		readList(c, a)
	case formSpeech:
		readMember(c, a, "") // no JSON is a sound
	case formTranscript:
		readMember(c, a, "text")
	case formCount:
		readMember(c, a, "input_tokens")
	default:
		a.lenient = true
		readMember(c, a, "")
	}
}

// readError takes note of an error member that says something.
func (a *answered) readError(c *cursor) {
	switch c.peek() {
	case '{':
		key := c.firstKey()
		for ; key != nil; key = c.nextKey() {
			a.failed = true
			c.skip()
		}
	case '"':
		if len(c.string()) > 0 {
			a.failed = true
		}
	default:
		c.skip()
	}
}

// readList reads answers that are a list of results.
func readList(c *cursor, a *answered) {
	a.lists = true
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "data", "results", "embeddings", "embedding":
			if c.peek() == '{' {
				a.listed = true
				c.skip()
				continue
			}
			for more := c.firstElement(); more; more = c.nextElement() {
				a.listed = true
				c.skip()
			}
		case "error":
			a.readError(c)
		case "usage":
			a.readUsage(c)
		case "base_resp":
			a.readBaseResponse(c)
		default:
			c.skip()
		}
	}
}

// readMember reads answers of which one member has to be there; those of an empty name have none.
func readMember(c *cursor, a *answered, name string) {
	a.lists = true
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "error":
			a.readError(c)
		case "usage":
			a.readUsage(c)
		case "base_resp":
			a.readBaseResponse(c)
		default:
			a.listed = a.listed || name != "" && string(key) == name && c.peek() != 'n'
			c.skip()
		}
	}
}
