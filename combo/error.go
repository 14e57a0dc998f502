package combo

import (
	"strconv"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// Error is the final answer of a walk that had none: everything that the client is told, in its dialect's
// envelope or, if Body is set, byte for byte as the upstream sent it (spec: routing.md "What the client is
// told when all failed").
type Error struct {
	// Kind is the deciding failure; empty when no attempt was possible or the request was refused, but context_length if
	// it fits no target.
	Kind   providers.Kind
	Status int // HTTP status; 499: the client left
	// AnthropicStatus is the status on the Anthropic side.
	AnthropicStatus int
	// Type, Code, Message and Param are the members of the OpenAI envelope; empty Param is null.
	Type, Code, Message, Param string

	RetryAfter  time.Duration // for the header, 1 s to 60 s; 0: none
	RetryAt     time.Time     // when it is really worth trying again; zero: unknown
	ShouldRetry *bool         // nil: no x-should-retry header
	Attempts    []Attempt

	Combo  string // what the request named, resolved; empty: nothing by that name
	Target string // "provider/model" of the deciding attempt; empty: none was made

	// Body and ContentType are the upstream's own answer, untouched, with Status its own too; nil: ours.
	Body        []byte
	ContentType string
	Dialect     string // whose form an error in Body has: anthropic, gemini; empty: OpenAI's
	UpstreamID  string // the upstream's request id

	Upstream      string // the upstream's own words, cleaned; empty: it sent none
	ContextWindow int    // tokens, if the upstream's wording named it
	report        Report
}

// Error names code, status and target; it holds no text of a client.
func (e *Error) Error() string {
	s := "combo: " + strconv.Itoa(e.Status) + " " + e.Code
	if e.Target != "" {
		s += " from " + e.Target
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// Report is what the request log and the metrics need.
func (e *Error) Report() Report { return e.report }
