package translate

func writeGeminiRequest(c *conversation, o Options, n *notes) ([]byte, error) { panic("not yet") }
