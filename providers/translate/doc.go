// Package translate says what was said in one dialect in another: pure functions from bytes to bytes, for requests,
// whole answers and streams (spec: clients.md, "Across dialects").
//
//	client's request  -read-> conversation -write-> target's request
//	target's answer   -read-> answer       -write-> client's answer
//	target's events   -read-> event, ...   -write-> client's events
//
// A dialect is a row of a table with its readers and writers, one file each: <dialect>_request.go, <dialect>_answer.go,
// <dialect>_stream.go. They meet in the values between the arrows, and none knows of another.
//
// What can't be said in the other dialect is dropped and named, never guessed; what would change the meaning if it were
// dropped is refused. Numbers, schemas and arguments of tools go over as they were spelled.
package translate
