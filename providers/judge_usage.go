package providers

// readUsage reads the usage of all dialects but Gemini's. A usage that is null is none.
func (a *answered) readUsage(c *cursor) {
	if c.peek() != '{' {
		c.skip()
		return
	}
	u := &a.usage
	a.counted = true
	beside := int64(0) // Anthropic counts input tokens that the cache took part in beside the others
	total := int64(0)
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "prompt_tokens", "input_tokens":
			u.InputTokens = c.int64()
		case "completion_tokens", "output_tokens":
			u.OutputTokens = c.int64()
		case "total_tokens":
			total = c.int64()
		case "prompt_tokens_details", "input_tokens_details", "completion_tokens_details", "output_tokens_details":
			u.readDetails(c)
		case "prompt_cache_hit_tokens":
			u.CachedTokens = max(u.CachedTokens, c.int64())
		case "cache_read_input_tokens":
			n := c.int64()
			u.CachedTokens = max(u.CachedTokens, n)
			beside += n
		case "cache_creation_input_tokens":
			beside += c.int64()
		default:
			c.skip()
		}
	}
	u.InputTokens += beside
	if u.ReasoningTokens > 0 && total == u.InputTokens+u.OutputTokens+u.ReasoningTokens {
		u.OutputTokens += u.ReasoningTokens // xAI counts them beside the answer
	}
}

func (u *Usage) readDetails(c *cursor) {
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "cached_tokens":
			u.CachedTokens = max(u.CachedTokens, c.int64())
		case "reasoning_tokens":
			u.ReasoningTokens = c.int64()
		default:
			c.skip()
		}
	}
}

// readGeminiUsage reads usageMetadata, where thoughts are counted beside the answer, and what tools put in beside the prompt.
func (a *answered) readGeminiUsage(c *cursor) {
	if c.peek() != '{' {
		c.skip()
		return
	}
	u := &a.usage
	a.counted = true
	thoughts, tools := int64(0), int64(0)
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "promptTokenCount":
			u.InputTokens = c.int64()
		case "candidatesTokenCount":
			u.OutputTokens = c.int64()
		case "thoughtsTokenCount":
			thoughts = c.int64()
		case "toolUsePromptTokenCount":
			tools = c.int64()
		case "cachedContentTokenCount":
			u.CachedTokens = c.int64()
		default:
			c.skip()
		}
	}
	u.InputTokens += tools
	u.OutputTokens += thoughts
	u.ReasoningTokens = thoughts
}
