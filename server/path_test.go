package server

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

func TestRoutablePath(t *testing.T) {
	tests := map[string]struct {
		url  string
		want string
		ok   bool
	}{
		"a plain path stands as it is":                {"/v1/models", "/v1/models", true},
		"an escaped slash stays escaped":              {"/v1/models/openai%2Fgpt-4o%20mini", "/v1/models/openai%2Fgpt-4o%20mini", true},
		"what net/url unescaped is not escaped again": {"/v1/models/gpt%204o", "/v1/models/gpt 4o", true},
		"a twice escaped slash is a percent sign":     {"/v1/models/a%252Fb", "/v1/models/a%2Fb", true},
		"a hidden file is a name":                     {"/v1/models/.hidden", "/v1/models/.hidden", true},
		"dots within a name are a name":               {"/v1/models/a..b", "/v1/models/a..b", true},
		"three dots are a name":                       {"/v1/models/...", "/v1/models/...", true},
		"the root is a path":                          {"/", "/", true},
		"a second slash in front is refused":          {"//admin", "", false},
		"an empty segment is refused":                 {"/v1//models", "", false},
		"a dot segment is refused":                    {"/v1/./models", "", false},
		"a parent segment is refused":                 {"/v1/../api/v1/providers", "", false},
		"a parent segment at the end is refused":      {"/v1/models/..", "", false},
		"a parent behind a hidden file is refused":    {"/v1/.x/../api", "", false},
		"an escaped backslash is part of a name":      {"/v1/models/a%5C%2e", `/v1/models/a%5C%2e`, true},
		"an empty path is refused":                    {"", "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			u, err := url.ParseRequestURI(tt.url)
			if tt.url == "" {
				u, err = &url.URL{}, nil
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(tt.url) > 1 && tt.url[:2] == "//" {
				u = &url.URL{Path: tt.url}
			}
			got, ok := routablePath(u)
			if got != tt.want || ok != tt.ok {
				t.Errorf("routablePath(%q) = %q, %v, want %q, %v", tt.url, got, ok, tt.want, tt.ok)
			}
		})
	}
	t.Run("a literal backslash is refused", func(t *testing.T) {
		if _, ok := routablePath(&url.URL{Path: `/v1\models`}); ok {
			t.Error("a backslash passed")
		}
	})
}

func TestTrailingSlash(t *testing.T) {
	tests := map[string]struct{ url, path, rawPath string }{
		"one is taken away on the client side":      {"/v1/models/", "/v1/models", ""},
		"one behind an escaped name is taken away":  {"/v1/models/a%2Fb/", "/v1/models/a/b", "/v1/models/a%2Fb"},
		"an escaped one belongs to the name":        {"/v1/models/a%2F", "/v1/models/a/", "/v1/models/a%2F"},
		"the root keeps its slash":                  {"/", "/", ""},
		"the admin side keeps it, and so is no URL": {"/api/v1/providers/", "/api/v1/providers/", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, tt.url, nil)
			path, ok := routablePath(r.URL)
			if !ok {
				t.Fatal("refused")
			}
			got := withoutTrailingSlash(r, path).URL
			if got.Path != tt.path || got.RawPath != tt.rawPath {
				t.Errorf("got %q raw %q, want %q raw %q", got.Path, got.RawPath, tt.path, tt.rawPath)
			}
		})
	}
}

// FuzzRoutablePath holds that no path that is let through resolves to another one.
func FuzzRoutablePath(f *testing.F) {
	for _, seed := range []string{"/v1/models", "//x", "/a/../b", "/a/%2e%2e/b", "/.", "/a/.", "/%2f/x", `/\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := url.ParseRequestURI(raw)
		if err != nil {
			return
		}
		path, ok := routablePath(u)
		if !ok {
			return
		}
		cleaned := (&url.URL{Path: path}).JoinPath().Path
		if cleaned != path {
			t.Errorf("%q is let through as %q, which resolves to %q", raw, path, cleaned)
		}
	})
}
