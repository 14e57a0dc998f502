package translate

import (
	"fmt"
	"slices"
)

// mostNamed is how many dropped members are named.
const mostNamed = 16

// notes are what a translation has to tell beside its result.
type notes struct {
	dropped []string
	count   int
}

// drop notes a member that has no counterpart. name is its path without indexes: "tools.web_search", "logit_bias".
func (n *notes) drop(name string) {
	n.count++
	if len(n.dropped) < mostNamed && !slices.Contains(n.dropped, name) {
		n.dropped = append(n.dropped, name)
	}
}

// Refused is a request that can't be said in the target's dialect without changing what it means, or that no target
// could understand. The client is told so with status 400.
type Refused struct {
	Param   string // the member, as a path: "messages[2].content[0].type"
	Message string // a sentence for the client
	Broken  bool   // the request is wrong in its own dialect, and no other target would take it
}

func (e *Refused) Error() string { return e.Message }

// broken is a request that makes no sense in its own dialect.
func broken(param, format string, args ...any) error {
	return &Refused{Param: param, Message: fmt.Sprintf(format, args...), Broken: true}
}
