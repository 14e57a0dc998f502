package translate

// checkChatStream tells what is wrong with a stream for a client of the dialect.
func checkChatStream(stream []byte) error { panic("not yet") }
