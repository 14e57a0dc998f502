package providers

import (
	"net/http"
	"net/url"
	"strings"
)

// anthropicKind is a host of Anthropic's Messages. Its base URL has no version in it; with one it is accepted.
var anthropicKind = &hostKind{
	home:      "https://api.anthropic.com",
	native:    []Endpoint{Messages, CountTokens},
	base:      func(base *url.URL) { rebase(base, "/v1") },
	address:   func(_ *upstream, e Endpoint, _ *Attempt) place { return place{path: upstreamPaths[e]} },
	authorize: func(h http.Header, secret string) { h["X-Api-Key"] = []string{secret} },
	always: func(h http.Header) {
		if h["Anthropic-Version"] == nil {
			h["Anthropic-Version"] = anthropicVersion
		}
	},
	models: modelList{list: "data", name: "id", query: func(*upstream) string { return "limit=1000" }},
}

// anthropicVersion is sent where the client names none.
var anthropicVersion = []string{"2023-06-01"}

// rebase ends a base URL with its version, unless it has one of those.
func rebase(base *url.URL, version string, others ...string) {
	for _, known := range append(others, version) {
		if strings.HasSuffix(base.Path, known) {
			return
		}
	}
	base.Path += version
	if base.RawPath != "" {
		base.RawPath += version
	}
}
