package db

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jmoiron/sqlx"
)

// Request is one finished request of the request log. It is an alias of a plain struct, so that whoever
// declares the interface of a store of them can do so without this package, and this one without him.
type Request = struct {
	Seq     int64     // the order in which requests ended; unique
	ID      string    // unique
	At      time.Time // when it began; kept to the millisecond
	Combo   string    // empty: none
	Outcome string
	Status  int    // what the client was told
	Body    []byte // belongs to whoever stores it
}

// RequestQuery asks for requests.
type RequestQuery = struct {
	Combo, Outcome string    // empty: any
	Before         int64     // only those with a lower Seq; 0: from the newest on
	Since          time.Time // only those that began then or later
	Limit          int       // at most so many
}

// endedWell is the outcome of nearly all requests, which has no index.
const endedWell = "ok"

const (
	requestColumns = "seq, id, at, combo, outcome, status, body"

	// appendRequest does nothing for one that a batch, which is appended again, has appended before.
	appendRequest = "INSERT INTO requests (" + requestColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`

	requestByID = "SELECT " + requestColumns + " FROM requests WHERE id = ?"

	// The plus keeps SQLite from choosing that column's index, after which it would have to sort.
	listRequests         = "SELECT " + requestColumns + " FROM requests WHERE seq < ? AND +at >= ?"
	ofCombo              = " AND combo = ?"
	ofOutcome            = " AND outcome = ?"
	notWell              = " AND outcome <> '" + endedWell + "'" // says to SQLite that the index of the others will do
	ofComboWithOutcome   = " AND combo = ? AND +outcome = ?"
	newestRequestsFirst  = " ORDER BY seq DESC LIMIT ?"
	maxRequestsInOneRead = 10_000
)

// requestRow is a row of the table requests as SQL gives it.
type requestRow struct {
	Seq     int64  `db:"seq"`
	ID      string `db:"id"`
	At      int64  `db:"at"`
	Combo   string `db:"combo"`
	Outcome string `db:"outcome"`
	Status  int    `db:"status"`
	Body    []byte `db:"body"`
}

func (r *requestRow) request() Request {
	return Request{
		Seq: r.Seq, ID: r.ID, At: time.UnixMilli(r.At).UTC(), Combo: r.Combo, Outcome: r.Outcome, Status: r.Status, Body: r.Body,
	}
}

// AppendRequests commits the requests in one transaction. Those whose Seq or ID is there already are
// left as they are, so a batch whose fate is unknown can be appended again. The commit survives the
// end of the process, and a loss of power with the next checkpoint.
func (d *DB) AppendRequests(ctx context.Context, requests []Request) error {
	err := d.write(ctx, false, func(tx *transaction) error {
		var number, bytes int64
		for i := range requests {
			r := &requests[i]
			body := r.Body
			if body == nil {
				body = []byte{}
			}
			n, err := tx.change(ctx, appendRequest, r.Seq, r.ID, r.At.UnixMilli(), r.Combo, r.Outcome, r.Status, body)
			if err != nil {
				return fmt.Errorf("request %s: %w", r.ID, err)
			}
			number += n
			bytes += n * int64(len(body))
		}
		return tx.exec(ctx, resizeRequests, number, bytes)
	})
	if err != nil {
		return fmt.Errorf("store requests: %w", err)
	}
	return nil
}

// Requests gives the requests that q asks for, by falling Seq.
func (d *DB) Requests(ctx context.Context, q RequestQuery) ([]Request, error) {
	text, values := requestQuery(q)
	var rows []requestRow
	err := d.read(ctx, func(reader *sqlx.DB) error {
		return reader.SelectContext(ctx, &rows, text, values...)
	})
	if err != nil {
		return nil, fmt.Errorf("read requests: %w", err)
	}
	requests := make([]Request, len(rows))
	for i := range rows {
		requests[i] = rows[i].request()
	}
	return requests, nil
}

func requestQuery(q RequestQuery) (text string, values []any) {
	before := q.Before
	if before == 0 {
		before = math.MaxInt64
	}
	text, values = listRequests, []any{before, q.Since.UnixMilli()}
	switch {
	case q.Combo != "" && q.Outcome != "":
		text, values = text+ofComboWithOutcome, append(values, q.Combo, q.Outcome)
	case q.Combo != "":
		text, values = text+ofCombo, append(values, q.Combo)
	case q.Outcome == endedWell:
		text, values = text+ofOutcome, append(values, q.Outcome)
	case q.Outcome != "":
		text, values = text+ofOutcome+notWell, append(values, q.Outcome)
	}
	return text + newestRequestsFirst, append(values, min(max(q.Limit, 0), maxRequestsInOneRead))
}

// Request finds a request by its id.
func (d *DB) Request(ctx context.Context, id string) (found Request, ok bool, err error) {
	var rows []requestRow
	err = d.read(ctx, func(reader *sqlx.DB) error {
		return reader.SelectContext(ctx, &rows, requestByID, id)
	})
	if err != nil {
		return Request{}, false, fmt.Errorf("read request: %w", err)
	}
	if len(rows) == 0 {
		return Request{}, false, nil
	}
	return rows[0].request(), true, nil
}
