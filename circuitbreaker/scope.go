package circuitbreaker

import "strings"

// Scope says what a breaker stands for; it is the part of the breaker's name
// before the colon. Spec: breaker.md 6.2.
type Scope uint8

// The scopes. ScopeNone is the scope of a name without a known prefix and, as
// the charged scope of a failure, means that nobody is charged.
const (
	ScopeNone Scope = iota
	ScopeProvider
	ScopeKey
	ScopeTarget
)

var scopeNames = [...]string{ScopeNone: "", ScopeProvider: "provider", ScopeKey: "key", ScopeTarget: "target"}

// String returns "provider", "key", "target", or "" for ScopeNone.
func (s Scope) String() string {
	if int(s) < len(scopeNames) {
		return scopeNames[s]
	}
	return ""
}

// ProviderName is the name of a provider's breaker: "provider:<id>".
func ProviderName(id string) string { return "provider:" + id }

// KeyName is the name of the breaker of one key of a provider: "key:<id>/<key>".
func KeyName(id, key string) string { return "key:" + id + "/" + key }

// TargetName is the name of the breaker of one model of a provider: "target:<id>/<model>".
func TargetName(id, model string) string { return "target:" + id + "/" + model }

func scopeOf(name string) Scope {
	prefix, _, found := strings.Cut(name, ":")
	if !found {
		return ScopeNone
	}
	for i, word := range scopeNames {
		if prefix == word && Scope(i) != ScopeNone {
			return Scope(i)
		}
	}
	return ScopeNone
}
