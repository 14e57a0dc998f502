package providers

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// hostKind is how a kind of host is spoken to over HTTP.
type hostKind struct {
	home string // the base URL where nothing else is configured; empty: none

	// native are the endpoints that it answers in its own dialect; nil: those that the configuration names.
	native []Endpoint

	base      func(base *url.URL)                             // brings a base URL into the form that paths are put behind; nil: as it is
	address   func(u *upstream, e Endpoint, a *Attempt) place // where an endpoint of it is
	authorize func(h http.Header, secret string)
	always    func(h http.Header) // adds what every request has to say; nil: nothing
	models    modelList
}

// place is what stands behind a base URL.
type place struct {
	path    string // as it is decoded
	escaped string // as it is written, if that isn't what net/url would write; empty: it is
	query   string
}

// modelList is the form in which a kind tells its models.
type modelList struct {
	query        func(u *upstream) string // nil: none
	list, name   string                   // the members of the list and of each model's name
	withoutFront string                   // taken from the names
}

// kindDemo is the kind of the provider in the process.
const kindDemo = "demo"

// hostKinds are the kinds of hosts; the demo, which is no host, is one of its own.
var hostKinds = map[string]*hostKind{
	"openai":    openAIKind,
	"anthropic": anthropicKind,
	"gemini":    geminiKind,
	"azure":     azureKind,
}

// HostKinds lists the kinds of providers over HTTP, sorted.
func HostKinds() []string { return slices.Sorted(maps.Keys(hostKinds)) }

// besideChat are the endpoints of whoever speaks OpenAI's chat.
var besideChat = []Endpoint{Completions, Embeddings, Moderations, Images, Speech, Transcriptions, Rerank}

// HomeURL is the base URL of a kind that has one everywhere; empty: it has to be configured.
func HomeURL(kind string) string {
	if k := hostKinds[kind]; k != nil {
		return k.home
	}
	return ""
}

// NativeEndpoints are what a provider of that kind answers in its own dialect. dialects is what the configuration
// says of a host of kind openai; nil is everything. A list that names an endpoint beside the conversations is exact; one
// that doesn't says nothing of them, and whoever speaks chat is asked for all of them.
func NativeEndpoints(kind string, dialects []Endpoint) map[Endpoint]bool {
	if k := hostKinds[kind]; k != nil && k.native != nil {
		dialects = k.native
	} else if dialects == nil {
		return nil
	}
	native := make(map[Endpoint]bool, len(dialects)+len(besideChat))
	for _, e := range dialects {
		native[e] = true
	}
	exact := slices.ContainsFunc(besideChat, func(e Endpoint) bool { return native[e] })
	if native[Chat] && kind != kindDemo && !exact {
		for _, e := range besideChat {
			native[e] = true
		}
	}
	if native[Messages] {
		native[CountTokens] = true
	}
	return native
}

// ServedEndpoints are what clients can ask of a provider with such native endpoints: these, and every form of
// conversation if it has one (spec: clients.md, Across dialects). nil is everything.
func ServedEndpoints(native map[Endpoint]bool) map[Endpoint]bool {
	if native == nil {
		return nil
	}
	served := maps.Clone(native)
	for e := range native {
		if dialects[e] != 0 {
			served[Chat], served[Responses], served[Messages] = true, true, true
		}
	}
	delete(served, GenerateContent)
	return served
}

// bearer is how most hosts want their keys.
func bearer(h http.Header, secret string) { h["Authorization"] = []string{"Bearer " + secret} }
