package server

import "strings"

// dialect is the form in which a client is told of errors (spec: api.md, errors; clients.md "What breaks them"). The path
// says which, before anything else of the request is looked at.
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
}

var dialectPaths = func() (all []dialectPath) {
	for _, prefix := range clientPrefixes {
		all = append(all, dialectPath{prefix + "/messages", dialectMessages}, dialectPath{prefix + "/responses", dialectResponses})
	}
	return all
}()

func dialectOf(path string) dialect {
	for i := range dialectPaths {
		at := &dialectPaths[i]
		if rest, ok := strings.CutPrefix(path, at.path); ok && (rest == "" || rest[0] == '/') {
			return at.dialect
		}
	}
	return dialectOpenAI
}
