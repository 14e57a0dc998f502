package server

import (
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// logAccess writes one line for each request. It holds no query, header, name from a body, or text of a prompt; of the
// client side it names the route alone.
func (s *Server) logAccess(r *http.Request, x *exchange, aborted bool) {
	level := slog.LevelInfo
	if quietRoutes[x.route] || x.route == assetsRoute {
		level = slog.LevelDebug
	}
	ctx := r.Context()
	if !s.log.Enabled(ctx, level) {
		return
	}
	path := x.route
	if path == "" || strings.HasPrefix(path, adminPrefix) { // what operators do is told by its name
		path = clip(r.URL.EscapedPath(), maxLoggedPath)
	}
	attrs := make([]slog.Attr, 0, 12)
	attrs = append(attrs,
		slog.String("request_id", x.id),
		slog.String("method", clip(r.Method, maxLoggedMethod)),
		slog.String("path", path),
		slog.Int("status", x.loggedStatus()),
		slog.Int64("bytes", x.sent),
		slog.Float64("ms", float64(time.Since(x.start).Microseconds())/1000),
		slog.String("remote", clientAddress(r)),
	)
	if aborted {
		attrs = append(attrs, slog.Bool("aborted", true))
	}
	if x.combo != "" {
		attrs = append(attrs, slog.String("combo", x.combo), slog.String("target", x.target),
			slog.Int("attempts", x.attempts), slog.String("outcome", x.outcome))
	}
	s.log.LogAttrs(ctx, level, "request", attrs...)
}

// loggedStatus is 499 for a client that left, whatever had been sent.
func (x *exchange) loggedStatus() int {
	if x.gone {
		return statusClientGone
	}
	return x.status
}

const (
	statusClientGone = 499
	maxLoggedPath    = 200
	maxLoggedMethod  = 16
)

// clip keeps a log line short, whatever a client sends, and says how much it left out.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "..." + strconv.Itoa(len(s)-n)
}
