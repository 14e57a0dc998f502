package combo

import (
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// The outcomes of a request as a whole.
const (
	OutcomeOK          = "ok"          // answered to the protocol's end
	OutcomeFailed      = "failed"      // every attempt failed, or the answer was the client's own fault
	OutcomeTruncated   = "truncated"   // failed after the commit
	OutcomeUnavailable = "unavailable" // no attempt was possible
	OutcomeCanceled    = "canceled"    // the client left
	OutcomeRejected    = "rejected"    // refused before the walk
)

// Outcomes are all of them.
var Outcomes = []string{OutcomeOK, OutcomeFailed, OutcomeTruncated, OutcomeUnavailable, OutcomeCanceled, OutcomeRejected}

// Report is one request as the request log, metrics and request.finished show it: no text of prompt or answer.
type Report struct {
	RequestID, Endpoint string
	Combo               string // the combo's name, or "provider/model" of a direct route; empty: none
	Model               string // as the client named it: unbounded, never a metric's label
	Target              string // "provider/model" that answered or failed last
	Outcome             string
	Kind                providers.Kind
	Code                string // error.code; empty if there is none
	Status              int    // what the client was told; 499: it left
	Stream              bool
	Direct              bool // a direct route
	Listed              bool // Target is one that the configuration names (bounds a metric's label)
	Attempts            []Attempt

	Start      time.Time
	Queue      time.Duration // waited for slots, back-off and recovering breakers
	Connect    time.Duration // of a stream: from sending the last attempt to its head; 0: none came
	FirstToken time.Duration // from Start to the first meaningful event or the whole answer; 0: there was none
	Total      time.Duration // from Start to the end
	Upstream   time.Duration // attempts under way, a stream's until its end; the gateway's own part is Total - Upstream - Queue

	Usage        *providers.Usage // nil: the upstream sent none
	FinishReason string
	UpstreamID   string
}

// report is the walk as far as it has come.
func (w *walk) report(outcome string, status int) Report {
	r := Report{
		RequestID: w.req.RequestID, Endpoint: string(w.req.Endpoint), Combo: w.node.Name, Model: w.req.Model,
		Outcome: outcome, Status: status, Stream: w.req.Stream, Direct: w.node.direct, Attempts: w.attempts,
		Start: w.start, Connect: w.head, Queue: w.queued, Total: max(w.now.Sub(w.start), 0), Upstream: w.upstream,
		Usage: w.hold.usage, FinishReason: w.hold.finish,
	}
	for i := len(w.attempts) - 1; i >= 0; i-- {
		if a := &w.attempts[i]; a.Outcome != Skipped {
			r.Listed = a.Listed
			if a.FirstToken > 0 {
				r.FirstToken = a.Start.Add(a.FirstToken).Sub(w.start)
			}
			break
		}
	}
	if r.Usage == nil && w.last.failure != nil {
		r.Usage = w.last.failure.Usage
	}
	return r
}
