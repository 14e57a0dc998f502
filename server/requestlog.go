package server

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

// loggedRequest is a request as the request log shows it: what was tried and why, and no text of prompt or answer.
type loggedRequest struct {
	ID               string          `json:"id"`
	At               string          `json:"at"`
	Endpoint         string          `json:"endpoint"`
	Combo            *string         `json:"combo"`
	Model            string          `json:"model"`
	Target           *string         `json:"target"`
	Outcome          string          `json:"outcome"`
	Status           int             `json:"status"`
	Kind             *string         `json:"kind"`
	Code             *string         `json:"code"`
	Stream           bool            `json:"stream"`
	ClientKey        *string         `json:"client_key"` // its name
	ClientRetryCount int             `json:"client_retry_count"`
	Attempts         []combo.Attempt `json:"attempts"`
	QueueMS          int64           `json:"queue_ms"`
	ConnectMS        int64           `json:"connect_ms"`
	FirstTokenMS     *int64          `json:"first_token_ms"`
	UpstreamMS       int64           `json:"upstream_ms"`
	TotalMS          int64           `json:"total_ms"`
	Usage            *loggedUsage    `json:"usage"`
	FinishReason     *string         `json:"finish_reason"`
	UpstreamID       *string         `json:"upstream_request_id"`
}

type loggedUsage struct {
	InputTokens     int64 `json:"input_tokens"`
	OutputTokens    int64 `json:"output_tokens"`
	CachedTokens    int64 `json:"cached_tokens"`
	ReasoningTokens int64 `json:"reasoning_tokens"`
}

// maxLoggedText is the length in bytes of the texts of clients and upstreams that are kept with a request.
const maxLoggedText = 200

// shorten cuts what a client or an upstream wrote at length.
func (f *finished) shorten() {
	r := &f.report
	for _, text := range [...]*string{&r.Model, &r.Code, &r.FinishReason, &r.UpstreamID} {
		*text = clip(*text, maxLoggedText)
	}
}

func newLoggedRequest(f *finished) *loggedRequest {
	r := &f.report
	entry := &loggedRequest{
		ID: r.RequestID, At: wireTime(r.Start), Endpoint: r.Endpoint,
		Combo: orNull(r.Combo), Model: r.Model, Target: orNull(r.Target),
		Outcome: r.Outcome, Status: r.Status, Kind: orNull(string(r.Kind)), Code: orNull(r.Code),
		Stream: r.Stream, ClientKey: orNull(f.key), ClientRetryCount: f.retries, Attempts: r.Attempts,
		QueueMS: r.Queue.Milliseconds(), ConnectMS: r.Connect.Milliseconds(),
		UpstreamMS: r.Upstream.Milliseconds(), TotalMS: r.Total.Milliseconds(),
		Usage: asLoggedUsage(r.Usage), FinishReason: orNull(r.FinishReason), UpstreamID: orNull(r.UpstreamID),
	}
	if entry.Attempts == nil {
		entry.Attempts = []combo.Attempt{}
	}
	if r.FirstToken > 0 {
		entry.FirstTokenMS = new(r.FirstToken.Milliseconds())
	}
	return entry
}

// json is the request as it is shown, published and stored.
func (f *finished) json() json.RawMessage {
	body, err := json.Marshal(newLoggedRequest(f))
	if err != nil {
		panic(err) // a value of ours that can't be shown is a bug
	}
	return body
}

func asLoggedUsage(u *providers.Usage) *loggedUsage {
	if u == nil {
		return nil
	}
	return &loggedUsage{u.InputTokens, u.OutputTokens, u.CachedTokens, u.ReasoningTokens}
}

// retryCount is which try of the same call an SDK says this is.
func retryCount(h http.Header) int {
	text := h.Get("X-Stainless-Retry-Count")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return min(n, 1000)
}
