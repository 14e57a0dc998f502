package server

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ohmroute/ohmroute/config"
)

// requestWriter moves finished requests from the journal into the store, in batches of one transaction, and removes
// there what is over the limits. While the store is broken or too slow, the journal overwrites the oldest of them:
// they are lost, counted, and told once when it begins and once when it is over.
type requestWriter struct {
	store   RequestStore
	keep    config.RequestLog
	journal *journal
	follow  *follower
	lost    prometheus.Counter
	log     *slog.Logger

	failing atomic.Bool // the last call of the store failed

	// Of the writer's goroutine, and of close behind it.
	continued bool            // the journal goes on behind what the store holds
	batch     []finished      // scratch
	owed      []StoredRequest // taken from the journal and not stored yet
	trimmed   time.Time       // when what is too much was last looked for
	missed    uint64          // lost since the trouble began
	trouble   bool            // it began and was told
}

const (
	flushInterval = time.Second // from the end of a request to its commit, in good times
	trimInterval  = time.Minute // without requests
	storePatience = 5 * time.Second
	firstRetry    = time.Second
	lastRetry     = 30 * time.Second
)

func newRequestWriter(store RequestStore, keep config.RequestLog, j *journal, lost prometheus.Counter, log *slog.Logger) *requestWriter {
	return &requestWriter{
		store: store, keep: keep, journal: j, follow: j.follow(), lost: lost, log: log,
		batch: make([]finished, 0, min(batchSize, len(j.ring))),
	}
}

// run writes until ctx ends. A store that fails is tried again for ever.
func (w *requestWriter) run(ctx context.Context) {
	retry := firstRetry
	for ctx.Err() == nil {
		if err := w.work(ctx); err == nil {
			w.recovered()
			retry = firstRetry
			w.follow.wait(ctx, flushInterval, trimInterval)
			continue
		} else if ctx.Err() == nil {
			w.failed(err)
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
		}
		retry = min(2*retry, lastRetry)
	}
}

// work stores everything that is there, and removes what is too much, a part at a time; under load not after each batch.
func (w *requestWriter) work(ctx context.Context) error {
	if err := w.continueLog(ctx); err != nil {
		return err
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	now := time.Now()
	if now.Sub(w.trimmed) < flushInterval {
		return nil
	}
	for more := true; more; {
		err := w.patiently(ctx, func(ctx context.Context) (err error) {
			more, err = w.store.TrimRequests(ctx, time.Now().Add(-w.keep.MaxAge), w.keep.MaxRows, w.keep.MaxSize)
			return err
		})
		if err == nil {
			err = w.flush(ctx) // what came meanwhile doesn't wait for a log that was far too long
		}
		if err != nil {
			return err
		}
	}
	w.trimmed = now
	return nil
}

// continueLog lets the journal go on behind what an earlier process stored.
func (w *requestWriter) continueLog(ctx context.Context) error {
	if w.continued {
		return nil
	}
	return w.patiently(ctx, func(ctx context.Context) error {
		newest, err := w.store.Requests(ctx, RequestQuery{Limit: 1})
		if err != nil {
			return err
		}
		for i := range newest {
			w.journal.continueAfter(newest[i].Seq)
		}
		w.continued = true
		return nil
	})
}

// flush stores batch after batch until nothing is left.
func (w *requestWriter) flush(ctx context.Context) error {
	for {
		if len(w.owed) == 0 {
			w.fill()
		}
		if len(w.owed) == 0 {
			return nil
		}
		err := w.patiently(ctx, func(ctx context.Context) error { return w.store.AppendRequests(ctx, w.owed) })
		if err != nil {
			return err
		}
		clear(w.owed)
		w.owed = w.owed[:0]
	}
}

// fill owes the next batch of the journal.
func (w *requestWriter) fill() {
	batch, missed := w.follow.take(w.batch)
	if missed > 0 {
		w.lose(missed)
		w.begin("the request log can't keep up and loses entries")
	}
	for i := range batch {
		f := &batch[i]
		w.owed = append(w.owed, StoredRequest{
			Seq: f.seq, ID: f.report.RequestID, At: f.report.Start, Combo: f.report.Combo, Outcome: f.report.Outcome,
			Status: f.report.Status, Body: f.json(),
		})
	}
	clear(batch)
}

// patiently bounds a call of the store.
func (w *requestWriter) patiently(ctx context.Context, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	return call(ctx)
}

func (w *requestWriter) lose(n uint64) {
	w.missed += n
	w.lost.Add(float64(n))
}

// begin tells of trouble, unless it was told.
func (w *requestWriter) begin(message string, attrs ...any) {
	if !w.trouble {
		w.trouble = true
		w.log.Warn(message, attrs...)
	}
}

func (w *requestWriter) failed(err error) {
	w.failing.Store(true)
	w.begin("the request log can't be stored; the newest requests are kept in memory", "error", err)
}

// recovered ends the trouble, now that everything is stored.
func (w *requestWriter) recovered() {
	w.failing.Store(false)
	if w.trouble {
		w.log.Info("the request log is stored again", "lost", w.missed)
	}
	w.trouble, w.missed = false, 0
}

// close stores what is owed, after run has ended.
func (w *requestWriter) close(ctx context.Context) error {
	err := w.flush(ctx)
	if err == nil {
		return nil
	}
	for len(w.owed) > 0 {
		w.lose(uint64(len(w.owed)))
		w.owed = w.owed[:0]
		w.fill()
	}
	return fmt.Errorf("%d entries of the request log are lost: %w", w.missed, err)
}
