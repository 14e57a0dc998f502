package server

import (
	"context"
	"log/slog"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// logTransition writes one line for each change of a breaker's state.
func (s *Server) logTransition(ctx context.Context, t *circuitbreaker.Transition) {
	attrs := make([]slog.Attr, 0, 7)
	attrs = append(attrs,
		slog.String("breaker", t.Name), slog.String("from", t.From.String()), slog.String("to", t.To.String()),
		slog.String("reason", t.Reason))
	if t.Kind != "" {
		attrs = append(attrs, slog.String("kind", string(t.Kind)), slog.Float64("measure", t.Measure))
	}
	if t.Wait > 0 {
		attrs = append(attrs, slog.Int64("wait_ms", t.Wait.Milliseconds()))
	}
	if !t.Enforce {
		attrs = append(attrs, slog.Bool("observed_only", true))
	}
	s.log.LogAttrs(ctx, slog.LevelWarn, "breaker changed", attrs...)
}
