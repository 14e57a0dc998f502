package providers

import (
	"slices"
	"strings"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Preset is what is known of a well-known provider: it fills what a provider's configuration leaves out.
type Preset struct {
	Name    string   // as in the configuration
	Aliases []string // other names that are accepted
	Title   string   // as people call it
	Kind    string   // the provider kind that speaks its dialect
	BaseURL string   // as that provider's own SDK takes it; empty: it has to be configured
	KeyEnv  string   // usual environment variable of the key; empty: none is needed

	// Scope is the breaker scope: target where one host serves several models on separate capacity, so that a healthy
	// model's successes don't count for a dead one.
	Scope       circuitbreaker.Scope
	Dialects    []Endpoint // what the host speaks natively among Chat, Responses and Messages
	NoReasoning bool       // it refuses the reasoning of earlier turns
	Quirks      []string   // what is odd about it, for the documentation
}

// PresetOf finds a preset by its name or an alias, without regard to case and punctuation.
func PresetOf(name string) (Preset, bool) {
	if name == "" {
		return Preset{}, false
	}
	i, ok := presetIndex[bareName(name)]
	if !ok {
		return Preset{}, false
	}
	return presets[i], true
}

// Presets lists all presets in the order of the documentation. The list is the caller's.
func Presets() []Preset { return slices.Clone(presets) }

// bareName leaves the letters and digits of a name, in lower case.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		default:
			return -1
		}
	}, name)
}

var presetIndex = func() map[string]int {
	index := make(map[string]int, 2*len(presets))
	for i := range presets {
		for _, name := range append([]string{presets[i].Name}, presets[i].Aliases...) {
			index[bareName(name)] = i
		}
	}
	return index
}()
