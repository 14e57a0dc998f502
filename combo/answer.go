package combo

import "github.com/ohmroute/ohmroute/providers"

// Answer is a request that was answered: the held bytes first, then the rest as it comes. One goroutine
// reads it; Close must be called, and may be called by another goroutine only after Next returned.
type Answer struct {
	Combo       string // what x-ohmroute-combo says
	Target      string // "provider/model"
	Attempts    []Attempt
	Status      int
	ContentType string
	UpstreamID  string
	Stream      bool // Next gives the events of a stream; false: the whole answer at once

	report Report
}

// Next gives the next bytes for the client, valid until the next call. io.EOF: the protocol's own end, settled
// as success. An *Error of kind truncated: the stream failed. An *Error of kind canceled: the client left.
func (a *Answer) Next() ([]byte, error) { return nil, &Error{Kind: providers.Local, Status: 500} }

// Close cancels what is under way, gives every slot back and settles what was not settled as no verdict.
// It is idempotent.
func (a *Answer) Close() {}

// Report is what the request log and the metrics need; complete after Close.
func (a *Answer) Report() Report { return a.report }
