package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

// refuse tells the client that its walk had no answer: a real status and JSON, or, after early headers, an error
// event in the stream and a cut connection (spec: routing.md "What the client is told when all failed").
func (s *Server) refuse(x *exchange, r *http.Request, err error, early *earlyHeaders) (combo.Report, error) {
	e, ok := errors.AsType[*combo.Error](err)
	if !ok {
		s.log.Error("the router failed without an answer", "request_id", x.id, "error", err)
		e = &combo.Error{Kind: providers.Local}
	}
	report := e.Report()
	if gone(r.Context()) {
		return report, errCut
	}
	describe(x.Header(), e.Combo, e.Target, e.UpstreamID, e.Attempts, early)
	if early.sent() {
		s.tellInBand(x, r, e, true)
		return report, errCut
	}
	if e.Body != nil && e.Kind != providers.Canceled {
		passOn(x, e)
		return report, nil
	}
	told := s.told(x, r, e)
	h := x.Header()
	if e.RetryAfter > 0 {
		h["Retry-After"] = []string{retrySeconds(e.RetryAfter)}
	}
	if e.ShouldRetry != nil {
		h["X-Should-Retry"] = []string{strconv.FormatBool(*e.ShouldRetry)}
	}
	writeJSON(x, told.status, told.envelope)
	return report, nil
}

// passOn sends an upstream's own answer as it came.
func passOn(x *exchange, e *combo.Error) {
	h := x.Header()
	if e.ContentType != "" {
		h["Content-Type"] = []string{e.ContentType}
	}
	if e.ShouldRetry != nil {
		h["X-Should-Retry"] = []string{strconv.FormatBool(*e.ShouldRetry)}
	}
	h["Content-Length"] = []string{strconv.Itoa(len(e.Body))}
	x.WriteHeader(e.Status)
	_, _ = x.Write(e.Body) // the client left: the access log shows the bytes
}

// refusal is a final error as the client reads it.
type refusal struct {
	status   int
	envelope envelope
}

func (s *Server) told(x *exchange, r *http.Request, e *combo.Error) refusal {
	if e.Kind == providers.Canceled && errors.Is(context.Cause(r.Context()), providers.ErrShutdown) {
		return refusal{errDraining.Status, errDraining.envelope()}
	}
	own := apiError{Status: e.Status, Type: e.Type, Code: e.Code, Param: e.Param, Message: e.Message}
	if e.Kind == providers.Local {
		own = *internalError(x.id)
	}
	env := own.envelope()
	if len(e.Attempts) > 0 {
		env.Error.Attempts = e.Attempts
	}
	if !e.RetryAt.IsZero() {
		env.Error.RetryAt = wireTime(e.RetryAt)
	}
	return refusal{own.Status, env}
}

// tellInBand ends a stream with one error event in the dialect's form. details adds the attempts, which belong to
// an answer that never began.
func (s *Server) tellInBand(x *exchange, r *http.Request, err error, details bool) {
	e, ok := errors.AsType[*combo.Error](err)
	if !ok {
		s.log.Error("a stream failed without a reason", "request_id", x.id, "error", err)
		e = &combo.Error{Kind: providers.Local}
	}
	if gone(r.Context()) {
		return
	}
	env := s.told(x, r, e).envelope
	if !details {
		env.Error.Attempts, env.Error.RetryAt = nil, ""
	}
	writeEvent(x, env)
}

// writeEvent writes one event of the chat dialect: one line of data and no event name, which would break go-openai.
func writeEvent(x *exchange, env envelope) {
	body, err := json.Marshal(env)
	if err != nil {
		panic(err) // a value of ours that can't be shown is a bug
	}
	event := make([]byte, 0, len(body)+8)
	event = append(event, "data: "...)
	event = append(event, body...)
	event = append(event, "\n\n"...)
	if _, err := x.Write(event); err == nil {
		_ = x.FlushError() // the connection is cut next in any case
	}
}

// gone tells whether it was the client that ended the request, and not the gateway's shutdown.
func gone(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), providers.ErrShutdown)
}

// wireTime is a time as the API shows it: RFC 3339, UTC, milliseconds.
func wireTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
