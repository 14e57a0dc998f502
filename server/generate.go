package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

// generate is the handler of one endpoint that targets answer: body in, one walk, answer out.
func generate(endpoint providers.Endpoint) func(*Server, echo.Context) error {
	return func(s *Server, c echo.Context) error {
		x, r := exchangeOf(c), c.Request()
		x.retries = retryCount(r.Header)
		s.joinTrace(x, r)
		if err := s.enter(x); err != nil {
			return s.reject(x, endpoint, err)
		}
		defer s.leave(x)
		var err error
		if x.asked, err = s.bodies.read(x, r); err != nil {
			return s.reject(x, endpoint, err)
		}
		req, err := parse(endpoint, r, x.asked.b)
		if err == nil {
			prepare(req, x, r)
			err = s.walk(x, r, req)
		} else {
			err = s.reject(x, endpoint, err)
		}
		// Not deferred: after a panic an attempt may still be reading the body.
		s.releaseBody(x)
		return err
	}
}

// releaseBody gives the memory of the request's body back, once: nothing may refer to it any more.
func (s *Server) releaseBody(x *exchange) {
	if x.asked != nil {
		s.bodies.release(x.asked)
		x.asked = nil
	}
}

// parse reads what a client sent and refuses what no target could answer.
func parse(endpoint providers.Endpoint, r *http.Request, body []byte) (*providers.Request, error) {
	var req *providers.Request
	var err error
	if endpoint == providers.Transcriptions {
		req, err = providers.ParseForm(endpoint, r.Header.Get("Content-Type"), body)
	} else {
		req, err = providers.ParseRequest(endpoint, body)
	}
	if err != nil {
		return nil, err
	}
	return req, req.Complete()
}

// prepare adds to a parsed request what came beside its body. The client's credentials stay here.
func prepare(req *providers.Request, x *exchange, r *http.Request) {
	req.Query = r.URL.RawQuery
	req.RequestID = x.id
	req.Start = x.start
	if ct := r.Header.Get("Content-Type"); strings.Contains(ct, "json") {
		req.ContentType = ct // else what it was parsed as, whatever curl calls it
	}
	req.SessionHeader = r.Header.Get("X-Session-Id")
	for _, name := range keptHeaders {
		delete(r.Header, name)
	}
	req.Header = r.Header
}

// keptHeaders never leave the gateway, whatever a provider's forward_headers name (spec: api.md, headers).
var keptHeaders = [...]string{
	"Authorization", "X-Api-Key", "Cookie", "Proxy-Authorization", "Accept-Encoding", "Idempotency-Key", "X-Idempotency-Key",
}

// alwaysStreams are the endpoints whose answers are streams whenever that is asked for; those of others may come whole.
var alwaysStreams = map[providers.Endpoint]bool{
	providers.Chat: true, providers.Completions: true, providers.Responses: true, providers.Messages: true,
}

// walk hands the request to the router and relays what it answers. The error is errCut if the response has begun
// and must be cut off.
func (s *Server) walk(x *exchange, r *http.Request, req *providers.Request) error {
	var early *earlyHeaders
	resolved, err := s.opts.Router.Resolve(req.Model)
	if err == nil { // Route tells of a name that is not there
		if err := s.permit(x, req, &resolved); err != nil {
			return err
		}
		if req.Stream && resolved.Keepalive > 0 && alwaysStreams[req.Endpoint] {
			early = startEarlyHeaders(x, resolved)
			defer early.stop() // a panic must not leave the timer writing
		}
	}
	answer, err := s.opts.Router.Route(r.Context(), req)
	early.stop()
	if err != nil {
		return s.unanswered(x, r, req, early, err)
	}
	return s.relay(x, r, req, answer, early)
}

// unanswered tells the client why its request got no answer.
func (s *Server) unanswered(x *exchange, r *http.Request, req *providers.Request, early *earlyHeaders, err error) error {
	e := s.walked(x, err)
	if estimable(req, e) && !gone(r.Context()) {
		report := s.estimate(x, req, e)
		s.finish(x, &report)
		return nil
	}
	report, err := s.refuse(x, r, req, e, early)
	s.finish(x, &report)
	return err
}

// relay passes an answer on. As long as a stream lasts, this function's frame stays on its stack, and those of its
// callers and callees: what is large is put together elsewhere.
func (s *Server) relay(x *exchange, r *http.Request, req *providers.Request, answer *combo.Answer, early *earlyHeaders) (err error) {
	defer answer.Close()
	s.noteDropped(x.Header(), answer)
	if answer.Stream {
		if answer.BodyDone { // a stream may last for an hour
			req.Body = nil
			s.releaseBody(x)
		}
		s.metrics.streams.Inc()
		err = s.relayStream(x, r, req, answer, early)
		s.metrics.streams.Dec()
	} else {
		err = s.relayPlain(x, req, answer, early)
	}
	answer.Close()
	s.answered(x, answer)
	return err
}

func (s *Server) answered(x *exchange, answer *combo.Answer) {
	report := answer.Report()
	s.finish(x, &report)
}

// permit holds a request that can be served to what its key may use, and counts it among those of the minute.
func (s *Server) permit(x *exchange, req *providers.Request, resolved *combo.Resolved) error {
	if x.key == nil {
		return nil
	}
	err := error(errNotForKey)
	if x.key.Allows(req.Model, resolved.Combo) {
		err = s.quotas.count(x.key, time.Now())
	}
	if err == nil {
		return nil
	}
	return s.rejected(x, &combo.Report{
		Endpoint: string(req.Endpoint), Combo: resolved.Combo, Direct: resolved.Direct, Model: req.Model, Stream: req.Stream,
	}, err)
}

// reject logs and counts a request that was not looked into, and returns its error.
func (s *Server) reject(x *exchange, endpoint providers.Endpoint, err error) error {
	return s.rejected(x, &combo.Report{Endpoint: string(endpoint)}, err)
}

// rejected logs and counts a request that no walk was begun for, as the router does for a name that isn't there, and
// returns its error. The report says what is known of the request.
func (s *Server) rejected(x *exchange, report *combo.Report, err error) error {
	told := s.asAPIError(err, x)
	report.RequestID, report.Start = x.id, x.start
	report.Outcome, report.Code, report.Status = combo.OutcomeRejected, told.Code, told.statusIn(x.dialect)
	s.finish(x, report)
	return told
}

var errNotForKey = &apiError{
	Status: http.StatusForbidden, Code: "model_not_allowed", Param: "model",
	Message: "this client key may not use that model",
}
