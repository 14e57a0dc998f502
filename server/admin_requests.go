package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/ohmroute/ohmroute/combo"
)

const (
	defaultRequestLimit = 100
	maxRequestLimit     = 1000

	// readPatience bounds how long a listing waits for the store.
	readPatience = 2 * time.Second
)

// requestPage is the answer of GET /api/v1/requests.
type requestPage struct {
	Requests    []json.RawMessage `json:"requests"`
	Next        *string           `json:"next"` // for before=, null on the last page
	Persistence struct {
		Status string `json:"status"`
	} `json:"persistence"`
}

func (s *Server) listRequests(c echo.Context) error {
	q, err := readRequestQuery(c.QueryParams())
	if err != nil {
		return err
	}
	writeJSON(exchangeOf(c), http.StatusOK, s.recorder.page(c.Request().Context(), q, time.Now()))
	return nil
}

func readRequestQuery(params url.Values) (RequestQuery, error) {
	q := RequestQuery{Limit: defaultRequestLimit, Combo: params.Get("combo"), Outcome: params.Get("outcome")}
	if q.Outcome != "" && !slices.Contains(combo.Outcomes, q.Outcome) {
		return q, badParameter("outcome", q.Outcome, "one of "+strings.Join(combo.Outcomes, ", "))
	}
	if text := params.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxRequestLimit {
			return q, badParameter("limit", text, "a number from 1 to "+strconv.Itoa(maxRequestLimit))
		}
		q.Limit = n
	}
	if text := params.Get("before"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return q, badParameter("before", text, `the "next" of an earlier page`)
		}
		q.Before = n
	}
	return q, nil
}

func (s *Server) showRequest(c echo.Context) error {
	id, err := param(c, "id")
	if err != nil {
		return err
	}
	body, err := s.recorder.find(c.Request().Context(), id)
	switch {
	case err != nil:
		s.log.Warn("the request log can't be read", "error", err)
		return errLogUnreadable
	case body == nil:
		return notFound("request", id)
	}
	writeJSON(exchangeOf(c), http.StatusOK, body)
	return nil
}

var errLogUnreadable = &apiError{
	Status: http.StatusServiceUnavailable, Code: "persistence_unavailable",
	Message: "the request is not among the newest, and the request log on disk can't be read now",
}

// page lists what is kept in memory together with what is stored, newest first. What was answered before the call
// is there. Without its store it shows what memory has.
func (r *recorder) page(ctx context.Context, q RequestQuery, now time.Time) requestPage {
	page := requestPage{Requests: []json.RawMessage{}}
	page.Persistence.Status = persistenceOK
	limit := q.Limit
	q.Limit++ // tells whether there is another page
	q.Since = now.Add(-r.keep.MaxAge)
	kept, oldest := r.journal.newest(&q)
	if len(r.journal.ring) < r.keep.MaxRows {
		oldest = 0 // only then has memory less than what is to be kept
	}
	var stored []StoredRequest
	if r.writer != nil {
		var err error
		if stored, err = r.writer.list(ctx, q); err != nil || r.writer.failing.Load() {
			page.Persistence.Status = persistenceDegraded
		}
	}
	listed := merge(kept, stored, oldest, q.Limit)
	if len(listed) > limit {
		listed = listed[:limit]
		page.Next = new(strconv.FormatInt(listed[limit-1].seq, 10))
	}
	for _, l := range listed {
		page.Requests = append(page.Requests, l.body)
	}
	return page
}

// listedRequest is a request that goes into a page.
type listedRequest struct {
	seq  int64
	body json.RawMessage
}

// merge gives up to limit of what is kept in memory and stored, both newest first, in one order and none twice. What is
// older than oldest is left out, and what is stored and can't be read.
func merge(kept []finished, stored []StoredRequest, oldest int64, limit int) []listedRequest {
	var listed []listedRequest
	for len(listed) < limit && (len(kept) > 0 || len(stored) > 0) {
		var next listedRequest
		switch {
		case len(stored) == 0 || len(kept) > 0 && kept[0].seq > stored[0].Seq:
			next = listedRequest{kept[0].seq, kept[0].json()}
			kept = kept[1:]
		default:
			if len(kept) > 0 && kept[0].seq == stored[0].Seq {
				kept = kept[1:]
			}
			next = listedRequest{stored[0].Seq, stored[0].Body}
			stored = stored[1:]
		}
		if next.seq >= oldest && json.Valid(next.body) {
			listed = append(listed, next)
		}
	}
	return listed
}

// find gives a request as JSON, nil if there is none of that id.
func (r *recorder) find(ctx context.Context, id string) (json.RawMessage, error) {
	if f, ok := r.journal.find(id); ok {
		return f.json(), nil
	}
	if r.writer == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	found, ok, err := r.writer.store.Request(ctx, id)
	if err != nil || !ok || !json.Valid(found.Body) {
		return nil, err
	}
	return found.Body, nil
}

// list asks the store.
func (w *requestWriter) list(ctx context.Context, q RequestQuery) ([]StoredRequest, error) {
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	return w.store.Requests(ctx, q)
}

// failing tells whether requests can't be stored now.
func (r *recorder) failing() bool { return r.writer != nil && r.writer.failing.Load() }
