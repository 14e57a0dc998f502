package server

import (
	"net/http"
	"strings"
)

// dialect is the form in which a client is told of errors (spec: api.md, errors; clients.md "What breaks them"). The path
// says which, before anything else of the request is looked at; for models, which clients of every dialect ask for under
// the same path, so does the header that only clients of Anthropic send.
type dialect uint8

const (
	dialectOpenAI    dialect = iota // whatever isn't named here
	dialectResponses                // OpenAI's, but for errors within a stream
	dialectMessages                 // Anthropic's
)

// dialectPath is a path below which all errors are of one dialect.
type dialectPath struct {
	path    string
	dialect dialect
	shared  bool // only for requests with an anthropic-version
}

var dialectPaths = func() (all []dialectPath) {
	for _, prefix := range clientPrefixes {
		all = append(all,
			dialectPath{path: prefix + "/messages", dialect: dialectMessages},
			dialectPath{path: prefix + "/responses", dialect: dialectResponses},
			dialectPath{path: prefix + "/models", dialect: dialectMessages, shared: true})
	}
	return all
}()

func dialectOf(path string, h http.Header) dialect {
	for i := range dialectPaths {
		at := &dialectPaths[i]
		if rest, ok := strings.CutPrefix(path, at.path); ok && (rest == "" || rest[0] == '/') &&
			(!at.shared || h.Get("Anthropic-Version") != "") {
			return at.dialect
		}
	}
	return dialectOpenAI
}
