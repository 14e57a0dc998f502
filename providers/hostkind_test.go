package providers

import (
	"maps"
	"slices"
	"testing"
)

func TestEndpointsBesideTheConversationsAreThoseThatAreListed(t *testing.T) {
	everythingBeside := append([]Endpoint{Chat}, besideChat...)
	for name, test := range map[string]struct {
		listed, want []Endpoint
	}{
		"chat alone says nothing of the rest":  {[]Endpoint{Chat}, everythingBeside},
		"nor do other conversations beside it": {[]Endpoint{Chat, Responses}, append([]Endpoint{Responses}, everythingBeside...)},
		"one that is listed":                   {[]Endpoint{Chat, Embeddings}, []Endpoint{Chat, Embeddings}},
		"some that are listed":                 {[]Endpoint{Chat, Rerank, Images}, []Endpoint{Chat, Rerank, Images}},
		"one without chat":                     {[]Endpoint{Embeddings}, []Endpoint{Embeddings}},
		"Messages without chat":                {[]Endpoint{Messages}, []Endpoint{Messages, CountTokens}},
		"Messages and one that is listed":      {[]Endpoint{Chat, Messages, Speech}, []Endpoint{Chat, Messages, CountTokens, Speech}},
	} {
		got := slices.Sorted(maps.Keys(NativeEndpoints("openai", test.listed)))
		if slices.Sort(test.want); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	if native := NativeEndpoints("openai", nil); native != nil {
		t.Errorf("nothing listed is %v, not everything", native)
	}
}

func TestNoPresetLosesAnEndpoint(t *testing.T) {
	for i := range presets {
		served := ServedEndpoints(NativeEndpoints(presets[i].Kind, presets[i].Dialects))
		for _, e := range append([]Endpoint{Chat, Responses, Messages}, besideChat...) {
			if !served[e] {
				t.Errorf("%s has no %s", presets[i].Name, e)
			}
		}
	}
}
