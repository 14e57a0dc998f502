package translate

import (
	"slices"
	"strings"
)

// signature is what a provider gives out with a model's reasoning and wants back unchanged. It is worth something to
// the dialect that it comes from only.
type signature struct {
	from Dialect
	text string
}

// sealed marks where a signature comes from, so that it can travel in another dialect's member and be found again.
func (s signature) sealed(in Dialect) string {
	if s.text == "" || s.from == in {
		return s.text
	}
	return s.from.String() + signatureMark + s.text
}

// unsealed reads a signature from a member of a dialect.
func unsealed(text string, in Dialect) signature {
	if text == "" || text == unsigned.sealed(in) {
		return signature{}
	}
	if name, rest, marked := strings.Cut(text, signatureMark); marked {
		if d := slices.Index(dialectNames[:], name); d > 0 {
			return signature{Dialect(d), rest}
		}
	}
	return signature{in, text}
}

// signatureMark stands in no base64.
const signatureMark = "~ohmroute~"

// unsigned stands for the signature of reasoning that nobody signed: Anthropic refuses reasoning whose signature is empty,
// and a request that goes to it later has to leave it out.
var unsigned = signature{Chat, "none"}

// orUnsigned is the signature, or what stands for one that there isn't.
func (s signature) orUnsigned() signature {
	if s.text == "" {
		return unsigned
	}
	return s
}

// of is the signature's text if the dialect made it, and empty if another did.
func (s signature) of(d Dialect) string {
	if s.from != d {
		return ""
	}
	return s.text
}
