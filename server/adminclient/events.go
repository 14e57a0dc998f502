package adminclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	gosse "github.com/tmaxmax/go-sse"
)

// Event is one event of the admin stream. ID is what a stream is resumed after.
type Event struct {
	ID, Type string
	Data     []byte // JSON
}

const longestEvent = 1 << 20

// Events gives the events of the gateway that come after the one with the ID last (empty: from now on) to yield, until
// it returns false, the stream ends, or ctx does. begun is called when the stream is open. Its error is never nil unless
// yield ended the stream.
func (c *Client) Events(ctx context.Context, last string, begun func(), yield func(Event) bool) error {
	resp, err := c.do(ctx, http.MethodGet, "/api/v1/events", nil, last)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	begun()
	for ev, err := range gosse.Read(resp.Body, &gosse.ReadConfig{MaxEventSize: longestEvent}) {
		if err != nil {
			return fmt.Errorf("the event stream broke off: %w", err)
		}
		if !yield(Event{ID: ev.LastEventID, Type: ev.Type, Data: []byte(ev.Data)}) {
			return nil
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.New("the gateway ended the event stream")
}
