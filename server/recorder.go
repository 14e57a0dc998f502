package server

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/ohmroute/ohmroute/combo"
)

// recorder takes finished requests off the request path: its goroutine adds them to the log and the totals and, while
// somebody watches, publishes them. A burst that it can't follow loses entries, which it says, and never slows a request.
type recorder struct {
	in      chan *finished
	dropped atomic.Uint64
	feed    *feed
	log     *slog.Logger

	requests *requestLog
	totals   totals
}

// finished is a request that is over, with what only the server knows of it.
type finished struct {
	report  combo.Report
	retries int // which try of the client's SDK it was, 0 for the first or unknown
}

const recorderBuffer = 1024

func newRecorder(size int, feed *feed, log *slog.Logger) *recorder {
	return &recorder{
		in: make(chan *finished, recorderBuffer), feed: feed, log: log, requests: newRequestLog(size),
	}
}

// record hands a finished request over without waiting.
func (r *recorder) record(f *finished) {
	select {
	case r.in <- f:
	default:
		r.dropped.Add(1)
	}
}

// run works until ctx ends and what was handed over is done.
func (r *recorder) run(ctx context.Context) {
	for {
		select {
		case f := <-r.in:
			r.keep(f)
		case <-ctx.Done():
			for {
				select {
				case f := <-r.in:
					r.keep(f)
				default:
					return
				}
			}
		}
	}
}

func (r *recorder) keep(f *finished) {
	if n := r.dropped.Swap(0); n > 0 {
		r.log.Warn("the request log could not keep up and lost entries", "lost", n)
	}
	r.requests.add(f)
	r.totals.add(&f.report)
	if r.feed.watched() {
		r.feed.publish("request.finished", newLoggedRequest(f))
	}
}

// finish counts a request and hands it to the recorder.
func (s *Server) finish(x *exchange, report combo.Report) {
	x.combo = report.Combo
	x.target = report.Target
	x.attempts = combo.Sent(report.Attempts)
	x.outcome = report.Outcome
	x.gone = report.Status == statusClientGone
	s.metrics.observe(&report)
	s.recorder.record(&finished{report: report, retries: x.retries})
}
