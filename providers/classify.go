package providers

import (
	"net/http"
	"time"
)

// Signal is everything the classifier looks at. Either Err is set, or Status and what came with it.
type Signal struct {
	Dialect string // the provider's kind: openai, anthropic, gemini, azure, demo
	Preset  string // empty: none

	Status int
	Header http.Header
	Body   []byte // the whole answer, or the data of one stream event
	// Event says that Body is the data of a stream event of type EventType (empty: none was named).
	Event     bool
	EventType string

	Err       error // of the transport
	Cause     error // context.Cause of the attempt, if its context ended
	Committed bool  // bytes went out to the client: what fails now is truncated
	Finished  bool  // a finish reason was seen: the answer is whole, and an error event after it is dropped

	Now time.Time
}

// Classify decides the kind of a failed attempt (spec: failures.md 2 and 3). It is pure, and doesn't panic on any
// bytes. It returns nil for what is no failure: a 2xx answer without an error object, an event that isn't an error,
// anything after the finish. A 2xx answer's content is judged by [JudgePlain].
func Classify(s Signal) *Failure { return nil }
