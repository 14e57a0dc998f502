package providers

// readMessages reads a message of Anthropic's dialect.
func readMessages(c *cursor, a *answered) {
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		switch string(key) {
		case "type":
			if string(c.string()) == "error" {
				a.failed = true
			}
		case "content":
			for more := c.firstElement(); more; more = c.nextElement() {
				a.readPart(c)
			}
		case "stop_reason":
			if reason := c.string(); len(reason) > 0 {
				a.Finish = finishName(reason)
			}
		case "error":
			a.readError(c)
		case "usage":
			a.readUsage(c)
		default:
			c.skip()
		}
	}
	a.listed = a.Text || a.Finish != ""
}
