package translate

func newGeminiReader() streamReader { panic("not yet") }
