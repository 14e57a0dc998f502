// Package providertest has the one scripted upstream of all tests, and the suite that every provider passes.
//
// # The upstream
//
// An [Upstream] is an HTTP server that does for each request what a script says. Scripts are kept by the model that
// the request names ("" is for all others); the first request for a model plays its first script, and so on, and the
// last script goes on being played.
//
//	up := providertest.NewUpstream(t)
//	up.Script("gpt-4o", "times 2; status 500", "chat Hello there")
//
// A script is a list of commands, one on each line or, if it is all one line, separated by "; ":
//
//	times N             plays this script for N requests before the next one (it stands first)
//	status N            the status of the answer (200)
//	header NAME: VALUE  a header of the answer
//	delay DURATION      waits, or until the client leaves
//	wait NAME           waits until the test calls Release(NAME), or the client leaves
//	hang                waits until the client leaves or the upstream is closed, before or after headers
//	chat TEXT           a whole answer in the form that was asked for: a completion, or a stream of a chunk for each
//	                    word, a finish reason, usage if it was asked for, and the end
//	whole TEXT          a whole answer, whatever was asked for
//	error N CODE TEXT   an error answer of that status, "-" for no code
//	body TEXT           what the answer holds, as it stands, with its length if nothing was written before
//	json TEXT           the same with the content type of JSON
//	role                a chunk that names the role and says nothing
//	chunk TEXT          a chunk that says the text
//	reason TEXT         a chunk of reasoning
//	tool NAME ARGS      a chunk that calls a tool
//	finish REASON       a chunk with a finish reason
//	usage IN OUT        the chunk that tells usage
//	done                the protocol's end
//	event JSON          an event whose data is JSON, as it stands
//	typed TYPE JSON     an event with a type
//	comment TEXT        a comment and a blank line
//	raw "GO STRING"     bytes of the body, as in Go source
//	events FILE         the bytes of a file, such as a recorded stream
//	upto N              only the first N bytes of the body are written; what comes after is skipped, and the next
//	                    command that isn't about the body is played
//	split N             what follows is written in pieces of N bytes, each flushed (0: one piece for each command)
//	echo                what the client sent: its headers and its body, as text
//	cut                 breaks the connection off
//	end                 an orderly end at once
//	garbage             bytes that are no HTTP, on the bare connection, which is then closed
//	wire "GO STRING"    bytes on the bare connection; the connection is closed at the end of the script
//	flood headers       headers without an end
//	flood body          a body without an end
//	flood events        events without an end
//	flood line          one event without an end
//
// What a script says is said in the dialect of the path that was asked: chat completions, Responses, Messages or
// Gemini's generateContent. Finish reasons are OpenAI's words.
//
// Everything is flushed as it is written. [Upstream.Requests] are the requests as they came; [Upstream.Await] waits
// for a number of them; [Upstream.Gone] counts clients that left before their answer was whole.
//
// # The suite
//
// [Run] proves a provider: what it makes of every status, of Retry-After, of answers and streams that are cut at
// every byte, of limits, cancellation, secrets and floods, and that nothing is left behind.
package providertest
