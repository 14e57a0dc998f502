package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// madeCallID is the id of an answer's n-th tool call, for targets that give none.
func madeCallID(r Reply, n int) string { return "call_" + r.ID + "_" + strconv.Itoa(n) }

// legalID is an id of a tool call as strict targets take it: of letters, digits, _ and -, at most longest of them. What
// is legal stays; what isn't becomes the same for the call and its result, and stays distinct.
func legalID(id string, longest int) string {
	legal := strings.Map(func(r rune) rune {
		if r < 128 && (r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z') {
			return r
		}
		return '_'
	}, id)
	if legal != id || id == "" {
		return marked(legal, id, longest)
	}
	return shortened(id, longest)
}

// shortened is s in at most longest bytes, and distinct from what others are shortened to.
func shortened(s string, longest int) string {
	if len(s) <= longest {
		return s
	}
	return marked(s, s, longest)
}

// marked is the start of s and a digest of whole, together of at most longest bytes.
func marked(s, whole string, longest int) string {
	sum := sha256.Sum256([]byte(whole))
	mark := "_" + hex.EncodeToString(sum[:6])
	if room := longest - len(mark); len(s) > room {
		s = strings.ToValidUTF8(s[:room], "")
	}
	return s + mark
}
