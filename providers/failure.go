package providers

import (
	"strconv"
	"time"
)

// Failure is the one classified error of an attempt. It is not changed once made. Message, Type, Code and Param
// are what the upstream said, cleaned: valid UTF-8, one line, bounded, without keys and internal addresses.
type Failure struct {
	Kind   Kind
	Status int           // the upstream's HTTP status; 0: no answer came. An error under 200 keeps its 200
	Hint   time.Duration // how long the upstream asks to be left alone, unclamped; 0: it doesn't say
	Next   bool          // another target may do better, although the kind's rule ends the walk

	Message, Type, Code, Param string

	// Body is the upstream's answer, untouched, to be passed on as it came under Status: an error answer of a kind whose
	// rule says AsIs, or a 2xx answer that is a refusal (content_policy) or empty (model_fault). ContentType is its own.
	// Nil: there is nothing to pass on. Body shares the memory given to Classify or JudgePlain. A 2xx answer that a
	// provider hands out has the form that was asked for: Stream says which.
	Body        []byte
	ContentType string
	Stream      bool   // Body holds the events of a stream
	Dialect     string // whose form an error in Body has: anthropic, gemini; empty: OpenAI's

	ContextWindow int    // tokens, if the wording of a context_length names it
	UpstreamID    string // the upstream's request id
	Usage         *Usage // what a refused or empty answer under 200 cost; nil: unknown

	Err error // the transport error, if that is what failed
}

// Error names kind, status and the cleaned message; it never holds a key or an address.
func (f *Failure) Error() string {
	s := string(f.Kind)
	if f.Status != 0 {
		s += " " + strconv.Itoa(f.Status)
	}
	if f.Message != "" {
		s += ": " + f.Message
	}
	return s
}

// Unwrap returns the transport error. Its text is not cleaned: it is for errors.Is and errors.As, not for logs.
func (f *Failure) Unwrap() error { return f.Err }
