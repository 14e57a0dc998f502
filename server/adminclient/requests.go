package adminclient

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// Requests is a page of the request log, the newest first. Next is for Requests, empty on the last page; Raw is what
// the gateway sent.
type Requests struct {
	Next string          `json:"next"`
	Raw  json.RawMessage `json:"-"`
}

// Requests looks at the finished requests before a page's Next, or at the newest.
func (c *Client) Requests(ctx context.Context, before string) (*Requests, error) {
	query := url.Values{"limit": {"1000"}}
	if before != "" {
		query.Set("before", before)
	}
	var r Requests
	raw, err := c.call(ctx, http.MethodGet, "/api/v1/requests?"+query.Encode(), nil, &r)
	r.Raw = raw
	return &r, err
}
