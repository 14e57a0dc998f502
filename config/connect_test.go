package config

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestConnectAsksEachProviderForItsModels(t *testing.T) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") == "Bearer bad":
			w.WriteHeader(http.StatusUnauthorized)
		case strings.HasPrefix(r.URL.Path, "/bare"):
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = w.Write([]byte(`{"data":[{"id":"llama-3"},{"id":"other"}]}`))
		}
	}))
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	defer host.Close()
	f := mustParse(t, `
providers:
- {id: fine, kind: openai, base_url: "`+host.URL+`/v1", models: [llama-3, lama-3], keys: [{name: a, value: good}, {name: b, value: bad}, {name: c, env: UNSET}]}
- {id: bare, kind: openai, base_url: "`+host.URL+`/bare"}
- {id: gone, kind: openai, base_url: "`+gone.URL+`/v1"}
- {id: off, kind: openai, base_url: "`+gone.URL+`/v1", enabled: false}
- {id: demo, kind: demo}
`)
	var got []string
	for _, line := range lines(f.Connect(t.Context(), lookup(nil))) {
		got = append(got, line[:min(len(line), 100)])
	}
	want := []string{
		`warning: providers[0].models[1]: is not among the 2 models that the provider lists; did you mean "llama-3"?`,
		"providers[0].keys[1]: the provider can't be asked for its models: auth 401",
		"warning: providers[1].base_url: the provider was reached, but doesn't list its models: model_not_found 404",
		"providers[2].base_url: the provider can't be asked for its models: connection",
	}
	if !slices.EqualFunc(got, want, func(got, want string) bool { return strings.HasPrefix(want, got) || strings.HasPrefix(got, want) }) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}
