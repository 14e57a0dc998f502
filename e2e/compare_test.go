package e2e

import (
	"bytes"
	"encoding/json"
)

// equalJSON tells whether two decoded values are the same as JSON.
func equalJSON(a, b any) bool {
	left, err1 := json.Marshal(a)
	right, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && bytes.Equal(left, right)
}
