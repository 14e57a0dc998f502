package server

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/server/tracing"
)

// exchange is one request and its response: the writer that handlers write to, and what the access log tells at
// the end. It belongs to the goroutine that serves the request.
type exchange struct {
	http.ResponseWriter
	rc        *http.ResponseController // of ResponseWriter
	patientAt time.Time                // when the write deadline was last set
	key       *config.ClientKey        // nil: none was needed
	asked     *buffer                  // the request's, of a request that targets answer; nil: none, or released

	id      string
	start   time.Time
	status  int // as sent; 0 while nothing was
	gone    bool
	dialect dialect
	sent    int64  // body bytes
	route   string // pattern of the table, empty for none

	combo, target string
	attempts      int
	outcome       string
	retries       int             // see retryCount
	parent        *tracing.Parent // the client's span, while traces are on
}

// exchangeOf returns the exchange that c's response is written to.
func exchangeOf(c echo.Context) *exchange { return c.Response().Writer.(*exchange) }

// WriteHeader sends status once; informational ones are passed on and not remembered.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 && status >= http.StatusOK {
		x.status = status
	}
	x.extendIfOld(time.Now())
	x.ResponseWriter.WriteHeader(status)
}

// Write sends body bytes, after 200 headers if none were sent.
func (x *exchange) Write(b []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	written := 0
	for {
		piece := b[written:min(len(b), written+writeStep)]
		x.extendIfOld(time.Now())
		n, err := x.ResponseWriter.Write(piece)
		written += n
		x.sent += int64(n)
		if err != nil || written == len(b) {
			return written, err
		}
	}
}

// extend gives the client writePatience from now on to take what is written. The deadline rolls on while it
// reads: nothing else ends a healthy stream, and a client that stopped reading is cut.
func (x *exchange) extend(now time.Time) {
	x.patientAt = now
	_ = x.rc.SetWriteDeadline(now.Add(writePatience)) // a writer without deadlines is a test's
}

// extendIfOld saves the call while the last one is recent.
func (x *exchange) extendIfOld(now time.Time) {
	if now.Sub(x.patientAt) > renewAfter {
		x.extend(now)
	}
}

// FlushError sends what is buffered, after 200 headers if none were sent. Unlike echo's Flush it tells when the
// client is gone.
func (x *exchange) FlushError() error {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	return x.rc.Flush()
}

// Unwrap lets [http.ResponseController] reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// newRequestID returns an id that is unique enough to find a request in a log; it guards nothing. Its first half is
// the time in milliseconds, so that an index of ids grows at its end.
func newRequestID(now time.Time) string {
	const digits = "0123456789abcdef"
	var id [28]byte
	copy(id[:], "req_")
	at, random := uint64(now.UnixMilli()), rand.Uint64()
	for i := range 12 {
		id[15-i] = digits[at>>(4*i)&15]
		id[16+i] = digits[random>>(4*i)&15]
	}
	return string(id[:])
}

// serve runs next for one request: it gives it an id, answers panics, and writes the access log.
// A deliberate abort goes on to net/http, which cuts the connection.
func (s *Server) serve(next http.Handler, w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	x := &exchange{
		ResponseWriter: w, rc: http.NewResponseController(w), dialect: dialectOf(r.URL.Path, r.Header), id: newRequestID(now), start: now,
	}
	x.extend(now)
	if r.ContentLength != 0 {
		_ = x.rc.SetReadDeadline(x.start.Add(bodyPatience))
	}
	id := []string{x.id}
	w.Header()["X-Request-Id"] = id
	if x.dialect == dialectMessages {
		w.Header()["Request-Id"] = id
	}
	defer func() {
		aborted := false
		if p := recover(); p != nil {
			aborted = isAbort(p) || !s.answerPanic(x, p)
		}
		x.extendIfOld(time.Now()) // net/http has yet to end the body
		s.logAccess(r, x, aborted)
		if aborted {
			panic(http.ErrAbortHandler)
		}
	}()
	next.ServeHTTP(x, r)
}

// isAbort tells a deliberate abort from a bug.
func isAbort(p any) bool {
	err, ok := p.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

// answerPanic reports a bug and tells the client so. It is false if the response had begun: then only an aborted
// connection tells the client the truth.
func (s *Server) answerPanic(x *exchange, p any) bool {
	s.log.Error("handler panicked", "request_id", x.id, "route", x.route, "panic", p, "stack", string(debug.Stack()))
	if x.status != 0 {
		return false
	}
	x.tell(internalError(x.id))
	return true
}

const (
	writePatience = 30 * time.Second
	renewAfter    = time.Second
	writeStep     = 256 << 10
)
