package providers

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestTransportErrorsAndEndedContexts(t *testing.T) {
	dial := func(err error) error {
		return &url.Error{Op: "Post", URL: "https://user:hunter2@10.1.2.3:8443/v1?key=hunter2", Err: &net.OpError{Op: "dial", Net: "tcp", Err: err}}
	}
	limit := &LimitError{Limit: "first_token", After: 2 * time.Minute}
	for name, c := range map[string]struct {
		s    Signal
		want Kind
	}{
		"name not found":              {Signal{Err: dial(&net.DNSError{Err: "no such host", Name: "x", IsNotFound: true})}, Connection},
		"name server too slow":        {Signal{Err: dial(&net.DNSError{IsTimeout: true})}, Connection},
		"refused":                     {Signal{Err: dial(os.NewSyscallError("connect", syscall.ECONNREFUSED))}, Connection},
		"reset":                       {Signal{Err: dial(syscall.ECONNRESET)}, Connection},
		"unreachable":                 {Signal{Err: dial(syscall.EHOSTUNREACH)}, Connection},
		"bad certificate":             {Signal{Err: dial(&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}})}, Connection},
		"no TLS":                      {Signal{Err: dial(tls.RecordHeaderError{})}, Connection},
		"TLS alert":                   {Signal{Err: dial(tls.AlertError(40))}, Connection},
		"unknown authority":           {Signal{Err: dial(x509.UnknownAuthorityError{})}, Connection},
		"wrong host":                  {Signal{Err: dial(x509.HostnameError{Certificate: &x509.Certificate{}})}, Connection},
		"end before headers":          {Signal{Err: &url.Error{Err: io.EOF}}, Connection},
		"unexpected end":              {Signal{Err: io.ErrUnexpectedEOF}, Connection},
		"anything before headers":     {Signal{Err: errors.New("malformed HTTP response")}, Connection},
		"nothing at all":              {Signal{}, Connection},
		"network timeout":             {Signal{Err: dial(syscall.ETIMEDOUT)}, Timeout},
		"deadline":                    {Signal{Err: os.ErrDeadlineExceeded}, Timeout},
		"context deadline":            {Signal{Err: context.DeadlineExceeded}, Timeout},
		"own limit as cause":          {Signal{Err: context.Canceled, Cause: limit}, Timeout},
		"own limit as error":          {Signal{Err: fmt.Errorf("dial: %w", &LimitError{Limit: "connect", After: time.Second})}, Timeout},
		"own limit after headers":     {Signal{Status: 200, Err: context.Canceled, Cause: limit}, Timeout},
		"own limit after the commit":  {Signal{Status: 200, Err: context.Canceled, Cause: &LimitError{Limit: "idle"}, Committed: true}, Truncated},
		"client gone":                 {Signal{Err: context.Canceled, Cause: ErrClientGone}, Canceled},
		"client gone, wrapped":        {Signal{Err: io.EOF, Cause: fmt.Errorf("request: %w", ErrClientGone)}, Canceled},
		"client gone after commit":    {Signal{Status: 200, Err: context.Canceled, Cause: ErrClientGone, Committed: true}, Canceled},
		"canceled without a cause":    {Signal{Err: dial(context.Canceled)}, Canceled},
		"plain cancellation":          {Signal{Err: context.Canceled, Cause: context.Canceled}, Canceled},
		"shutting down":               {Signal{Err: context.Canceled, Cause: ErrShutdown}, Canceled},
		"499 after our context ended": {Signal{Status: 499, Cause: ErrClientGone}, Canceled},
		"499 from above":              {Signal{Status: 499}, ServerError},
		"cut after headers":           {Signal{Status: 200, Err: io.ErrUnexpectedEOF}, Malformed},
		"reset after headers":         {Signal{Status: 200, Err: dial(syscall.ECONNRESET)}, Malformed},
		"cut after the commit":        {Signal{Status: 200, Err: io.ErrUnexpectedEOF, Committed: true}, Truncated},
		"reset after the commit":      {Signal{Status: 200, Err: syscall.ECONNRESET, Committed: true}, Truncated},
		"cut within an error answer":  {Signal{Status: 429, Err: io.ErrUnexpectedEOF, Body: []byte(`{"error":{"code":"ins`)}, RateLimit},
		"our own fault":               {Signal{Err: &LocalError{Doing: "building the request", Err: errors.New("bug")}}, Local},
		"our own fault after commit":  {Signal{Status: 200, Committed: true, Err: &LocalError{Doing: "translating", Err: io.EOF}}, Local},
		"a late cause of an answer":   {Signal{Status: 429, Cause: limit}, RateLimit},
	} {
		t.Run(name, func(t *testing.T) {
			f := Classify(c.s)
			if f == nil || f.Kind != c.want {
				t.Fatalf("got %v, want %s", f, c.want)
			}
			if strings.Contains(f.Error(), "hunter2") || strings.Contains(f.Error(), "10.1.2.3") || f.Message == "" {
				t.Errorf("message %q", f.Error())
			}
			if f.Err != nil && strings.Contains(f.Err.Error(), "hunter2") {
				t.Errorf("wrapped error %q", f.Err)
			}
		})
	}
}

func TestALimitCanBeToldFromItsFailure(t *testing.T) {
	f := Classify(Signal{Err: context.Canceled, Cause: &LimitError{Limit: "total", After: time.Minute}})
	if limit, ok := errors.AsType[*LimitError](error(f)); !ok || limit.Limit != "total" {
		t.Errorf("the failure of the total limit wraps %v", f.Err)
	}
}

func TestTheMessageSaysWhatBecameOfAConnection(t *testing.T) {
	const tlsFailed = "the TLS handshake failed"
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"refused":           {syscall.ECONNREFUSED, "the connection was refused"},
		"reset":             {syscall.ECONNRESET, "the connection was reset"},
		"broken pipe":       {syscall.EPIPE, "the connection was reset"},
		"closed":            {net.ErrClosed, "the connection was reset"},
		"no route":          {syscall.EHOSTUNREACH, "the host can't be reached"},
		"no network":        {syscall.ENETUNREACH, "the host can't be reached"},
		"end":               {io.EOF, "the connection was closed before an answer came"},
		"unexpected end":    {io.ErrUnexpectedEOF, "the connection was closed before an answer came"},
		"bad certificate":   {&tls.CertificateVerificationError{Err: errors.New("x")}, tlsFailed},
		"no TLS":            {tls.RecordHeaderError{}, tlsFailed},
		"TLS alert":         {tls.AlertError(40), tlsFailed},
		"unknown authority": {x509.UnknownAuthorityError{}, tlsFailed},
		"wrong host":        {x509.HostnameError{Certificate: &x509.Certificate{}}, tlsFailed},
		"private address":   {&AddressError{}, "the host points to an address that is not used, see allow_private_network"},
	} {
		if f := Classify(Signal{Err: &net.OpError{Op: "dial", Err: c.err}}); f.Message != c.want {
			t.Errorf("%s: %q, want %q", name, f.Message, c.want)
		}
	}
	if f := Classify(Signal{Err: errors.New("something else")}); strings.Contains(f.Message, "TLS") {
		t.Errorf("something else: %q", f.Message)
	}
}
