package providers

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
)

// azureKind is a resource of Azure OpenAI: the target's model is a deployment. Its base URL is the endpoint of the
// resource; one that ends in /openai/v1 is spoken to as OpenAI is, without an api-version.
var azureKind = &hostKind{
	base: func(base *url.URL) {
		if base.Path != azureV1 {
			rebase(base, "/openai")
		}
	},
	address:   azureAddress,
	authorize: func(h http.Header, secret string) { h["Api-Key"] = []string{secret} },
	models:    modelList{list: "data", name: "id", query: azureQuery},
}

const (
	azureV1      = "/openai/v1"
	azureVersion = "2024-10-21" // the latest that is generally available
)

func azureAddress(u *upstream, e Endpoint, a *Attempt) place {
	if u.base.Path == azureV1 {
		return place{path: upstreamPaths[e]}
	}
	if e == Responses {
		return place{path: strings.TrimPrefix(azureV1, "/openai") + upstreamPaths[e]}
	}
	to := inPath("/deployments/", a.Model, upstreamPaths[e])
	to.query = azureQuery(u)
	return to
}

func azureQuery(u *upstream) string {
	if u.base.Path == azureV1 {
		return ""
	}
	return "api-version=" + url.QueryEscape(cmp.Or(u.version, azureVersion))
}
