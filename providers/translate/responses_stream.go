package translate

func newResponsesReader() streamReader { panic("not yet") }

func newResponsesWriter(r Reply) streamWriter { panic("not yet") }
