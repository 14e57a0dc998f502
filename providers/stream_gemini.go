package providers

import "github.com/ohmroute/ohmroute/sse"

// unspecified is the finish reason of an answer that goes on.
const unspecified = "FINISH_REASON_UNSPECIFIED"

// readGeminiChunk reads an event of a stream of Gemini's, which has the form of a whole answer and no last event.
func readGeminiChunk(ev sse.Event, e *event) {
	c := cursor{text: ev.Data}
	if c.peek() != '{' {
		e.undecodable, e.odd = true, true
		return
	}
	answers := false
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "candidates":
			answers = true
			for more := c.firstElement(); more; more = c.nextElement() {
				e.listed = true
				e.readStreamedCandidate(&c)
			}
		case "promptFeedback":
			answers = true
			e.readPromptFeedback(&c)
		case "error":
			e.readError(&c)
		case "usageMetadata":
			e.readGeminiUsage(&c)
		default:
			c.skip()
		}
	}
	e.undecodable = !c.end()
	e.odd = !answers && !e.counted || string(ev.Type) == "error"
}

// finishedAll is the end of all answers that a client asked for: Gemini is asked for one, and gives one.
const finishedAll = ^uint64(0)

// readStreamedCandidate reads what an event adds to the answer.
func (e *event) readStreamedCandidate(c *cursor) {
	e.readCandidate(c)
	if e.Finish == unspecified {
		e.Finish = ""
	}
	if e.Finish != "" {
		e.finished = finishedAll
	}
}

// readPromptFeedback finds out whether the question was blocked. That is the end: no finish reason follows.
func (e *event) readPromptFeedback(c *cursor) {
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		if string(key) == "blockReason" {
			if len(c.string()) > 0 {
				e.listed, e.Finish, e.finished = true, finishContentFilter, finishedAll
			}
			continue
		}
		c.skip()
	}
}
