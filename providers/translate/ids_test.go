package translate

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestALegalIDStaysAsItIs(t *testing.T) {
	for _, id := range []string{"call_1", "toolu_01A-b", strings.Repeat("x", 64)} {
		if got := legalID(id, 64); got != id {
			t.Errorf("%s became %s", id, got)
		}
	}
	if got := shortened("functions.read:0", 40); got != "functions.read:0" {
		t.Errorf("a short one became %s", got)
	}
}

func TestIDsAreMadeLegalAndStayDistinct(t *testing.T) {
	legal := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`)
	rapid.Check(t, func(t *rapid.T) {
		one, other := rapid.String().Draw(t, "one"), rapid.String().Draw(t, "other")
		a, b := legalID(one, 40), legalID(other, 40)
		if !legal.MatchString(a) {
			t.Fatalf("%q became %q", one, a)
		}
		if one != other && a == b {
			t.Fatalf("%q and %q became %q", one, other, a)
		}
		if short := shortened(one, 40); len(short) > 40 || one != other && short == shortened(other, 40) {
			t.Fatalf("%q was shortened to %q", one, short)
		}
	})
}
