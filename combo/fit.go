package combo

import (
	"cmp"
	"slices"

	"github.com/ohmroute/ohmroute/providers"
)

// unfit tells why a target can't serve a request however well it is; empty: it can. Only what is declared counts.
func (l *leg) unfit(req *providers.Request) SkipReason {
	if req == nil {
		return ""
	}
	if l.host.Endpoints != nil && !l.host.Endpoints[req.Endpoint] {
		return SkipCapability
	}
	if m := &l.model; m.CapabilitiesDeclared {
		if req.Vision && !slices.Contains(m.Capabilities, CapabilityVision) ||
			req.Tools && !slices.Contains(m.Capabilities, CapabilityTools) {
			return SkipCapability
		}
	}
	if window := l.model.ContextWindow; window > 0 && req.EstimatedTokens() > window {
		return SkipContextWindow
	}
	return ""
}

// tooSmall is what a walk has learned from targets that the request didn't fit into.
type tooSmall struct {
	window int      // the largest window that was too small, in tokens; 0: none is known
	models []string // never to be asked again
}

func (s *tooSmall) learn(l *leg, f *providers.Failure) {
	s.window = max(s.window, l.model.ContextWindow, f.ContextWindow)
	s.models = append(s.models, l.model.Name)
}

// excludes leaves only targets with a larger or unknown window, of another model (spec: failures.md 1).
func (s *tooSmall) excludes(l *leg) bool {
	if len(s.models) == 0 {
		return false
	}
	window := l.model.ContextWindow
	return window > 0 && window <= s.window || slices.Contains(s.models, l.model.Name)
}

// limitsOf are the limits of an attempt: the combo's, else the model's, else the provider's; below 0 is none.
func limitsOf(c *Combo, l *leg) providers.Limits {
	m, p := &l.model.Limits, &l.host.Limits
	return providers.Limits{
		Connect:    cmp.Or(c.Limits.Connect, m.Connect, p.Connect),
		FirstToken: cmp.Or(c.Limits.FirstToken, m.FirstToken, p.FirstToken),
		Idle:       cmp.Or(c.Limits.Idle, m.Idle, p.Idle),
		Response:   cmp.Or(c.Limits.Response, m.Response, p.Response),
	}
}
