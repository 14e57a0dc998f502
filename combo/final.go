package combo

import (
	"cmp"
	"strconv"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// The client's statuses that no failure kind decides.
const (
	statusNotFound    = 404
	statusBadRequest  = 400
	statusUnavailable = 503
)

// Retry-After towards clients: above a minute some ignore it and hammer, others sleep it out (spec: clients.md).
const (
	minRetryAfter = time.Second
	maxRetryAfter = time.Minute
)

// fail says what the client is told of a walk without an answer (spec: routing.md "What the client is told").
func (w *walk) fail() *Error {
	w.noteUnreached(w.node, 1)
	var e *Error
	outcome := OutcomeFailed
	switch {
	case w.ending == byClient:
		e, outcome = w.errorOf(providers.Canceled, "the client left"), OutcomeCanceled
	case w.ending == byDeadline:
		e = w.errorOf(providers.Timeout, "no target answered within the time that the combo allows")
		e.ShouldRetry, e.RetryAfter = new(false), minRetryAfter
	case w.last.failure == nil && w.fitsNobody():
		e = w.tooLong()
	case w.last.failure == nil:
		e, outcome = w.unavailable(), OutcomeUnavailable
	default:
		e = w.failedLast()
	}
	e.Combo, e.Attempts = w.node.Name, w.attempts
	for i := len(w.attempts) - 1; i >= 0 && e.Target == ""; i-- {
		if a := &w.attempts[i]; a.Outcome != Skipped {
			e.Target = a.Provider + "/" + a.Model
		}
	}
	e.report = w.report(outcome, e.Status)
	e.report.Kind, e.report.Code, e.report.Target, e.report.UpstreamID = e.Kind, e.Code, e.Target, e.UpstreamID
	return e
}

// errorOf is the answer of a kind that no upstream was the cause of.
func (w *walk) errorOf(kind providers.Kind, message string) *Error {
	rule, _ := providers.RuleOf(kind)
	return &Error{
		Kind: kind, Status: rule.Client.Status, AnthropicStatus: rule.Client.AnthropicStatus,
		Type: rule.Client.Type, Code: rule.Client.Code, Message: message,
	}
}

// unavailable is the answer when no attempt was possible.
func (w *walk) unavailable() *Error {
	e := &Error{
		Status: statusUnavailable, AnthropicStatus: statusUnavailable, Type: providers.ErrorType(statusUnavailable),
		Code: "all_targets_unavailable", Message: "no target of " + strconv.Quote(w.node.Name) + " can be asked now",
		RetryAfter: maxRetryAfter, ShouldRetry: new(false),
	}
	if c := w.soonest((*candidate).recovers); c != nil {
		e.retryAt(c.retryAt, w.now)
	}
	return e
}

// fitsNobody tells whether every candidate was passed over because the request is too long for it.
func (w *walk) fitsNobody() bool {
	for i := range w.candidates {
		if w.candidates[i].skip != SkipContextWindow {
			return false
		}
	}
	return len(w.candidates) > 0
}

// tooLong is the answer to a request that no declared window holds: what an upstream would say, and what makes agents
// compact (spec: clients.md "Codes are an API").
func (w *walk) tooLong() *Error {
	window := 0
	for i := range w.candidates {
		window = max(window, w.candidates[i].leg.model.ContextWindow)
	}
	e := w.errorOf(providers.ContextLength, tooLong(window, ""))
	e.Param, e.ContextWindow = "messages", window
	return e
}

// failedLast is the answer when attempts were made: the last upstream failure decides.
func (w *walk) failedLast() *Error {
	f, client := w.last.failure, &w.last.rule.Client
	e := &Error{
		Kind: f.Kind, Status: client.Status, AnthropicStatus: client.AnthropicStatus, Type: client.Type, Code: client.Code,
		Target: w.last.leg.name, UpstreamID: f.UpstreamID, Param: f.Param,
		Upstream: f.Message, ContextWindow: f.ContextWindow,
	}
	if client.AsIs && isFinal(f.Status) && f.Body != nil {
		e.Status, e.AnthropicStatus, e.Body, e.ContentType, e.Dialect = f.Status, f.Status, f.Body, f.ContentType, f.Dialect
		e.Type, e.Code, e.Message = cmp.Or(f.Type, client.Type), cmp.Or(f.Code, client.Code), f.Message
		return e
	}
	e.Message = told(w.last.leg.name, f.Kind, f)
	if client.AsIs && f.Status == 0 { // nobody was asked
		e.Type, e.Code = cmp.Or(f.Type, client.Type), cmp.Or(f.Code, client.Code)
	}
	if f.Kind == providers.ContextLength {
		e.ContextWindow = cmp.Or(f.ContextWindow, w.last.leg.model.ContextWindow)
		e.Message, e.Param = tooLong(e.ContextWindow, e.Message), cmp.Or(f.Param, "messages")
	}
	clientsRetry := e.Status == statusTooMany || e.Status > statusInternal
	if clientsRetry || !client.AsIs && f.Kind != providers.ContextLength {
		e.ShouldRetry = new(false)
	}
	if clientsRetry {
		e.retryAt(w.worthRetrying(), w.now)
	}
	return e
}

const (
	statusTimeout  = 408
	statusConflict = 409
	statusTooMany  = 429
	statusInternal = 500
)

// isFinal tells whether a status is an error that clients don't send their request again for (spec: clients.md "Retries of
// their own").
func isFinal(status int) bool {
	return status >= statusBadRequest && status < statusInternal &&
		status != statusTimeout && status != statusConflict && status != statusTooMany
}

// retryAt sets the true time and what a client can make use of.
func (e *Error) retryAt(at, now time.Time) {
	wait := at.Sub(now)
	if wait > 0 {
		e.RetryAt = at
	}
	whole := (wait + time.Second - 1).Truncate(time.Second)
	e.RetryAfter = min(max(whole, minRetryAfter), maxRetryAfter)
}

// worthRetrying is when another request has a chance: when the upstream said so, else when the first of the targets
// may be asked again.
func (w *walk) worthRetrying() time.Time {
	if w.last.failure.Hint > 0 {
		return w.last.at.Add(w.last.failure.Hint)
	}
	at, found := w.now, false
	for i := range w.candidates {
		l := w.candidates[i].leg
		for j := range l.lanes {
			e := l.lanes[j].path.Peek(circuitbreaker.Ask{Now: w.now})
			if e == nil {
				return w.now
			}
			if !e.RetryAt.IsZero() && (!found || e.RetryAt.Before(at)) {
				at, found = e.RetryAt, true
			}
		}
	}
	return at
}

// told is the message of a failure: the upstream's cleaned text, or ours, marked with the target.
func told(target string, kind providers.Kind, f *providers.Failure) string {
	if f.Message != "" {
		return target + ": " + f.Message
	}
	return target + ": " + cmp.Or(phrases[kind], string(kind))
}

// phrases say what went wrong where the upstream sent no text of its own.
var phrases = map[providers.Kind]string{
	providers.RateLimit:      "the rate limit of the upstream is reached",
	providers.QuotaExhausted: "the quota at the upstream is used up",
	providers.Billing:        "the account at the upstream has no credit left",
	providers.Auth:           "the upstream refuses the gateway's key",
	providers.Permission:     "the upstream does not permit this model",
	providers.ModelNotFound:  "the upstream does not know this model",
	providers.ContentPolicy:  "the upstream's content policy refuses the request",
	providers.Unsupported:    "the upstream does not support a part of the request",
	providers.ClientError:    "the upstream refuses the request",
	providers.Overloaded:     "the upstream is overloaded",
	providers.ServerError:    "the upstream failed",
	providers.Timeout:        "the upstream did not answer in time",
	providers.Connection:     "the upstream could not be reached",
	providers.Malformed:      "the upstream sent no usable answer",
	providers.Truncated:      "the upstream's answer broke off",
	providers.ModelFault:     "the model's output was unusable",
	providers.Local:          "the gateway failed",
	providers.Canceled:       "the request was canceled",
}

// tooLong is OpenAI's wording, which makes agents compact (spec: clients.md "Codes are an API").
func tooLong(window int, detail string) string {
	if window <= 0 {
		return "This model's maximum context length is exceeded. " + detail
	}
	return "This model's maximum context length is " + strconv.Itoa(window) +
		" tokens, and the request does not fit. Please reduce the length of the messages."
}
