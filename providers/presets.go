package providers

import "github.com/ohmroute/ohmroute/circuitbreaker"

// Preset is what is known of a well-known provider.
type Preset struct {
	Name    string // as in the configuration's preset
	Title   string // as people call it
	Kind    string // the provider kind that speaks its dialect
	BaseURL string // as that provider's own SDK takes it; empty: it has to be configured
	KeyEnv  string // usual environment variable of the key; empty: no key is needed

	// Scope is the breaker scope: target where one host serves several models on separate capacity.
	Scope    circuitbreaker.Scope
	Dialects []Endpoint // the endpoints the host speaks natively among chat, responses and messages
	Quirks   []string   // what is odd about it, for the documentation
}

// PresetOf returns the preset of that name.
func PresetOf(name string) (Preset, bool) { return Preset{}, false }

// Presets lists all presets in a stable order.
func Presets() []Preset { return nil }
