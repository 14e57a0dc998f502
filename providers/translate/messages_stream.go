package translate

func newMessagesReader() streamReader { panic("not yet") }

func newMessagesWriter(r Reply) streamWriter { panic("not yet") }
