package providers

import (
	"fmt"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Charge is whose breaker gets a failure; the permits of the others are settled as no verdict.
type Charge uint8

// The charges, by the letters of spec: failures.md 1. What a key is charged goes elsewhere if there is no choice
// of keys, see [Rule.ChargedTo].
const (
	ChargeNone     Charge = iota
	ChargeProvider        // P
	ChargeKey             // K
	ChargeTarget          // T
	ChargeByScope         // S: provider or target, by the provider's breaker scope
)

var chargeNames = []string{
	ChargeNone: "none", ChargeProvider: "provider", ChargeKey: "key", ChargeTarget: "target", ChargeByScope: "breaker_scope",
}

// String returns the word that `scope` has in settings.
func (c Charge) String() string { return wordOf(chargeNames, int(c)) }

// MarshalText writes the word.
func (c Charge) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the word.
func (c *Charge) UnmarshalText(text []byte) error {
	i, err := indexOfWord(chargeNames, text)
	*c = Charge(i)
	return err
}

// ChargedTo tells whose breaker a failure of this kind is charged to, for a provider of that scope with so many
// keys (spec: failures.md 1). ScopeNone: nobody's.
func (r *Rule) ChargedTo(scope circuitbreaker.Scope, keys int) circuitbreaker.Scope {
	if !r.Counts {
		return circuitbreaker.ScopeNone
	}
	charged := r.Charged
	if charged == ChargeKey && keys < 2 && r.lone != ChargeNone {
		charged = r.lone
	}
	switch charged {
	case ChargeProvider:
		return circuitbreaker.ScopeProvider
	case ChargeKey:
		if keys == 0 {
			return circuitbreaker.ScopeProvider
		}
		return circuitbreaker.ScopeKey
	case ChargeTarget:
		return circuitbreaker.ScopeTarget
	case ChargeByScope:
		if scope == circuitbreaker.ScopeTarget {
			return circuitbreaker.ScopeTarget
		}
		return circuitbreaker.ScopeProvider
	default:
		return circuitbreaker.ScopeNone
	}
}

func wordOf(words []string, i int) string {
	if i < len(words) {
		return words[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

// indexOfWord returns 0 with its error.
func indexOfWord(words []string, text []byte) (int, error) {
	for i, word := range words {
		if word == string(text) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%q is none of %q", text, words)
}
