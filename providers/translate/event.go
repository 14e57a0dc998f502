package translate

// eventType is what an event of a stream says.
type eventType uint8

const (
	began    eventType = iota + 1 // id, model, created, usage (of the input, if it is known by now): once, first
	opened                        // block, with its type, id and name, of a call its signature, and no text
	more                          // text: of the block; of a call: a piece of its arguments
	signed                        // signature: of the block, whole; of no call
	closed                        // the block
	finished                      // finish, stop, usage: once, last
)

// event is one step of a streamed answer, in no dialect.
//
// Blocks are numbered in the order in which they are opened. Several may be open at the same time and grow in turns:
// arguments of parallel calls are interleaved in some dialects. A reader closes what it knows to be whole; what is open
// when the answer is finished is whole then. A call without arguments gets no event of type more.
type event struct {
	is        eventType
	at        int // which block
	block     block
	text      string
	signature signature
	id, model string
	created   int64 // Unix seconds; 0: unknown
	finish    finish
	stop      string
	usage     *usage // nil: unknown
}
