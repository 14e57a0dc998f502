package providers

// readResponse reads an object of OpenAI's Responses API.
func readResponse(c *cursor, a *answered) {
	var reason, status string
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "status":
			status = finishName(c.string())
		case "incomplete_details":
			for inner := c.firstKey(); inner != nil; inner = c.nextKey() {
				if string(inner) == "reason" {
					reason = finishName(c.string())
				} else {
					c.skip()
				}
			}
		case "output":
			for more := c.firstElement(); more; more = c.nextElement() {
				a.listed = true
				a.readItem(c)
			}
		case "error":
			a.readError(c)
		case "usage":
			a.readUsage(c)
		default:
			c.skip()
		}
	}
	switch status {
	case "completed":
		a.Finish = status
	case "incomplete":
		a.Finish = reason
	case "failed":
		a.failed = true
	case "queued", "in_progress":
		a.lenient = true // asked for in the background: what comes is asked for again
	}
	a.listed = a.listed || a.Finish != ""
}

// readItem reads one item of a response's output.
func (a *answered) readItem(c *cursor) {
	call, other := false, false
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "type":
			switch typ := c.string(); string(typ) {
			case "function_call":
				call = true
			case "message":
			default:
				other = true
			}
		case "content":
			a.readText(c)
		case "arguments":
			a.readArguments(c)
		default:
			c.skip()
		}
	}
	a.ToolCall = a.ToolCall || call
	a.Text = a.Text || other
}
