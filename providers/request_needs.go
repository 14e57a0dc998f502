package providers

import "strings"

// need is what an endpoint can't do without: one member of a set.
type need struct {
	name  string // the usual one
	marks mark
}

// needs are the members without which no host answers.
var needs = map[Endpoint]need{
	Chat:           {"messages", markMessages},
	Completions:    {"prompt", markPrompt | markEmbeds},
	Embeddings:     {"input", markInput},
	Responses:      {"input", markInput | markPrompt | markPrevious | markConversation},
	Messages:       {"messages", markMessages},
	CountTokens:    {"messages", markMessages},
	Moderations:    {"input", markInput},
	Images:         {"prompt", markPrompt},
	Speech:         {"input", markInput},
	Transcriptions: {"file", markFile},
	Rerank:         {"query", markQuery},
}

// homes are the endpoints that a body belongs to by what it holds instead.
var homes = []struct {
	mark      mark
	name      string
	endpoints []Endpoint
}{
	{markMessages, "messages", []Endpoint{Chat, Messages}},
	{markInput, "input", []Endpoint{Responses, Embeddings}},
	{markPrompt, "prompt", []Endpoint{Completions}},
}

// Complete refuses a request without what its endpoint can't do without, which no target needs to be asked about, and
// says where such a body belongs. Its error is a [*BadRequest].
func (r *Request) Complete() error {
	needed, known := needs[r.Endpoint]
	if !known || r.at.given&needed.marks != 0 {
		return nil
	}
	bad := missing(needed.name)
	for _, home := range homes {
		if r.at.given&home.mark != 0 {
			paths := make([]string, len(home.endpoints))
			for i, e := range home.endpoints {
				paths[i] = "/v1" + upstreamPaths[e]
			}
			bad.Message += " A body with '" + home.name + "' belongs to " + strings.Join(paths, " or ") + "."
			break
		}
	}
	return bad
}
