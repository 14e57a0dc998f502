package translate

// checkResponsesStream tells what is wrong with a stream for a client of the dialect.
func checkResponsesStream(stream []byte) error { panic("not yet") }
