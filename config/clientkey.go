package config

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"
)

// ClientKey is a key that clients send to /v1. Only the SHA-256 of its secret is kept.
type ClientKey struct { //nolint:recvcheck // a value must be shown as JSON too, and only a pointer can be read into
	ID                string
	Name              string
	Combos            []string  // combos and provider/model names that it may use; empty: all
	ExpiresAt         time.Time // zero: never
	RequestsPerMinute int       // 0: no limit
	Parallel          int       // 0: no limit
	Origin

	secret *string // the key itself: in the answer to its creation only
	env    string  // of a key in the file: where its secret is
	hash   [sha256.Size]byte
}

// MarshalJSON writes the key without its secret, but for the answer to its creation.
func (k ClientKey) MarshalJSON() ([]byte, error) {
	return written(false, func(m members) {
		m.shown("id", &k.ID)
		k.members(m)
		m.text("key", &k.secret, nil)
	}), nil
}

// Secret is the key itself in the answer to its creation, and "" ever after.
func (k *ClientKey) Secret() string {
	if k.secret == nil {
		return ""
	}
	return *k.secret
}

// Allows tells whether the key may be used for what a request's model stands for: any one of the names it goes by,
// such as the alias that was sent and the combo that it stands for.
func (k *ClientKey) Allows(names ...string) bool {
	return len(k.Combos) == 0 || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(k.Combos, n) })
}

// members are those that a caller may set.
func (k *ClientKey) members(m members) {
	text(m, "name", &k.Name, nameRule)
	m.texts("combos", &k.Combos, nameRule)
	m.instant("expires_at", &k.ExpiresAt)
	count(m, "requests_per_minute", &k.RequestsPerMinute, counts)
	count(m, "parallel", &k.Parallel, counts)
	k.Origin.members(m)
}

// storedMembers are a key as it is stored.
func (k *ClientKey) storedMembers(m members) {
	m.shown("id", &k.ID)
	k.members(m)
	sum := hex.EncodeToString(k.hash[:])
	text(m, "sha256", &sum, sha256Rule)
	k.setHash(sum)
}

// fileMembers are a key in the file, which says its secret in one of three ways.
func (k *ClientKey) fileMembers(m members) {
	k.members(m)
	set(&k.env, func(v **string) { m.text("env", v, envRule) })
	m.text("value", &k.secret, clientSecretRule)
	var sum string
	set(&sum, func(v **string) { m.text("sha256", v, sha256Rule) })
	k.setHash(sum)
}

func (k *ClientKey) setHash(hexadecimal string) {
	if sum, err := hex.DecodeString(hexadecimal); err == nil && len(sum) == len(k.hash) && k.hash != [sha256.Size]byte(sum) {
		k.hash = [sha256.Size]byte(sum)
	}
}

func sha256Rule(text string) string {
	if sum, err := hex.DecodeString(text); err != nil || len(sum) != sha256.Size {
		return "must be a SHA-256 in 64 hexadecimal digits"
	}
	return ""
}

// leastClientSecret is the fewest characters of a client key in the file.
const leastClientSecret = 16

func clientSecretRule(value string) string {
	if wrong := secretRule(value); wrong != "" {
		return wrong
	}
	if len(value) < leastClientSecret {
		return "must have at least 16 characters"
	}
	return ""
}
