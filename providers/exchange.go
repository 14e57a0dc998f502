package providers

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/ohmroute/ohmroute/providers/translate"
	"github.com/ohmroute/ohmroute/sse"
)

// exchange is one attempt under way: a request that was sent and the answer that comes. Its context is its own: it
// ends with the caller's, at a limit, or when the exchange is closed.
type exchange struct {
	*upstream
	attempt *Attempt
	wire    Endpoint              // what is asked of the upstream: the attempt's endpoint, or one that it is translated to
	dropped translate.Translation // of the request; its body is none
	spoken  bool                  // what is handed out is in the client's dialect already
	ended   func() error          // why the context ended, nil while it hasn't
	unlink  func() bool           // makes the context outlive the caller's
	watch   watch
	body    spliced
	small   []byte // a copy of the body, nil for a large one
	resent  bool
	second  *spliced       // the body that was sent again, nil if none was
	resp    *http.Response // nil until headers came
	memory  *bytes.Buffer  // of a whole answer
}

var errSentTwice = errors.New("the upstream refused the request twice")

// sending is the body for the transport.
func (x *exchange) sending(body *spliced) io.ReadCloser {
	if x.small != nil {
		return io.NopCloser(bytes.NewReader(x.small))
	}
	return body
}

// resend lets the transport send again, once, what the upstream has not begun to take: on a connection that was
// closed while it was idle, or on a stream that was refused. Without an idempotency key it does so in no other case.
func (x *exchange) resend() (io.ReadCloser, error) {
	if x.resent {
		return nil, errSentTwice
	}
	x.resent = true
	if x.small == nil {
		x.second = x.body.again()
	}
	return x.sending(x.second), nil
}

// signal completes what the classifier looks at.
func (x *exchange) signal(s Signal) Signal {
	s.Dialect, s.Preset, s.Endpoint, s.Now = x.dialect, x.preset, x.wire, x.now()
	if x.resp != nil {
		s.Status, s.Header = x.resp.StatusCode, x.resp.Header
	}
	return s
}

// suspected classifies, and takes our own secrets out of what the upstream said. It is nil for what is no failure.
func (x *exchange) suspected(s Signal) *Failure {
	f := Classify(x.signal(s))
	if f == nil {
		return nil
	}
	return x.redacted(f)
}

// failure classifies what can't be an answer. It is never nil.
func (x *exchange) failure(s Signal) *Failure {
	if f := x.suspected(s); f != nil {
		return f
	}
	s = x.signal(s)
	return x.redacted(malformed(s.Status, s.Header, "the answer was none"))
}

// broken is the failure of sending or reading.
func (x *exchange) broken(err error) *Failure {
	return x.failure(Signal{Err: err, Cause: x.cause()})
}

// cause is why the exchange was ended, if it was ended from outside.
func (x *exchange) cause() error {
	if x.ended == nil {
		return nil
	}
	return x.ended()
}

// forget lets go of the shared request body as soon as the transport has read it: an answer that has begun is not asked
// for again. It tells whether that is so.
func (x *exchange) forget() bool {
	if x.small != nil {
		x.body.detach()
	}
	return x.body.forget() && (x.second == nil || x.second.forget())
}

// close ends the exchange. When it returns, the shared request body is not read any more.
func (x *exchange) close() {
	x.watch.stop()
	x.unlink()
	x.watch.cancel(nil)
	if x.resp != nil {
		_ = x.resp.Body.Close() // all that was to be read was read
	}
	x.body.detach()
	if x.second != nil {
		x.second.detach()
	}
}

// Bounds of what is read after the protocol's end, so that the connection can be used again.
const (
	drainBytes = 64 << 10
	drainWait  = 250 * time.Millisecond
)

// drain closes an exchange whose stream has said its end while the body has not: it usually ends a moment later.
// Nobody waits for that but the provider's Close.
func (x *exchange) drain() {
	if x.resp.ProtoMajor >= 2 { // ending a stream leaves the connection as it is
		x.close()
		return
	}
	x.unlink()
	x.body.detach()
	x.watch.hurries(drainWait)
	x.drains.run(func() {
		_, _ = io.CopyN(io.Discard, x.resp.Body, drainBytes)
		x.close()
	})
}

// Bounds of what is read of an answer.
const (
	longestAnswer = 64 << 20
	longestEvent  = 16 << 20
	errorBodyWait = 5 * time.Second
)

var readers = sync.Pool{New: func() any { return sse.NewReader(nil, longestEvent) }}
