package server

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/config"
)

// recorder takes finished requests off the request path. They are in its journal at once, where a listing finds them;
// its goroutine adds them to the totals and, while somebody watches, publishes them; its writer stores them.
type recorder struct {
	journal *journal
	keep    config.RequestLog
	writer  *requestWriter // nil: there is no store
	feed    *feed
	log     *slog.Logger

	telling sync.Mutex
	teller  *follower  // guarded by telling
	batch   []finished // guarded by telling
	totals  totals
}

const (
	// toldWithin is how far the totals may lag behind while nobody looks or watches.
	toldWithin = time.Second
	toldAtOnce = 32
)

func newRecorder(store RequestStore, keep config.RequestLog, feed *feed, lost prometheus.Counter, log *slog.Logger) *recorder {
	j := newJournal(min(keep.MaxRows, journalSize))
	r := &recorder{journal: j, keep: keep, feed: feed, log: log, teller: j.follow(), batch: make([]finished, 0, toldAtOnce)}
	if store != nil {
		r.writer = newRequestWriter(store, keep, j, lost, log)
	}
	return r
}

// record hands a finished request over without waiting and keeps nothing of f.
func (r *recorder) record(f *finished) {
	r.journal.add(f)
	if r.feed.watchers.Load() > 0 {
		r.teller.hurry()
	}
}

// run keeps the totals and the feed up to date until ctx ends.
func (r *recorder) run(ctx context.Context) {
	for ctx.Err() == nil {
		r.catchUp()
		r.teller.wait(ctx, toldWithin, 0)
	}
	r.catchUp()
}

// catchUp counts and publishes every request that was recorded before the call.
func (r *recorder) catchUp() {
	r.telling.Lock()
	defer r.telling.Unlock()
	for {
		batch, missed := r.teller.take(r.batch)
		if missed > 0 {
			r.log.Warn("totals and events could not keep up and missed requests", "missed", missed)
		}
		if len(batch) == 0 {
			return
		}
		for i := range batch {
			r.totals.add(&batch[i].report)
			if r.feed.watched() {
				r.feed.publish("request.finished", batch[i].json())
			}
		}
		clear(batch)
	}
}

// close stores what is owed. The goroutines of run and of the writer have ended.
func (r *recorder) close(ctx context.Context) error {
	if r.writer == nil {
		return nil
	}
	return r.writer.close(ctx)
}

// finish counts a request and hands it to the recorder.
func (s *Server) finish(x *exchange, report *combo.Report) {
	if report.RequestID == "" { // the router failed without an answer
		report.RequestID, report.Start, report.Outcome = x.id, x.start, combo.OutcomeFailed
		report.Status = x.status
	}
	x.combo = report.Combo
	x.target = report.Target
	x.attempts = combo.Sent(report.Attempts)
	x.outcome = report.Outcome
	x.gone = report.Status == statusClientGone
	s.metrics.observe(report)
	f := finished{report: *report, retries: x.retries, parent: x.parent}
	if x.key != nil {
		f.key = x.key.Name
	}
	f.shorten()
	s.recorder.record(&f)
}
