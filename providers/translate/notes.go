package translate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mostNamed is how many dropped members are named.
const mostNamed = 16

// notes are what a translation has to tell beside its result.
type notes struct {
	dropped []string
	count   int

	unreasoned bool // reasoning of an earlier turn was left out, or a signature that came with it

	// called are paths in the client's dialect, by what chat completions call them: writers don't know who asks, and name
	// members as these do. A reader sets them.
	called map[string]string
}

// drop notes a member that has no counterpart. name is its path without indexes: "tools.web_search", "logit_bias".
func (n *notes) drop(name string) {
	n.count++
	name = n.own(name)
	if len(n.dropped) < mostNamed && !slices.Contains(n.dropped, name) {
		n.dropped = append(n.dropped, name)
	}
}

// reasoning notes whether the reasoning of an earlier turn goes over to a target, in a block of reasoning or with a call.
// told says that the block does, beside what another dialect signed it with.
func (n *notes) reasoning(b *block, to Dialect, told bool) {
	silent := !told && b.is == reasoningBlock && (b.text != "" || b.signature.text != "")
	n.unreasoned = n.unreasoned || silent || b.signature.text != "" && b.signature.from != to
}

// detail names how closely an image is to be looked at, for targets that can't be told.
func (n *notes) detail(b *block) {
	if b.detail != "" && b.detail != "auto" {
		n.drop("messages.content.image_url.detail")
	}
}

// translation is a body with what there is to tell of it.
func (n *notes) translation(body []byte) *Translation {
	slices.Sort(n.dropped)
	if n.unreasoned {
		n.dropped = append(n.dropped, n.own("messages.reasoning"))
	}
	return &Translation{Body: body, Dropped: n.dropped, Count: n.count}
}

// own is a path in the client's dialect: the longest part of it that is called otherwise there is replaced.
func (n *notes) own(name string) string {
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '.') {
		if own, ok := n.called[name[:end]]; ok {
			return own + name[end:]
		}
	}
	return name
}

// Refused is a request that can't be said in the target's dialect without changing what it means, or that no target
// could understand. The client is told so with status 400.
type Refused struct {
	Param   string // the member, as a path: "messages[2].content[0].type"
	Message string // a sentence for the client
	Broken  bool   // the request is wrong in its own dialect, and no other target would take it
}

func (e *Refused) Error() string { return e.Message }

// ownParam puts the path of what was refused into the client's dialect.
func (n *notes) ownParam(err error) error {
	if refused, ok := errors.AsType[*Refused](err); ok {
		refused.Param = n.own(refused.Param)
	}
	return err
}

// broken is a request that makes no sense in its own dialect.
func broken(param, format string, args ...any) error {
	return &Refused{Param: param, Message: fmt.Sprintf(format, args...), Broken: true}
}
