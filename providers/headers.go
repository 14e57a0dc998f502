package providers

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
)

// forwarded are the client's headers that every upstream gets, beside Content-Type and anthropic-* (spec: api.md,
// headers).
var forwarded = map[string]bool{
	"Openai-Beta": true, "Traceparent": true, "Tracestate": true, "X-Client-Request-Id": true,
}

// neverForwarded stay here whatever a provider's forward_headers name: the client's credentials, what would make the
// transport send a request twice or ask for compressed answers, and what belongs to one connection.
var neverForwarded = map[string]bool{
	"Authorization": true, "X-Api-Key": true, "Api-Key": true, "X-Goog-Api-Key": true, "Cookie": true, "Proxy-Authorization": true,
	"Idempotency-Key": true, "X-Idempotency-Key": true, "Accept-Encoding": true,
	"Connection": true, "Content-Length": true, "Expect": true, "Host": true, "Keep-Alive": true, "Proxy-Connection": true,
	"Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true, "Content-Type": true, "Accept": true,
}

// neverFixed are headers that the configuration can't set either.
var neverFixed = map[string]bool{
	"Idempotency-Key": true, "X-Idempotency-Key": true, "Accept-Encoding": true, "Connection": true, "Content-Length": true,
	"Expect": true, "Host": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
}

// canonical is the set of header names that may be forwarded.
func canonical(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		if name = textproto.CanonicalMIMEHeaderKey(name); !neverForwarded[name] {
			set[name] = true
		}
	}
	return set
}

// fixedHeaders checks the headers of the configuration. An error names a header, never its value.
func fixedHeaders(all map[string]string) (http.Header, error) {
	fixed := make(http.Header, len(all))
	var errs []error
	for name, value := range all {
		key := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case !isToken(name):
			errs = append(errs, fmt.Errorf("headers: %q is no header name", name))
		case neverFixed[key]:
			errs = append(errs, fmt.Errorf("headers: %s can't be set", key))
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			errs = append(errs, fmt.Errorf("headers: the value of %s has control characters", key))
		default:
			fixed[key] = []string{value}
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return fixed, errors.Join(errs...)
}

// isToken tells whether a name is a token of RFC 9110, 5.6.2.
func isToken(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return name != ""
}

var (
	agent       = []string{"ohmroute"}
	jsonType    = []string{"application/json"}
	eventStream = []string{"text/event-stream"}
)

// header builds the header of an attempt's request.
func (u *upstream) header(a *Attempt) http.Header {
	h := make(http.Header, 6+len(u.headers))
	h["User-Agent"] = agent
	for name, values := range a.Header {
		if forwarded[name] || strings.HasPrefix(name, "Anthropic-") || u.forward[name] {
			h[name] = values
		}
	}
	h["Content-Type"] = []string{a.ContentType}
	if a.ContentType == jsonType[0] {
		h["Content-Type"] = jsonType
	}
	h["Accept"] = jsonType
	if a.Stream {
		h["Accept"] = eventStream
	}
	if u.kind.always != nil {
		u.kind.always(h)
	}
	if a.Key.Secret != "" {
		u.kind.authorize(h, a.Key.Secret)
	}
	maps.Copy(h, u.headers)
	return h
}
