package server

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// hello answers the programs that first ask whether anybody is there.
func (s *Server) hello(c echo.Context) error {
	writeJSON(exchangeOf(c), http.StatusOK, map[string]string{"name": "ohmroute"})
	return nil
}

// healthz is 200 while the process lives.
func (s *Server) healthz(c echo.Context) error {
	writeJSON(exchangeOf(c), http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

// readyz tells whether requests should come here, which parts work only in part, and how far the disk is behind
// (spec: breaker.md 7.4). It waits for nothing.
func (s *Server) readyz(c echo.Context) error {
	degraded := append([]string{}, s.opts.Degraded...)
	saved := s.opts.Breakers.Persistence()
	if saved.Degraded {
		degraded = append(degraded, "persistence")
	}
	if s.recorder.failing() {
		degraded = append(degraded, "request_log")
	}
	at := s.traffic.now()
	status := http.StatusOK
	if at != ready {
		status = http.StatusServiceUnavailable
	}
	writeJSON(exchangeOf(c), status, struct {
		Status      string      `json:"status"`
		Degraded    []string    `json:"degraded"`
		Persistence persistence `json:"persistence"`
	}{at.String(), degraded, asPersistence(saved)})
	return nil
}
