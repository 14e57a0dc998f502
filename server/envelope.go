package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

// apiError is an error of the gateway's own, as the client is told it (spec: api.md, errors).
type apiError struct {
	Status          int
	AnthropicStatus int    // 0: Status
	Type            string // empty: by the status
	Code            string // empty for null
	Param           string // empty for null
	Message         string
	RetryAfter      time.Duration   // 0 for none
	RetryAt         string          // when it is really worth trying again; empty: not told
	Attempts        []combo.Attempt // what was tried
	Details         any             // admin side: every problem with its path
	ETag            string          // admin side: the version of Current; empty for none
	Current         any             // admin side: the document that an outdated one would have overwritten
}

func (e *apiError) Error() string { return e.Message }

// envelope is the body of an error in OpenAI's form: all four members stand in it, null for what is absent.
type envelope struct {
	Error envelopeError `json:"error"`
}

type envelopeError struct {
	Message  string  `json:"message"`
	Type     string  `json:"type"`
	Param    *string `json:"param"`
	Code     *string `json:"code"`
	Details  any     `json:"details,omitempty"`
	Current  any     `json:"current,omitempty"`
	RetryAt  string  `json:"retry_at,omitempty"`
	Attempts any     `json:"attempts,omitempty"`
}

// orNull is nil for the empty string, which JSON shows as null.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (e *apiError) envelope() envelope {
	typ := e.Type
	if typ == "" {
		typ = providers.ErrorType(e.Status)
	}
	return envelope{envelopeError{
		Message: e.Message, Type: typ, Param: orNull(e.Param), Code: orNull(e.Code),
		Details: e.Details, Current: e.Current, RetryAt: e.RetryAt, Attempts: e.attempts(),
	}}
}

// attempts are nil if there is nothing to list.
func (e *apiError) attempts() any {
	if len(e.Attempts) == 0 {
		return nil
	}
	return e.Attempts
}

func (e *apiError) statusIn(d dialect) int {
	if d == dialectMessages && e.AnthropicStatus != 0 {
		return e.AnthropicStatus
	}
	return e.Status
}

// body is e in the client's dialect.
func (x *exchange) body(e *apiError) any {
	if x.dialect == dialectMessages {
		return e.anthropic(x.id)
	}
	return e.envelope()
}

// tell answers with e. The response must not have begun.
func (x *exchange) tell(e *apiError) {
	if e.RetryAfter > 0 {
		x.Header().Set("Retry-After", retrySeconds(e.RetryAfter))
	}
	if e.ETag != "" {
		x.Header().Set("ETag", e.ETag)
	}
	if e.Status == http.StatusUnauthorized {
		x.Header().Set("WWW-Authenticate", "Bearer") // RFC 9110, 15.5.2
	}
	writeJSON(x, e.statusIn(x.dialect), x.body(e))
}

// retrySeconds rounds up to whole seconds, at least 1: a client must not come back too early.
func retrySeconds(d time.Duration) string {
	return strconv.FormatInt(max(1, int64((d+time.Second-1)/time.Second)), 10)
}

// writeJSON answers with v as JSON and its length.
func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // a value of ours that can't be shown is a bug: the exchange answers 500
	}
	body = append(body, '\n')
	h := w.Header()
	h["Content-Type"] = jsonContentType
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client left: the exchange's log shows the bytes
}

var jsonContentType = []string{"application/json"}

func internalError(requestID string) *apiError {
	return &apiError{
		Status: http.StatusInternalServerError, Code: string(providers.Local),
		Message: "internal error of the gateway, see its log for request " + requestID,
	}
}

// fail is echo's error handler: it turns whatever a handler returned into the envelope.
func (s *Server) fail(err error, c echo.Context) {
	x := exchangeOf(c)
	if errors.Is(err, errCut) {
		panic(http.ErrAbortHandler)
	}
	if x.status != 0 {
		s.log.Error("handler failed after its response had begun", "request_id", x.id, "route", x.route, "error", err)
		panic(http.ErrAbortHandler)
	}
	x.tell(s.asAPIError(err, x))
}

// asAPIError finds the answer that err stands for.
func (s *Server) asAPIError(err error, x *exchange) *apiError {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*providers.BadRequest](err); ok {
		return &apiError{Status: e.Status, Code: e.Code, Param: e.Param, Message: e.Message}
	}
	if e, ok := errors.AsType[*combo.Error](err); ok {
		return &apiError{
			Status: e.Status, AnthropicStatus: e.AnthropicStatus, Type: e.Type, Code: e.Code, Param: e.Param,
			Message: e.Message, RetryAfter: e.RetryAfter,
		}
	}
	if e := configError(err); e != nil {
		return e
	}
	if e, ok := errors.AsType[*echo.HTTPError](err); ok {
		switch e.Code {
		case http.StatusNotFound:
			return errUnknownRoute
		case http.StatusMethodNotAllowed:
			return errMethod
		}
	}
	s.log.Error("handler failed", "request_id", x.id, "route", x.route, "error", err)
	return internalError(x.id)
}

var (
	errUnknownRoute = &apiError{Status: http.StatusNotFound, Code: "unknown_url", Message: "there is nothing at this URL"}
	errMethod       = &apiError{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Message: "this URL does not take this method, see the Allow header"}
)
