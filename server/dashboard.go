package server

import (
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/ohmroute/ohmroute/web"
)

// asset is one file of the dashboard as it is sent.
type asset struct {
	contentType string
	etag        string
	body        []byte
}

// contentTypes are those of the dashboard's files; the system's own table is not asked, it differs between systems.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

const dashboardPage = "index.html"

// dashboard are the files by their path, read once.
var dashboard = sync.OnceValues(func() (map[string]*asset, error) {
	files := make(map[string]*asset)
	err := fs.WalkDir(web.Files(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(web.Files(), name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(body)
		files[name] = &asset{
			contentType: contentTypes[path.Ext(name)],
			etag:        `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`,
			body:        body,
		}
		return nil
	})
	return files, err
})

// pagePolicy is what the dashboard may do: run its own files, talk to its own host, and nothing else. Nothing of it
// stands inside the page, and no text becomes markup.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// home shows the dashboard to browsers and says hello to programs.
func (s *Server) home(c echo.Context) error {
	exchangeOf(c).Header().Add("Vary", "Accept")
	if !strings.Contains(c.Request().Header.Get("Accept"), "text/html") {
		return s.hello(c)
	}
	return sendAsset(c, dashboardPage)
}

func (s *Server) showAsset(c echo.Context) error {
	name, err := param(c, wildcard)
	if err != nil {
		return err
	}
	return sendAsset(c, "assets/"+name)
}

// sendAsset answers with a file; a browser keeps it and asks each time whether it is still the same.
func sendAsset(c echo.Context, name string) error {
	files, err := dashboard()
	if err != nil {
		return err
	}
	file, ok := files[name]
	if !ok {
		return errUnknownRoute
	}
	x := exchangeOf(c)
	h := x.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h["Cache-Control"] = noCache
	h.Set("ETag", file.etag)
	if holds(c.Request().Header.Get("If-None-Match"), file.etag) {
		x.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", file.contentType)
	h.Set("Content-Length", strconv.Itoa(len(file.body)))
	x.WriteHeader(http.StatusOK)
	_, _ = x.Write(file.body) // the client left: the exchange's log shows the bytes
	return nil
}

// holds tells whether a list of entity tags, as If-None-Match has it, names etag.
func holds(list, etag string) bool {
	for each := range strings.SplitSeq(list, ",") {
		if each = strings.TrimSpace(each); each == "*" || strings.TrimPrefix(each, "W/") == etag {
			return true
		}
	}
	return false
}
