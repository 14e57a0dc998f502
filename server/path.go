package server

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"
)

// routablePath returns the path that the router sees, as the client wrote it: still escaped if URL.RawPath is set.
// It is false for paths that name no route whatever they resolve to: empty or dot segments and backslashes, which a
// proxy in front may have read differently when it checked who may pass.
func routablePath(u *url.URL) (string, bool) {
	path := u.Path
	if u.RawPath != "" {
		path = u.RawPath
	}
	if path == "" || path[0] != '/' || strings.Contains(path, "//") || strings.IndexByte(path, '\\') >= 0 {
		return "", false
	}
	for i := strings.Index(path, "/."); i >= 0; {
		segment, _, _ := strings.Cut(path[i+1:], "/")
		if segment == "." || segment == ".." {
			return "", false
		}
		next := strings.Index(path[i+1:], "/.")
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return path, true
}

// withoutTrailingSlash returns r with one trailing slash of its path taken away, r itself if there is none.
// The admin side is matched exactly and keeps its slash, which names no route there.
func withoutTrailingSlash(r *http.Request, path string) *http.Request {
	if len(path) < 2 || path[len(path)-1] != '/' || strings.HasPrefix(path, adminPrefix) {
		return r
	}
	u := *r.URL
	u.Path = strings.TrimSuffix(u.Path, "/")
	u.RawPath = strings.TrimSuffix(u.RawPath, "/")
	trimmed := *r
	trimmed.URL = &u
	return &trimmed
}

// param returns the one path parameter that a route names, unescaped exactly once. Echo hands out what stands in
// the raw path; if there is none, net/url has unescaped it already.
func param(c echo.Context, name string) (string, error) {
	v := c.Param(name)
	if name != wildcard && strings.IndexByte(v, '/') >= 0 {
		return "", errUnknownRoute // echo's last parameter swallows slashes; routes are matched exactly
	}
	if c.Request().URL.RawPath != "" {
		unescaped, err := url.PathUnescape(v)
		if err != nil {
			return "", errUnknownRoute
		}
		v = unescaped
	}
	if v == "" || !utf8.ValidString(v) {
		return "", errUnknownRoute
	}
	return v, nil
}

const (
	wildcard    = "*"
	adminPrefix = "/api/"
)
