// Package providers sends requests to upstreams and judges what comes back.
//
// A [Request] is a client's request, read once. A [Provider] sends an [Attempt] of it to one target and gives back an
// [Answer], whose [Events] are the bytes for the client, or a [Failure], which is of exactly one [Kind]:
//
//	bytes -ParseRequest-> Request + target = Attempt -Send-> Answer: Chunk, Chunk, ..., io.EOF
//	                                                     \-> Failure -Rules-> who is charged, who is asked next
//
// Every outcome is decided by [Classify], or [JudgePlain] for whole answers under 2xx; nothing else in the product
// judges one. What follows from a kind stands in its [Rule].
//
// There are two providers: [Host], which is anything over HTTP, spoken to as its kind wants it, and [Demo], which plays
// scripts in the process. A conversation that a host has no form for is translated on its way there and back by package
// translate. The package providertest has the scripted upstream of all tests, and the suite that a provider
// passes.
package providers
