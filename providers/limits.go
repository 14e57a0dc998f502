package providers

import (
	"errors"
	"fmt"
	"time"
)

// Limits are the time-outs of one attempt (spec: routing.md 3). Zero is no limit.
type Limits struct {
	Connect    time.Duration // until a connection is ready to take the request
	FirstToken time.Duration // streamed requests: until the first meaningful event
	Idle       time.Duration // streamed requests: between two reads of the body
	Response   time.Duration // plain requests: until the whole answer is read
}

// LimitError is the context cause of an attempt that one of its own limits ended.
type LimitError struct {
	Limit string // connect, first_token, idle, response or total
	After time.Duration
}

func (e *LimitError) Error() string { return fmt.Sprintf("%s limit of %s reached", e.Limit, e.After) }

// Timeout marks the error as a time-out for [net.Error].
func (e *LimitError) Timeout() bool { return true }

// Temporary completes [net.Error].
func (e *LimitError) Temporary() bool { return true }

// Context causes of attempts that nobody is charged for.
var (
	ErrClientGone = errors.New("client is gone")
	ErrShutdown   = errors.New("gateway is shutting down")
)
