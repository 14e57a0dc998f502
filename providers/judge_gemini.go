package providers

// readGemini reads an answer of Gemini's generateContent.
func readGemini(c *cursor, a *answered) {
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "candidates":
			for more := c.firstElement(); more; more = c.nextElement() {
				a.listed = true
				a.readCandidate(c)
			}
		case "promptFeedback":
			for inner := c.firstKey(); inner != nil; inner = c.nextKey() {
				if string(inner) == "blockReason" && len(c.string()) > 0 {
					a.listed, a.Refusal = true, true
				} else if string(inner) != "blockReason" {
					c.skip()
				}
			}
		case "error":
			a.readError(c)
		case "usageMetadata":
			a.readGeminiUsage(c)
		default:
			c.skip()
		}
	}
}

func (a *answered) readCandidate(c *cursor) {
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "finishReason":
			if reason := c.string(); len(reason) > 0 && a.Finish == "" {
				a.Finish = finishName(reason)
			}
		case "content":
			for inner := c.firstKey(); inner != nil; inner = c.nextKey() {
				if string(inner) != "parts" {
					c.skip()
					continue
				}
				for more := c.firstElement(); more; more = c.nextElement() {
					a.readGeminiPart(c)
				}
			}
		default:
			c.skip()
		}
	}
}

func (a *answered) readGeminiPart(c *cursor) {
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "text":
			if len(c.string()) > 0 {
				a.Text = true
			}
		case "functionCall":
			a.ToolCall = true
			c.skip()
		case "inlineData", "fileData", "executableCode", "codeExecutionResult":
			a.Text = true
			c.skip()
		default:
			c.skip()
		}
	}
}
