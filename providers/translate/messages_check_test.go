package translate

// checkMessagesStream tells what is wrong with a stream for a client of the dialect.
func checkMessagesStream(stream []byte) error { panic("not yet") }
