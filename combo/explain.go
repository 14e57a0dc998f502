package combo

import (
	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// Explanation says what the walk would do now; it is the JSON of the explain endpoint.
type Explanation struct {
	Combo         string      `json:"combo"`
	Strategy      string      `json:"strategy"`
	Candidates    []Candidate `json:"candidates"`
	WhenExhausted string      `json:"when_exhausted"`
}

// Candidate is one target in the order in which it would be asked.
type Candidate struct {
	Provider     string               `json:"provider"`
	Model        string               `json:"model"`
	Position     int                  `json:"position"` // from 1
	Admitted     bool                 `json:"admitted"`
	SkipReason   *SkipReason          `json:"skip_reason"`
	Breaker      *string              `json:"breaker"` // the one that refuses
	State        circuitbreaker.State `json:"state"`   // the worst of provider, key and target
	RetryAfterMS *int64               `json:"retry_after_ms"`
	Suspect      bool                 `json:"suspect"`
}

// Explain says what the walk for the combo, alias or "provider/model" would do now. It changes no state.
// A nil req asks for a request that every target can serve.
func (r *Router) Explain(name string, req *providers.Request) (Explanation, error) {
	return Explanation{}, &Error{Status: 404, Code: "model_not_found"}
}
