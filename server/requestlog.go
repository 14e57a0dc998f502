package server

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/labstack/echo/v4"

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

func newLoggedRequest(f *finished) *loggedRequest {
	r := &f.report
	entry := &loggedRequest{
		ID: r.RequestID, At: wireTime(r.Start), Endpoint: r.Endpoint,
		Combo: orNull(r.Combo), Model: clip(r.Model, maxLoggedPath), Target: orNull(r.Target),
		Outcome: r.Outcome, Status: r.Status, Kind: orNull(string(r.Kind)), Code: orNull(r.Code),
		Stream: r.Stream, ClientRetryCount: f.retries, Attempts: r.Attempts,
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

func asLoggedUsage(u *providers.Usage) *loggedUsage {
	if u == nil {
		return nil
	}
	return &loggedUsage{u.InputTokens, u.OutputTokens, u.CachedTokens, u.ReasoningTokens}
}

// requestLog keeps the last requests in memory. It is safe for concurrent use.
type requestLog struct {
	mu   sync.Mutex
	ring []*finished
	next int // where the oldest is overwritten, once the ring is full
}

func newRequestLog(size int) *requestLog { return &requestLog{ring: make([]*finished, 0, size)} }

func (l *requestLog) add(f *finished) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.ring) < cap(l.ring) {
		l.ring = append(l.ring, f)
		return
	}
	l.ring[l.next] = f
	l.next = (l.next + 1) % len(l.ring)
}

// newest returns up to limit requests that keep accepts, the newest first.
func (l *requestLog) newest(limit int, keep func(*combo.Report) bool) []*loggedRequest {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := []*loggedRequest{}
	for i := range l.ring {
		f := l.ring[(l.next+len(l.ring)-1-i)%len(l.ring)]
		if !keep(&f.report) {
			continue
		}
		found = append(found, newLoggedRequest(f))
		if len(found) == limit {
			break
		}
	}
	return found
}

const (
	defaultRequestLimit = 100
	maxRequestLimit     = 1000
)

func (s *Server) listRequests(c echo.Context) error {
	query := c.QueryParams()
	limit := defaultRequestLimit
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxRequestLimit {
			return badParameter("limit", text, "a number from 1 to "+strconv.Itoa(maxRequestLimit))
		}
		limit = n
	}
	comboName, outcome := query.Get("combo"), query.Get("outcome")
	found := s.recorder.requests.newest(limit, func(r *combo.Report) bool {
		return (comboName == "" || r.Combo == comboName) && (outcome == "" || r.Outcome == outcome)
	})
	writeJSON(exchangeOf(c), http.StatusOK, map[string]any{"requests": found})
	return nil
}

func (s *Server) showRequest(c echo.Context) error {
	id, err := param(c, "id")
	if err != nil {
		return err
	}
	found := s.recorder.requests.newest(1, func(r *combo.Report) bool { return r.RequestID == id })
	if len(found) == 0 {
		return notFound("request", id)
	}
	writeJSON(exchangeOf(c), http.StatusOK, found[0])
	return nil
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
