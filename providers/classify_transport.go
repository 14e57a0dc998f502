package providers

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
)

// LocalError marks an error of our own making: the upstream was never at fault and is never charged.
type LocalError struct {
	Doing string // what was being done
	Err   error
}

func (e *LocalError) Error() string { return e.Doing + ": " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *LocalError) Unwrap() error { return e.Err }

// classifyTransport judges contexts that ended and errors below HTTP; nil: an answer or an event came.
func classifyTransport(s *Signal) *Failure {
	if errors.Is(s.Cause, ErrClientGone) || errors.Is(s.Cause, context.Canceled) {
		return ended(s, Canceled, "the client left", s.Cause)
	}
	if errors.Is(s.Cause, ErrShutdown) {
		return ended(s, Canceled, "the gateway is shutting down", s.Cause)
	}
	if s.Err == nil && (s.Status != 0 || s.Cause == nil) {
		if s.Status == 0 && !s.Event {
			return ended(s, Connection, "no answer came", nil)
		}
		return nil
	}
	if local, ok := errors.AsType[*LocalError](s.Err); ok {
		return ended(s, Local, "the gateway failed at "+local.Doing, s.Err)
	}
	for _, err := range []error{s.Cause, s.Err} {
		if limit, ok := errors.AsType[*LimitError](err); ok {
			return ended(s, Timeout, limit.Error(), limit)
		}
	}
	if f := classifyNetwork(s); f != nil {
		return f
	}
	if s.Status != 0 {
		return ended(s, Malformed, "the answer broke off", s.Err)
	}
	return ended(s, Connection, "the connection failed", s.Err)
}

// classifyNetwork tells apart what the network says. After the headers, how an answer was cut makes no difference.
func classifyNetwork(s *Signal) *Failure {
	if _, ok := errors.AsType[*net.DNSError](s.Err); ok {
		return ended(s, Connection, "the host's name was not resolved", s.Err)
	}
	if errors.Is(s.Err, context.Canceled) && s.Cause == nil {
		return ended(s, Canceled, "the request was canceled", s.Err)
	}
	if errors.Is(s.Err, context.DeadlineExceeded) || errors.Is(s.Err, os.ErrDeadlineExceeded) {
		return ended(s, Timeout, "the upstream took too long", s.Err)
	}
	if timeout, ok := errors.AsType[net.Error](s.Err); ok && timeout.Timeout() {
		return ended(s, Timeout, "the network timed out", s.Err)
	}
	if s.Status != 0 {
		return nil
	}
	for _, known := range networkErrors {
		if known.is(s.Err) {
			return ended(s, Connection, known.message, s.Err)
		}
	}
	return nil
}

// networkErrors are told by words of ours: those of the network name internal addresses.
var networkErrors = []struct {
	message string
	is      func(error) bool
}{
	{"the host points to an address that is not used, see allow_private_network", func(err error) bool {
		_, ok := errors.AsType[*AddressError](err)
		return ok
	}},
	{"the connection was refused", func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }},
	{"the connection was reset", func(err error) bool {
		return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed)
	}},
	{"the host can't be reached", func(err error) bool {
		return errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH)
	}},
	{"the connection was closed before an answer came", func(err error) bool {
		return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	}},
	{"the TLS handshake failed", isTLS},
}

func isTLS(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return true
	}
	_, ok := errors.AsType[x509.HostnameError](err)
	return ok
}

// ended builds the failure of an attempt that got no answer to look at. A URL, which may hold a key, is taken off.
func ended(s *Signal, kind Kind, message string, err error) *Failure {
	if request, ok := errors.AsType[*url.Error](err); ok {
		err = request.Err
	}
	f := &Failure{Kind: kind, Status: s.Status, Message: message, Err: err}
	if s.Status >= http.StatusBadRequest && kind == Malformed {
		return brokenOff(s, f)
	}
	return f
}

// brokenOff judges an error answer whose body couldn't be read whole by what came of it.
func brokenOff(s *Signal, f *Failure) *Failure {
	whole := *s
	whole.Err, whole.Cause, whole.Event = nil, nil, false
	o := readObject(&whole)
	answered := decide(&whole, &o)
	answered.Err, answered.Body = f.Err, nil
	return answered
}
