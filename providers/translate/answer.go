package translate

// answer is what a model answered, in no dialect.
type answer struct {
	id, model string
	created   int64 // Unix seconds; 0: unknown
	blocks    []block
	finish    finish
	stop      string // the stop sequence that ended it
	usage     *usage
}

// finish is why a model stopped.
type finish uint8

const (
	finishStop    finish = iota + 1
	finishLength         // max_tokens was reached
	finishCalls          // tools are to be called
	finishFilter         // the provider's content policy
	finishRefusal        // the model refuses
	finishPause          // the model goes on when it is asked again
	finishWindow         // the context window is full
)

// finishIn is what a finish reason says of an answer: what the table has for it, and the model's own end if it has nothing.
// Some hosts have no reason for an answer that calls tools, or don't use it.
func finishIn(table map[string]finish, reason string, called bool) finish {
	f := table[reason]
	if f == 0 {
		f = finishStop
	}
	if f == finishStop && called {
		return finishCalls
	}
	return f
}

// usage is what the provider counted, in tokens.
type usage struct {
	input      int64 // all of the input, with what was cached
	output     int64 // with the reasoning
	cacheRead  int64 // part of input
	cacheWrite int64 // part of input
	reasoning  int64 // part of output
}
