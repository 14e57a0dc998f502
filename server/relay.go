package server

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/ohmroute/ohmroute/combo"
)

// errCut ends a handler whose response has begun and can't be finished truthfully: the connection is aborted, since
// a clean end would be taken for success (spec: clients.md, what breaks them).
var errCut = errors.New("the response is cut off")

// relayStream passes a stream on as it comes, with one flush for each read of the upstream.
func (s *Server) relayStream(x *exchange, r *http.Request, a *combo.Answer, early *earlyHeaders) error {
	describe(x.Header(), a.Combo, a.Target, a.UpstreamID, a.Attempts, early)
	if !early.sent() {
		streamHeaders(x.Header(), a.ContentType)
		x.WriteHeader(a.Status)
	}
	for {
		block, err := a.Next()
		if len(block) > 0 {
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
		s.tellInBand(x, r, err, false)
		return errCut
	}
}

// relayPlain passes a whole answer on as it came.
func (s *Server) relayPlain(x *exchange, a *combo.Answer, early *earlyHeaders) error {
	body, err := a.Next()
	if early.sent() { // a stream was promised, and this is none
		s.log.Error("a plain answer to a streamed request", "request_id", x.id, "target", a.Target)
		writeEvent(x, internalError(x.id).envelope())
		return errCut
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	h := x.Header()
	describe(h, a.Combo, a.Target, a.UpstreamID, a.Attempts, nil)
	h["Content-Type"] = []string{a.ContentType}
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
