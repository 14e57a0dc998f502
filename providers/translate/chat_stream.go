package translate

func newChatReader() streamReader { panic("not yet") }

func newChatWriter(r Reply) streamWriter { panic("not yet") }
