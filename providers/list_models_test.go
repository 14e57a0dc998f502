package providers_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/providers"
)

func TestListModels(t *testing.T) {
	const secret = "sk-0123456789abcdef"
	for name, test := range map[string]struct {
		status int
		body   string
		want   []string
		kind   providers.Kind
	}{
		"a list in an object":      {200, `{"object":"list","data":[{"id":"b"},{"id":"a"},{}]}`, []string{"b", "a"}, ""},
		"a bare list":              {200, `[{"id":"a"}]`, []string{"a"}, ""},
		"none":                     {200, `{"data":[]}`, nil, ""},
		"something else":           {200, `{"models":"many"}`, nil, providers.Malformed},
		"HTML":                     {200, `<html>`, nil, providers.Malformed},
		"a refused key":            {401, `{"error":{"message":"Incorrect API key provided: ` + secret + `"}}`, nil, providers.Auth},
		"a host without such path": {404, ``, nil, providers.ModelNotFound},
		"a redirect":               {307, ``, nil, providers.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet || r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer "+secret || r.Header.Get("X-Fixed") != "1" {
					t.Errorf("asked %s %s with %v", r.Method, r.URL, r.Header)
				}
				w.Header().Set("Location", "http://127.0.0.1:1/")
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}))
			defer host.Close()
			p, err := providers.NewHost(providers.HostConfig{BaseURL: host.URL + "/v1", Headers: map[string]string{"X-Fixed": "1"}})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			got, err := p.ListModels(t.Context(), providers.Key{Secret: secret})
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			f, failed := errors.AsType[*providers.Failure](err)
			if failed != (test.kind != "") || failed && f.Kind != test.kind || failed && strings.Contains(err.Error(), secret) {
				t.Errorf("got %v, want kind %q", err, test.kind)
			}
		})
	}
}
