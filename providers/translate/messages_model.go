package translate

import (
	"strconv"
	"strings"
)

// claude is what a target's name tells of the model: Anthropic takes some members from some versions only, and refuses
// a request whose model doesn't take them. Models of other makers that are spoken to in this dialect are version 0.
type claude struct {
	family  string
	version int // 100 times the major and the minor number: 405
}

// claudeNamed reads a model's name as Anthropic and its resellers spell it: claude-3-7-sonnet-20250219,
// us.anthropic.claude-opus-4-6-v1, anthropic/claude-sonnet-4.5.
func claudeNamed(model string) claude {
	_, rest, found := strings.Cut(strings.ToLower(model), "claude")
	if !found {
		return claude{}
	}
	var c claude
	var numbers []int
	for word := range strings.FieldsFuncSeq(rest, func(r rune) bool { return strings.ContainsRune("-.@:_/ ", r) }) {
		switch n, err := strconv.Atoi(word); {
		case err != nil && c.family == "":
			c.family = word
		case err == nil && len(word) <= 2: // longer ones are dates
			numbers = append(numbers, n)
		}
	}
	if len(numbers) > 0 {
		c.version = 100 * numbers[0]
	}
	if len(numbers) > 1 {
		c.version += numbers[1]
	}
	return c
}

// thinksAdaptively tells whether the model decides itself how long to think, and takes an effort instead of a budget.
func (c claude) thinksAdaptively() bool { return c.version >= 406 || c.alwaysThinks() }

// alwaysThinks tells whether thinking can't be turned off.
func (c claude) alwaysThinks() bool { return c.family == "fable" || c.family == "mythos" }

// samples tells whether the model takes temperature, top_p and top_k.
func (c claude) samples() bool { return c.version < 407 && !c.alwaysThinks() }

// samplesTwice tells whether the model takes temperature and top_p at the same time.
func (c claude) samplesTwice() bool { return c.version <= 400 }

// knowsXhigh tells whether there is an effort above high.
func (c claude) knowsXhigh() bool { return !c.samples() }

// followsSchemas tells whether the model's tools can be strict about their inputs.
func (c claude) followsSchemas() bool { return c.version == 0 || c.version >= 405 }
