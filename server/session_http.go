package server

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// sessionCookie is the name of the cookie that holds a session's secret. A browser sends cookies to every port of a
// host: the port in the name keeps the sessions of two gateways on one machine apart.
func sessionCookie(r *http.Request) string {
	const name = "ohmroute_session"
	if _, port, err := net.SplitHostPort(r.Host); err == nil && port != "" {
		return name + "_" + port
	}
	return name
}

// sessionOf is the session that a request brings, nil if it has none that is open.
func (s *Server) sessionOf(r *http.Request) *session {
	cookie, err := r.Cookie(sessionCookie(r))
	if err != nil {
		return nil
	}
	return s.sessions.use(cookie.Value, time.Now())
}

// admitOwnPage lets programs and pages of this host itself come to what needs no session yet.
func (s *Server) admitOwnPage(r *http.Request) error {
	if !s.origins.ownHost(r) {
		return errForeignHost
	}
	if !s.origins.sameOrigin(r) {
		return errForeignOrigin
	}
	return nil
}

// sessionAnswer tells a page whether it is logged in and, if so, whom it talks to.
type sessionAnswer struct {
	Open      bool   `json:"open"`
	ExpiresAt string `json:"expires_at,omitempty"` // if it is not used before
	Version   string `json:"version,omitempty"`
	Instance  string `json:"instance,omitempty"`
}

func (s *Server) sessionAnswer(c echo.Context, open *session) error {
	var answer sessionAnswer
	if open != nil {
		answer = sessionAnswer{true, wireTime(time.Now().Add(sessionIdle)), s.opts.Version, s.opts.Instance}
	}
	x := exchangeOf(c)
	x.Header()["Cache-Control"] = noStore
	writeJSON(x, http.StatusOK, answer)
	return nil
}

// logIn exchanges the admin token for a session. A wrong token is answered as a wrong bearer token is.
func (s *Server) logIn(c echo.Context) error {
	var secret string
	if err := s.decodeSmall(c, fields{"token": &secret}); err != nil {
		return err
	}
	if secret == "" {
		return badParameter("token", "", "the admin token")
	}
	r := c.Request()
	if err := s.compare(r, secret, s.adminToken); err != nil {
		return err
	}
	cookie, opened := s.sessions.begin(time.Now())
	http.SetCookie(exchangeOf(c), cookieOf(r, cookie, 0))
	return s.sessionAnswer(c, opened)
}

// showSession answers 200 without a session too: a page asks in order to know whether to log in.
func (s *Server) showSession(c echo.Context) error {
	return s.sessionAnswer(c, s.sessionOf(c.Request()))
}

// logOut ends the session of the caller; without one there is nothing to end.
func (s *Server) logOut(c echo.Context) error {
	r := c.Request()
	if cookie, err := r.Cookie(sessionCookie(r)); err == nil {
		s.sessions.finish(cookie.Value)
	}
	http.SetCookie(exchangeOf(c), cookieOf(r, "", -1))
	return noContent(c)
}

// cookieOf makes the session's cookie. It lasts as long as the browser runs: the server alone decides when a session
// ends. That a proxy in front speaks TLS is believed, since it only keeps the cookie from being sent in the clear.
func cookieOf(r *http.Request, secret string, maxAge int) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure where it can be: on a plain connection a browser would drop the cookie
		Name: sessionCookie(r), Value: secret, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	}
}

// whileLoggedIn cuts what goes on for long when the session that asked for it ends.
func whileLoggedIn(handler func(*Server, echo.Context) error) func(*Server, echo.Context) error {
	return func(s *Server, c echo.Context) error {
		r := c.Request()
		if bearer(r) != "" {
			return handler(s, c)
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		open := s.sessionOf(r)
		if open == nil {
			return errNoAdminToken // it ended since the guard looked
		}
		defer context.AfterFunc(open.ended, cancel)()
		c.SetRequest(r.WithContext(ctx))
		return handler(s, c)
	}
}
