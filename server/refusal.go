package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

// walked is the error of a walk, whatever the router returned.
func (s *Server) walked(x *exchange, err error) *combo.Error {
	e, ok := errors.AsType[*combo.Error](err)
	if !ok {
		s.log.Error("a walk failed without a reason", "request_id", x.id, "error", err)
		return &combo.Error{Kind: providers.Local}
	}
	return e
}

// refuse tells the client that its walk had no answer: a real status and JSON, or, after early headers, an error in
// the stream (spec: routing.md "What the client is told when all failed").
func (s *Server) refuse(x *exchange, r *http.Request, req *providers.Request, e *combo.Error, early *earlyHeaders) (combo.Report, error) {
	report := e.Report()
	if gone(r.Context()) {
		return report, errCut
	}
	describe(x.Header(), e.Combo, e.Target, e.UpstreamID, e.Attempts, early)
	told := s.told(x, r, req, e)
	if x.dialect == dialectMessages && e.Kind != providers.Canceled {
		report.Status = told.statusIn(dialectMessages)
	}
	if early.sent() {
		return report, x.breakOff(told, &responseSoFar{model: req.Model})
	}
	if e.ShouldRetry != nil {
		x.Header()["X-Should-Retry"] = []string{strconv.FormatBool(*e.ShouldRetry)}
	}
	if e.Body != nil && e.Kind != providers.Canceled && x.dialect.understood(e) {
		passOn(x, e)
	} else {
		x.tell(told)
	}
	return report, nil
}

// passOn sends an upstream's own answer as it came.
func passOn(x *exchange, e *combo.Error) {
	h := x.Header()
	if e.ContentType != "" {
		h["Content-Type"] = []string{e.ContentType}
	}
	h["Content-Length"] = []string{strconv.Itoa(len(e.Body))}
	x.WriteHeader(e.Status)
	_, _ = x.Write(e.Body) // the client left: the access log shows the bytes
}

// told is the error of a walk as the client reads it.
func (s *Server) told(x *exchange, r *http.Request, req *providers.Request, e *combo.Error) *apiError {
	if e.Kind == providers.Canceled && errors.Is(context.Cause(r.Context()), providers.ErrShutdown) {
		return errDraining
	}
	var own *apiError
	switch {
	case e.Kind == providers.Local:
		own = internalError(x.id)
	case e.Body != nil:
		own = retold(e)
	default:
		own = &apiError{
			Status: e.Status, AnthropicStatus: e.AnthropicStatus, Type: e.Type, Code: e.Code, Param: e.Param, Message: e.Message,
			RetryAfter: e.RetryAfter,
		}
	}
	if e.Kind == providers.ContextLength && x.dialect == dialectMessages {
		own.Message = tooLong(e, req)
	}
	own.Attempts = e.Attempts
	if !e.RetryAt.IsZero() {
		own.RetryAt = wireTime(e.RetryAt)
	}
	return own
}

// gone tells whether it was the client that ended the request, and not the gateway's shutdown.
func gone(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), providers.ErrShutdown)
}

// wireTime is a time as the API shows it: RFC 3339, UTC, milliseconds.
func wireTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
