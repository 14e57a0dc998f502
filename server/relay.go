package server

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

// errCut ends a handler whose response has begun and can't be finished truthfully: the connection is aborted, since
// a clean end would be taken for success (spec: clients.md, what breaks them).
var errCut = errors.New("the response is cut off")

// relayStream passes a stream on as it comes, with one flush for each read of the upstream.
func (s *Server) relayStream(x *exchange, r *http.Request, req *providers.Request, a *combo.Answer, early *earlyHeaders) error {
	describe(x.Header(), a.Combo, a.Target, a.UpstreamID, a.Attempts, early)
	if !early.sent() {
		streamHeaders(x.Header(), a.ContentType)
		x.WriteHeader(a.Status)
	}
	var so *responseSoFar
	if x.dialect == dialectResponses {
		so = &responseSoFar{model: req.Model}
	}
	for {
		block, err := a.Next()
		if len(block) > 0 {
			if so != nil {
				so.see(block)
			}
			if _, werr := x.Write(block); werr != nil {
				return errCut
			}
			if x.FlushError() != nil {
				return errCut
			}
		}
		if err == nil {
			continue
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if gone(r.Context()) {
			return errCut
		}
		return s.brokeOff(x, r, req, err, so)
	}
}

// brokeOff tells within a stream how it failed.
func (s *Server) brokeOff(x *exchange, r *http.Request, req *providers.Request, err error, so *responseSoFar) error {
	told := *s.told(x, r, req, s.walked(x, err))
	told.Attempts, told.RetryAt = nil, "" // they belong to an answer that never began
	return x.breakOff(&told, so)
}

// relayPlain passes a whole answer on as it came.
func (s *Server) relayPlain(x *exchange, req *providers.Request, a *combo.Answer, early *earlyHeaders) error {
	body, err := a.Next()
	if early.sent() { // a stream was promised, and this is none
		s.log.Error("a plain answer to a streamed request", "request_id", x.id, "target", a.Target)
		return x.breakOff(internalError(x.id), &responseSoFar{model: req.Model})
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	h := x.Header()
	describe(h, a.Combo, a.Target, a.UpstreamID, a.Attempts, nil)
	if a.ContentType != "" {
		h["Content-Type"] = []string{a.ContentType}
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	x.WriteHeader(a.Status)
	if _, werr := x.Write(body); werr != nil {
		return errCut
	}
	for err == nil {
		_, err = a.Next()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return errCut
}
