package translate

import "github.com/tidwall/gjson"

// geminiCounts are what Gemini counted so far, in tokens. Counts are cumulative, and an event need not have all of them.
type geminiCounts struct {
	prompt, toolUse, cached, candidates, thoughts int64
	told                                          bool // at least one
}

// take reads an event's usageMetadata.
func (c *geminiCounts) take(m gjson.Result) {
	m.ForEach(func(name, v gjson.Result) bool {
		var count *int64
		switch name.Str {
		case "promptTokenCount":
			count = &c.prompt
		case "toolUsePromptTokenCount":
			count = &c.toolUse
		case "cachedContentTokenCount":
			count = &c.cached
		case "candidatesTokenCount":
			count = &c.candidates
		case "thoughtsTokenCount":
			count = &c.thoughts
		default:
			return true
		}
		*count, c.told = v.Int(), true
		return true
	})
}

// usage is what was counted; nil if nothing was. Gemini counts thoughts beside the answer, and what its own tools read
// beside the prompt.
func (c *geminiCounts) usage() *usage {
	if !c.told {
		return nil
	}
	return &usage{
		input: c.prompt + c.toolUse, output: c.candidates + c.thoughts, cacheRead: c.cached, reasoning: c.thoughts,
	}
}
