package providers

import (
	"strings"
	"testing"
	"time"
)

// Whatever stands in Retry-After and in the headers of resets is a wait that is not negative, and none at all in place of
// what is no number.
func FuzzHints(f *testing.F) {
	for _, seed := range []string{
		"5", "0.5", "6m0s", "1d2h", "12ms", "Wed, 21 Oct 2015 07:28:00 GMT", "2015-10-21T07:28:00Z", "1796054418", "1796054418597", "-1", "1e9",
		"99999999999999999999", "NaN", "0x10", "5 minutes", "9223372036.854775807s", "292y", "µs", "1.2.3s", "１s", " 7 ",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, got := range map[string]time.Duration{
			"milliseconds": milliseconds(text), "retryAfter": retryAfter(text, testNow), "resetAfter": resetAfter(text, testNow),
			"duration": duration(text), "wordedDuration": wordedDuration(text),
		} {
			if got < 0 {
				t.Errorf("%s of %q is %s", name, text, got)
			}
			if got > 0 && !strings.ContainsAny(text, "0123456789") {
				t.Errorf("%s of %q is %s, and there is no digit in it", name, text, got)
			}
		}
		if whole := duration(text); whole > 0 && wordedDuration(text) != whole {
			t.Errorf("%q is %s whole, and %s with words behind it", text, whole, wordedDuration(text))
		}
	})
}

// Whatever stands around a secret, and wherever texts are cut, no more of it is left than is no secret.
func FuzzRedact(f *testing.F) {
	f.Add("no ", " here", uint16(0), uint8(0))
	f.Add(strings.Repeat("x", 500), "", uint16(0b1010), uint8(5))
	f.Add(`\`, `\u00`, uint16(0xffff), uint8(0))
	f.Fuzz(func(t *testing.T, before, after string, escapes uint16, shift uint8) {
		const secret = "Quince/5521+Worm"
		if strings.Contains(before+after, secret[:4]) {
			return
		}
		var spelled strings.Builder
		for i := range len(secret) {
			if escapes>>i&1 == 1 {
				spelled.WriteString(`\u00` + string("0123456789abcdef"[secret[i]>>4]) + string("0123456789ABCDEF"[secret[i]&15]))
			} else {
				spelled.WriteByte(secret[i])
			}
		}
		body := `"` + spelled.String() + `"`
		message := strings.Repeat("y", int(shift)*3) + before + " " + secret + " " + after
		failure := &Failure{Message: clean(message, longestMessage), Code: clean(message, longestWord), Body: []byte(body)}
		failure.Redact(secret)
		if failure.Body != nil || strings.Contains(failure.Message, secret[:4]) || strings.Contains(failure.Code, secret[:4]) {
			t.Errorf("left: %q, %q, %q", failure.Message, failure.Code, failure.Body)
		}
	})
}
