package server

import (
	"cmp"
	"context"
	"time"

	"github.com/ohmroute/ohmroute/config"
)

// RequestStore keeps finished requests on disk. The server calls it from one goroutine that writes and from those of
// admin calls that read. Every method ends soon after its context.
type RequestStore interface {
	// AppendRequests commits all requests or none. Those whose Seq or ID is there already are left as they are.
	AppendRequests(ctx context.Context, requests []StoredRequest) error
	// Requests gives what q asks for, by falling Seq.
	Requests(ctx context.Context, q RequestQuery) ([]StoredRequest, error)
	Request(ctx context.Context, id string) (found StoredRequest, ok bool, err error)
	// TrimRequests removes requests that began before since, and the first ones of more than number, or of more than
	// about bytes in all: a part of them, in a short time. more: there is more to remove.
	TrimRequests(ctx context.Context, since time.Time, number int, bytes int64) (more bool, err error)
}

// StoredRequest is a finished request as a store keeps it. It is an alias of a plain struct, so that a store can be
// written without this package.
type StoredRequest = struct {
	Seq     int64     // the order in which requests ended; unique
	ID      string    // unique
	At      time.Time // when it began; kept to the millisecond at least
	Combo   string    // empty: none
	Outcome string
	Status  int    // what the client was told
	Body    []byte // JSON, as the API shows it
}

// RequestQuery asks for finished requests.
type RequestQuery = struct {
	Combo, Outcome string    // empty: any
	Before         int64     // only those with a lower Seq; 0: from the newest on
	Since          time.Time // only those that began then or later
	Limit          int       // at most so many
}

// The defaults of server.request_log.
const (
	defaultLogRows = 100_000
	defaultLogAge  = 7 * 24 * time.Hour
	defaultLogSize = 256 << 20
)

func withLogDefaults(l config.RequestLog) config.RequestLog {
	return config.RequestLog{
		MaxRows: cmp.Or(l.MaxRows, defaultLogRows),
		MaxAge:  cmp.Or(l.MaxAge, defaultLogAge),
		MaxSize: cmp.Or(l.MaxSize, defaultLogSize),
	}
}
