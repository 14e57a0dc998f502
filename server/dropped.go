package server

import (
	"net/http"
	"strings"

	"github.com/ohmroute/ohmroute/combo"
)

const headerDropped = "X-Ohmroute-Dropped"

// longestDropped is how much of a dropped member's name is told, in bytes: it may be a client's own.
const longestDropped = 128

// noteDropped names and counts the members of a request that its target's dialect has no counterpart of.
func (s *Server) noteDropped(h http.Header, a *combo.Answer) {
	if a.DroppedCount == 0 {
		return
	}
	provider, _, _ := strings.Cut(a.Target, "/")
	s.metrics.dropped.WithLabelValues(provider).Add(float64(a.DroppedCount))
	names := make([]string, len(a.Dropped))
	for i, name := range a.Dropped {
		names[i] = strings.ReplaceAll(headerText(clip(name, longestDropped)), ",", "%2C")
	}
	if len(names) > 0 {
		h[headerDropped] = []string{strings.Join(names, ", ")}
	}
}
