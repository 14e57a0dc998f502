package translate

// Anthropic's dialect has two places for what a model gives out and wants back, and one block that clients carry along
// unread. Marks in front of a signature tell what else it is.
const (
	// redactedMark stands in front of Anthropic's signature if it is the data of a redacted_thinking and belongs to no
	// thinking.
	redactedMark = "redacted~"

	// callMark stands in front of another provider's signature in a redacted_thinking if it belongs to the tool_use
	// behind it, which has no member for one.
	callMark = "call~"
)
