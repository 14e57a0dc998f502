package providers

import (
	"net/http"
	"net/url"
	"strings"
)

// geminiKind is a host of Gemini's generateContent. Its base URL has no version in it; with one it is accepted.
var geminiKind = &hostKind{
	home:      "https://generativelanguage.googleapis.com",
	native:    []Endpoint{GenerateContent},
	base:      func(base *url.URL) { rebase(base, "/v1beta", "/v1", "/v1alpha") },
	address:   geminiAddress,
	authorize: func(h http.Header, secret string) { h["X-Goog-Api-Key"] = []string{secret} },
	models: modelList{
		list: "models", name: "name", withoutFront: geminiModels,
		query: func(*upstream) string { return "pageSize=1000" },
	},
}

// geminiModels is the folder of a model that names none.
const geminiModels = "models/"

func geminiAddress(_ *upstream, _ Endpoint, a *Attempt) place {
	folder, name := geminiModels, a.Model
	if tuned := "tunedModels/"; strings.HasPrefix(name, tuned) {
		folder, name = tuned, strings.TrimPrefix(name, tuned)
	}
	name = strings.TrimPrefix(name, geminiModels)
	to := inPath("/"+folder, name, ":generateContent")
	if a.Stream {
		to = inPath("/"+folder, name, ":streamGenerateContent")
		to.query = "alt=sse"
	}
	return to
}

// inPath is a path with a name in it that nobody has chosen with paths in mind.
func inPath(before, name, behind string) place {
	return place{path: before + name + behind, escaped: before + url.PathEscape(name) + behind}
}
