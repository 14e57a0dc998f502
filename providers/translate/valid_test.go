package translate

import (
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/sse"
)

// deep is a text that takes all of the stack of whoever goes down into it by recursion.
var deep = strings.Repeat("[", 8_000_000)

func TestTextsOfNothingButBracketsAreNoJSON(t *testing.T) {
	if valid(deep) || valid([]byte(deep+strings.Repeat("]", len(deep)))) || !valid(`{"a":[1]}`) {
		t.Error("depth is not told from validity")
	}
	if got := argumentsObject(deep); len(got) != len(deep)+len(`{"_raw":""}`) {
		t.Errorf("arguments of %d bytes became %d", len(deep), len(got))
	}
	r := newGeminiReader()
	if said := r.read(sse.Event{Data: []byte(`{"candidates":[{"content":{"parts":[{"functionCall":{"args":` + deep)}, nil); len(said) > 0 {
		t.Errorf("it says %d events", len(said))
	}
}
