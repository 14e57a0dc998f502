package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/server/tracing"
)

// traces takes finished requests from the journal to a collector, at its own pace: while the collector is slow or
// gone, the ring is the queue, and what it has to overwrite is lost and counted.
type traces struct {
	tracer    *tracing.Tracer
	follower  *follower
	batch     []finished
	owed      int // requests whose spans the tracer keeps
	providers func() []config.Provider
	lost      prometheus.Counter
	failing   bool
	log       *slog.Logger
}

const (
	tracedWithin = time.Second
	tracesPause  = 5 * time.Second // after the collector was not reached
	lastDelivery = 2 * time.Second // what a collector gets when the process ends
)

// newTraces is nil without a tracer.
func newTraces(o Options, j *journal, lost prometheus.Counter) *traces {
	if o.Traces == nil {
		return nil
	}
	return &traces{
		tracer: o.Traces, follower: j.follow(), batch: make([]finished, 0, batchSize), providers: o.Config.Providers,
		lost: lost, log: o.Logger,
	}
}

// joinTrace notes the client's span.
func (s *Server) joinTrace(x *exchange, r *http.Request) {
	if s.traces != nil {
		x.parent = tracing.ParentOf(r.Header.Get("Traceparent"), r.Header.Get("Tracestate"))
	}
}

// run delivers until ctx ends.
func (t *traces) run(ctx context.Context) {
	for ctx.Err() == nil {
		if t.deliver(ctx) == nil {
			t.follower.wait(ctx, tracedWithin, 0)
			continue
		}
		select {
		case <-time.After(tracesPause):
		case <-ctx.Done():
		}
	}
}

// close delivers what is left, as far as the collector takes it soon. The goroutine of run has ended.
func (t *traces) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lastDelivery)
	defer cancel()
	if err := t.deliver(ctx); err != nil {
		t.lose(t.owed)
		if left, missed := t.follower.take(make([]finished, 0, journalSize)); len(left) > 0 || missed > 0 {
			t.lose(len(left) + int(missed))
		}
	}
	if err := t.tracer.Close(ctx); err != nil {
		t.log.Warn("traces did not end in order", "error", err)
	}
}

// deliver takes every request that is there to the collector. After an error the rest is still owed.
func (t *traces) deliver(ctx context.Context) error {
	for {
		if t.owed == 0 && !t.take() {
			return nil
		}
		err := t.tracer.Deliver(ctx)
		if ctx.Err() == nil {
			t.tell(err)
		}
		if errors.Is(err, tracing.ErrUnreached) {
			return err
		}
		if err != nil {
			t.lose(t.owed)
		}
		t.owed = 0
	}
}

// take makes the spans of the next requests. It is false if there are none.
func (t *traces) take() bool {
	batch, missed := t.follower.take(t.batch)
	if missed > 0 {
		t.lose(int(missed))
	}
	upstreams := upstreamsOf(t.providers())
	for i := range batch {
		t.tracer.Add(&batch[i].report, batch[i].parent, upstreams)
	}
	t.owed = len(batch)
	clear(batch)
	return t.owed > 0
}

func (t *traces) lose(n int) { t.lost.Add(float64(n)) }

// tell logs when deliveries begin to fail and when they go through again.
func (t *traces) tell(err error) {
	switch {
	case err != nil && !t.failing:
		t.log.Warn("the traces' collector does not take them", "error", err)
	case err == nil && t.failing:
		t.log.Info("the traces' collector takes them again")
	}
	t.failing = err != nil
}

// upstreamsOf is what spans say of each provider.
func upstreamsOf(list []config.Provider) map[string]tracing.Upstream {
	upstreams := make(map[string]tracing.Upstream, len(list))
	for i := range list {
		p := &list[i]
		up := tracing.Upstream{Name: tracing.ProviderName(p.ID, p.Kind, p.Preset)}
		if u, err := url.Parse(p.BaseURL); err == nil && u.Host != "" {
			up.Address, up.Port = u.Hostname(), portOf(u)
		}
		upstreams[p.ID] = up
	}
	return upstreams
}

// portOf is the port of an address, the scheme's if it names none.
func portOf(u *url.URL) int {
	if port, err := strconv.Atoi(u.Port()); err == nil {
		return port
	}
	if u.Scheme == "http" {
		return 80
	}
	return 443
}
