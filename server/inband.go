package server

import "encoding/json"

// breakOff ends a stream that has begun with the error that its dialect has for that, and returns how the handler ends:
// with errCut, since a clean end would be taken for success, or, where a client would lose the error in an aborted
// connection, in order (spec: clients.md "What breaks them"). so is what the client has of an answer of Responses.
func (x *exchange) breakOff(e *apiError, so *responseSoFar) error {
	switch x.dialect {
	case dialectResponses:
		x.send(so.failure(x, e))
		return nil
	case dialectMessages:
		x.send(event(nil, "error", e.anthropic(x.id)))
	default: // no event name, it would break go-openai
		x.send(event(nil, "", e.envelope()))
	}
	return errCut
}

// send writes the last events of a stream.
func (x *exchange) send(events []byte) {
	if _, err := x.Write(events); err == nil {
		_ = x.FlushError() // the stream ends next in any case
	}
}

// event appends one event with a line of data; an empty name is none.
func event(dst []byte, name string, data any) []byte {
	body, err := json.Marshal(data)
	if err != nil {
		panic(err) // a value of ours that can't be shown is a bug
	}
	if name != "" {
		dst = append(append(append(dst, "event: "...), name...), '\n')
	}
	return append(append(append(dst, "data: "...), body...), "\n\n"...)
}
