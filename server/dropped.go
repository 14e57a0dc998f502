package server

import (
	"net/http"
	"strings"

	"github.com/ohmroute/ohmroute/combo"
)

const headerDropped = "X-Ohmroute-Dropped"

// longestDropped is how much of a dropped member's name is told, in bytes: it may be a client's own.
const longestDropped = 128

// noteDropped names and counts the members of a request that its target's dialect has no counterpart of. Reasoning of
// earlier turns is named and not counted.
func (s *Server) noteDropped(h http.Header, a *combo.Answer) {
	if len(a.Dropped) == 0 {
		return
	}
	if a.DroppedCount > 0 {
		provider, _, _ := strings.Cut(a.Target, "/")
		s.metrics.dropped.WithLabelValues(provider).Add(float64(a.DroppedCount))
	}
	names := make([]string, len(a.Dropped))
	for i, name := range a.Dropped {
		names[i] = strings.ReplaceAll(headerText(clip(name, longestDropped)), ",", "%2C")
	}
	h[headerDropped] = []string{strings.Join(names, ", ")}
}
