package server

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/ohmroute/ohmroute/combo"
)

// Our own response headers, in the form that [http.Header] keeps them in.
const (
	headerCombo      = "X-Ohmroute-Combo"
	headerTarget     = "X-Ohmroute-Target"
	headerAttempts   = "X-Ohmroute-Attempts"
	headerUpstreamID = "X-Upstream-Request-Id"
)

// describe says who answered or failed. After early headers these are the declared trailers, and the rest is left out.
func describe(h http.Header, comboName, target, upstreamID string, attempts []combo.Attempt, early *earlyHeaders) {
	if target != "" {
		h[headerTarget] = []string{headerText(target)}
	}
	h[headerAttempts] = []string{strconv.Itoa(combo.Sent(attempts))}
	if early.sent() {
		return
	}
	if comboName != "" {
		h[headerCombo] = []string{headerText(comboName)}
	}
	if upstreamID != "" {
		h[headerUpstreamID] = []string{headerText(upstreamID)}
	}
}

// streamHeaders are those of every event stream; proxies on the way must not keep events back.
func streamHeaders(h http.Header, contentType string) {
	h["Content-Type"] = eventStream
	if contentType != "" {
		h["Content-Type"] = []string{contentType}
	}
	h["Cache-Control"] = noCache
	h["X-Accel-Buffering"] = noBuffering
}

var (
	eventStream = []string{"text/event-stream"}
	noCache     = []string{"no-cache"}
	noBuffering = []string{"no"}
)

// headerText is a name as a header can carry it: everything but printable ASCII is percent-encoded, and so is the
// percent sign, so that decoding is exact.
func headerText(s string) string {
	plain := true
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '%' {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '%' {
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
