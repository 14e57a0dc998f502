package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// role is who may call a route.
type role uint8

const (
	roleOpen    role = iota // anybody
	roleClient              // /v1: client keys, once there are any
	roleMetrics             // loopback, the admin token or the metrics token
	roleAdmin               // the admin token, or a session that it opened
	rolePage                // anybody, where the admin side is: the dashboard's files hold no secret
	roleLogin               // programs and pages of this host, before they have a session
)

// token is a secret as it is compared: hashed, so that neither content nor length shows in the time it takes.
type token [sha256.Size]byte

func hashed(secret string) token { return sha256.Sum256([]byte(secret)) }

func (t token) matches(secret string) bool {
	other := hashed(secret)
	return subtle.ConstantTimeCompare(t[:], other[:]) == 1
}

// bearer returns the credential of an Authorization header, empty if there is none in the Bearer scheme.
func bearer(r *http.Request) string {
	scheme, credential, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return strings.TrimSpace(credential)
}

var (
	errForeignHost = &apiError{
		Status: http.StatusForbidden, Code: "foreign_host",
		Message: "this host name is not one of the gateway's: name it in server.allowed_hosts to use the gateway under it",
	}
	errForeignOrigin = &apiError{
		Status: http.StatusForbidden, Code: "cross_origin",
		Message: "a page of another origin may not call this",
	}
	errNoAdminToken = &apiError{
		Status: http.StatusUnauthorized, Code: "admin_token_required",
		Message: "send the admin token as Authorization: Bearer TOKEN",
	}
	errWrongAdminToken = &apiError{
		Status: http.StatusUnauthorized, Code: "invalid_admin_token", Message: "this is not the admin token",
	}
	errTooManyWrong = &apiError{
		Status: http.StatusTooManyRequests, Code: "too_many_wrong_tokens",
		Message: "too many wrong tokens are being answered", RetryAfter: wrongTokenMaxWait,
	}
	errNoClientKey = &apiError{
		Status: http.StatusUnauthorized, Code: "missing_api_key",
		Message: "send a client key as Authorization: Bearer KEY or x-api-key: KEY",
	}
	errWrongClientKey = &apiError{
		Status: http.StatusUnauthorized, Code: "invalid_api_key", Message: "this client key is unknown, revoked or expired",
	}
)

// admit checks that the request may call a route of role. It returns the answer to give if not.
func (s *Server) admit(who role, c echo.Context) error {
	r := c.Request()
	switch who {
	case roleOpen, rolePage:
		return nil
	case roleLogin:
		return s.admitOwnPage(r)
	case roleClient:
		return s.admitClient(exchangeOf(c), r)
	case roleMetrics:
		return s.admitScrape(r)
	default:
		return s.admitAdmin(r)
	}
}

func (s *Server) admitAdmin(r *http.Request) error {
	if err := s.admitOwnPage(r); err != nil {
		return err
	}
	return s.checkToken(r, s.adminToken)
}

// checkToken wants one of tokens, or a session. The answer to a wrong token comes late; to none at all at once, that is
// no guess.
func (s *Server) checkToken(r *http.Request, tokens ...token) error {
	secret := bearer(r)
	if secret == "" {
		if s.sessionOf(r) != nil {
			return nil
		}
		return errNoAdminToken
	}
	return s.compare(r, secret, tokens...)
}

// compare wants secret to be one of tokens. A wrong one is answered ever later.
func (s *Server) compare(r *http.Request, secret string, tokens ...token) error {
	var addr netip.Addr
	if ap, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		addr = ap.Addr()
	}
	place, ok := s.wrong.enter(addr, time.Now())
	if !ok {
		return errTooManyWrong
	}
	if place {
		defer s.wrong.leave(addr)
	}
	for _, t := range tokens {
		if t.matches(secret) {
			return nil
		}
	}
	if !s.wrong.hold(r.Context(), addr, place, s.wrong.note(addr, time.Now())) {
		return errTooManyWrong
	}
	return errWrongAdminToken
}

// admitScrape lets programs of this machine read the metrics without a token, unless a browser was led here.
func (s *Server) admitScrape(r *http.Request) error {
	if fromLoopback(r) && s.origins.ownHost(r) && s.origins.sameOrigin(r) {
		return nil
	}
	if s.opts.Settings.MetricsToken == "" {
		return s.checkToken(r, s.adminToken)
	}
	return s.checkToken(r, s.adminToken, s.metricsToken)
}

// admitClient wants a client key once one was ever made. Before that, /v1 is open, but not to web pages: a page
// of any site could otherwise spend the operator's money through the visitor's own machine, also under a name
// of its own that it has pointed here.
func (s *Server) admitClient(x *exchange, r *http.Request) error {
	if !s.opts.Config.KeysEverExisted() {
		if !s.origins.mayCall(r) {
			return errForeignOrigin
		}
		if s.origins.rebound(r) {
			return errForeignHost
		}
		return nil
	}
	secret := bearer(r)
	if secret == "" {
		secret = r.Header.Get("X-Api-Key")
	}
	if secret == "" {
		return errNoClientKey
	}
	key, ok := s.opts.Config.AuthorizeClient(secret)
	if !ok {
		return errWrongClientKey
	}
	x.key = &key
	return nil
}
