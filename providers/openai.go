package providers

// openAIKind is any host in OpenAI's dialect. Its base URL has the version in it.
var openAIKind = &hostKind{
	address:   func(_ *upstream, e Endpoint, _ *Attempt) place { return place{path: upstreamPaths[e]} },
	authorize: bearer,
	models:    modelList{list: "data", name: "id"},
}
