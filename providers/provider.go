package providers

import "context"

// Provider sends one attempt to one upstream. Implementations are safe for concurrent use.
type Provider interface {
	// Send returns when the headers of a stream were judged good, or when a plain answer was read and judged whole.
	// Its error is always a [*Failure]. The upstream is cancelled as soon as ctx ends, also while Events are read.
	// When Send has failed, and when Events are closed, the request's body is not read any more.
	Send(ctx context.Context, a *Attempt) (*Answer, error)
}

// Attempt is one request to one target: the shared, immutable Request and what differs for this target.
type Attempt struct {
	*Request
	Model  string // the target's own model name, which replaces the client's
	Key    Key    // zero: no credential is sent
	Limits Limits

	// HoldRefusals keeps a stream that refuses back until it says something else or ends: another target may answer.
	HoldRefusals bool
	MaxOutput    int // tokens that the model can put out, if it is declared; 0: unknown
}

// Key is one credential of a provider.
type Key struct {
	Name   string // shown in attempts and breaker names
	Secret string // never in an error, log or metric
	Weight int
}

// Answer is an upstream's answer that was judged good so far. The holder must close Events.
type Answer struct {
	Status      int
	ContentType string
	UpstreamID  string // the upstream's own request id, empty if it sent none
	Stream      bool   // Events yields server-sent events, not one whole body
	Events      Events

	// Dropped are members that the target's dialect has no counterpart of, as paths, and DroppedCount how many there were;
	// the first are named. Reasoning of earlier turns is named and not counted.
	Dropped      []string
	DroppedCount int
}

// Events yields the bytes for the client. It is not safe for concurrent use: to end a Next from outside, end the
// context that was given to Send.
type Events interface {
	// Next returns the next bytes: whole events of a stream, or the whole of a plain answer. Chunk.Data is valid
	// until the next call. The error is io.EOF after the protocol's own end and a [*Failure] for everything else;
	// with both bytes and an error to tell, the bytes come first.
	Next() (Chunk, error)
	// Commit tells that bytes went out to the client: later failures are of kind truncated, and nothing is tried again.
	// It returns whether the request's body is not read any more; otherwise that holds from Close on.
	Commit() (bodyDone bool)
	// Close cancels what is under way and returns the memory. It may be called more than once.
	Close() error
}

// Chunk is the part of an answer that came with one read of the upstream.
type Chunk struct {
	Data         []byte
	Meaningful   bool   // holds content, reasoning, a tool call, a refusal, or a finish with content before it
	Count        int    // of the meaningful events in Data; 0 for a whole answer
	Done         bool   // the protocol's own end is in Data or came before it
	FinishReason string // the first finish reason in Data, empty for none
	Usage        *Usage // the last usage in Data, nil for none
}

// Usage is what an upstream says it counted, in tokens; nothing is estimated.
type Usage struct {
	InputTokens     int64
	OutputTokens    int64
	CachedTokens    int64 // part of InputTokens
	ReasoningTokens int64 // part of OutputTokens
}
