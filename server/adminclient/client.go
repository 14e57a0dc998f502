// Package adminclient is a client of the gateway's admin API, for the command line.
package adminclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Client talks to one gateway. It is safe for concurrent use.
type Client struct {
	base  string
	token string
	http  *http.Client
}

// New makes a client of the gateway at base, such as "http://127.0.0.1:4700". An address without a scheme is taken for
// one of HTTP.
func New(base, token string) (*Client, error) {
	if !strings.Contains(base, "://") {
		base = "http://" + base
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the address of the gateway must be as in http://127.0.0.1:4700")
	}
	return &Client{
		base: strings.TrimRight(base, "/"), token: token,
		http: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil
}

// Error is what the gateway refused with.
type Error struct {
	Status        int
	Code, Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (status %d)", e.Message, e.Status) }

// Breakers is the answer to a look at all breakers. Raw is what the gateway sent.
type Breakers struct {
	Breakers    []circuitbreaker.Status `json:"breakers"`
	Persistence struct {
		Status          string `json:"status"`
		OldestUnsavedMS int64  `json:"oldest_unsaved_ms"`
	} `json:"persistence"`
	Raw json.RawMessage `json:"-"`
}

// Breakers lists the breakers in a state and of a scope; empty is any.
func (c *Client) Breakers(ctx context.Context, state, scope string) (*Breakers, error) {
	query := url.Values{}
	for name, value := range map[string]string{"state": state, "scope": scope} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var b Breakers
	raw, err := c.call(ctx, http.MethodGet, "/api/v1/breakers?"+query.Encode(), nil, &b)
	b.Raw = raw
	return &b, err
}

// Breaker is one breaker, with its last transitions in Raw.
type Breaker struct {
	circuitbreaker.Status
	Raw json.RawMessage
}

// Breaker looks at one.
func (c *Client) Breaker(ctx context.Context, name string) (*Breaker, error) {
	return c.breaker(ctx, http.MethodGet, name, "", nil)
}

// Reset closes one breaker and forgets what it has counted.
func (c *Client) Reset(ctx context.Context, name string) (*Breaker, error) {
	return c.breaker(ctx, http.MethodPost, name, "/reset", nil)
}

// Isolate takes what a breaker guards out until it is released.
func (c *Client) Isolate(ctx context.Context, name, by, reason string) (*Breaker, error) {
	return c.breaker(ctx, http.MethodPost, name, "/isolate", map[string]string{"by": by, "reason": reason})
}

// Release ends an isolation: the breaker is probed.
func (c *Client) Release(ctx context.Context, name string) (*Breaker, error) {
	return c.breaker(ctx, http.MethodPost, name, "/release", nil)
}

func (c *Client) breaker(ctx context.Context, method, name, action string, body any) (*Breaker, error) {
	var b Breaker
	raw, err := c.call(ctx, method, "/api/v1/breakers/"+url.PathEscape(name)+action, body, &b.Status)
	b.Raw = raw
	return &b, err
}

// ResetAll are the names that were reset, and those that stay isolated.
type ResetAll struct {
	Reset    []string        `json:"reset"`
	Isolated []string        `json:"isolated"`
	Raw      json.RawMessage `json:"-"`
}

// ResetAll resets every breaker, isolated ones only if that is asked for.
func (c *Client) ResetAll(ctx context.Context, includeIsolated bool) (*ResetAll, error) {
	var r ResetAll
	raw, err := c.call(ctx, http.MethodPost, "/api/v1/breakers/reset", map[string]bool{"include_isolated": includeIsolated}, &r)
	r.Raw = raw
	return &r, err
}

// Bounds of a call that isn't a stream.
const (
	callTimeout   = 15 * time.Second
	longestAnswer = 64 << 20
)

// call makes one call and decodes the answer into v.
func (c *Client) call(ctx context.Context, method, path string, body, v any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, callTimeout, fmt.Errorf("the gateway did not answer within %s", callTimeout))
	defer cancel()
	resp, err := c.do(ctx, method, path, body, "")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, longestAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading the gateway's answer: %w", err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return nil, fmt.Errorf("the answer of %s is not the admin API's: %w", c.base, err)
	}
	return bytes.TrimSpace(raw), nil
}

// do sends a request. The response is a good one, whose body must be closed.
func (c *Client) do(ctx context.Context, method, path string, body any, lastEvent string) (*http.Response, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if lastEvent != "" {
		req.Header.Set("Last-Event-ID", lastEvent)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, fmt.Errorf("%s can't be reached: %w", c.base, err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, refused(resp)
	}
	return resp, nil
}

// refused reads the error of an answer.
func refused(resp *http.Response) error {
	var told struct {
		Error struct {
			Message string `json:"message"`
			Code    string `json:"code"`
		} `json:"error"`
	}
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if json.Unmarshal(raw, &told) != nil || told.Error.Message == "" {
		told.Error.Message = "the answer is not the admin API's: " + resp.Status
	}
	return &Error{Status: resp.StatusCode, Code: told.Error.Code, Message: told.Error.Message}
}
