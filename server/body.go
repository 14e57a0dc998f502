package server

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

// bodies reads request bodies whole before anything is done with them: net/http only notices that a client left
// once its body was read to the end, and forwarding while reading cuts fast streams.
type bodies struct {
	max  int64 // bytes; more is 413
	pool sync.Pool
}

const (
	firstBody     = 16 << 10 // what a buffer starts with
	trustedBody   = 1 << 20  // room is made at once for so much of what is announced
	pooledBodyMax = 1 << 20  // larger buffers are left to the garbage collector
	bodyStep      = 64 << 10 // so much must arrive within bodyPatience
	bodyPatience  = 30 * time.Second
	drainPatience = 5 * time.Second // how long the rest of a refused body is taken in, see drain
)

// buffer is memory for one body; release gives it back.
type buffer struct{ b []byte }

func (p *bodies) get() *buffer {
	if b, ok := p.pool.Get().(*buffer); ok {
		return b
	}
	return &buffer{b: make([]byte, 0, firstBody)}
}

// release takes a buffer back. Nothing may refer to its bytes any more.
func (p *bodies) release(b *buffer) {
	if cap(b.b) <= pooledBodyMax {
		b.b = b.b[:0]
		p.pool.Put(b)
	}
}

// read reads r's body whole. The error is an *apiError; without one the buffer must be released.
func (p *bodies) read(w http.ResponseWriter, r *http.Request) (*buffer, error) {
	if r.ContentLength > p.max {
		p.drain(w, r)
		return nil, p.tooLarge()
	}
	if enc := r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return nil, errEncoded
	}
	b := p.get()
	if err := p.fill(b, w, r); err != nil {
		p.release(b)
		return nil, err
	}
	return b, nil
}

// fill reads to the end. The exchange has set the first read deadline; more time is given as bytes arrive.
func (p *bodies) fill(b *buffer, w http.ResponseWriter, r *http.Request) error {
	whole := int(r.ContentLength) + 1 // one more, so that the last read finds the end
	if n := min(whole, trustedBody); n > cap(b.b) {
		b.b = make([]byte, 0, n)
	}
	rc := http.NewResponseController(w)
	for next := bodyStep; ; {
		if len(b.b) == cap(b.b) {
			b.grow(whole)
		}
		n, err := r.Body.Read(b.b[len(b.b):cap(b.b)])
		b.b = b.b[:len(b.b)+n]
		switch {
		case int64(len(b.b)) > p.max:
			p.drain(w, r)
			return p.tooLarge()
		case err == io.EOF:
			// A deadline left behind would end the watch for the client's leaving, and so a healthy stream.
			_ = rc.SetReadDeadline(time.Time{})
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return errSlowBody
		case err != nil:
			return errCutBody
		}
		if len(b.b) >= next {
			next = len(b.b) + bodyStep
			_ = rc.SetReadDeadline(time.Now().Add(bodyPatience))
		}
	}
}

// grow makes room for more: for all of it, as far as what has come bears out what was announced.
func (b *buffer) grow(whole int) {
	size := 2 * cap(b.b)
	if whole > cap(b.b) {
		size = min(size, whole)
	}
	b.b = append(make([]byte, 0, size), b.b...)
}

// drain takes in what is left of a body that is too large, within bounds: a client that is still sending when the
// connection closes never reads the answer. One that asked first (Expect) hasn't begun to send.
func (p *bodies) drain(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	if r.Header.Get("Expect") != "" {
		return
	}
	rc := http.NewResponseController(w)
	if rc.SetReadDeadline(time.Now().Add(drainPatience)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, r.Body, p.max)
}

func (p *bodies) tooLarge() error {
	return &apiError{
		Status: http.StatusRequestEntityTooLarge, Code: "request_too_large",
		Message: "the request body is larger than max_body, " + strconv.FormatInt(p.max, 10) + " bytes",
	}
}

var (
	errEncoded = &apiError{
		Status: http.StatusUnsupportedMediaType, Code: "unsupported_content_encoding",
		Message: "send the request body without a Content-Encoding",
	}
	errSlowBody = &apiError{Status: http.StatusRequestTimeout, Code: "request_timeout", Message: "the request body came too slowly"}
	errCutBody  = &apiError{Status: http.StatusBadRequest, Code: "incomplete_body", Message: "the request body ended early"}
)
