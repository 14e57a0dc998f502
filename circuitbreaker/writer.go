package circuitbreaker

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// slowCommit is how long a commit may take before the store counts as
	// broken. Spec: breaker.md 7.3.
	slowCommit = time.Second
	// A commit that failed is tried again after minRetry, then after twice as
	// long each time, at most maxRetry.
	minRetry = 50 * time.Millisecond
	maxRetry = 5 * time.Second
)

// writer owns the goroutines of a registry and makes its commits one at a time.
type writer struct {
	turn   chan struct{} // held by whoever commits
	cancel context.CancelFunc

	mu      sync.Mutex
	running bool
	wg      sync.WaitGroup

	unloaded bool // Restore failed: load before the first commit; with turn held
}

func (w *writer) init() { w.turn = make(chan struct{}, 1) }

func (w *writer) start(loops ...func(ctx context.Context)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running {
		return
	}
	w.running = true
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	for _, loop := range loops {
		w.wg.Go(func() { loop(ctx) })
	}
}

func (w *writer) close(ctx context.Context) error {
	if !w.stop() {
		return nil
	}
	done := make(chan struct{})
	go func() { w.wg.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *writer) stop() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.running {
		return false
	}
	w.running = false
	w.cancel()
	return true
}

func (w *writer) isRunning() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running
}

// write is the loop of the one writer: at once for a transition, within the
// flush interval for counts, again and again if the store fails.
func (r *Registry) write(ctx context.Context) {
	flush := time.NewTimer(r.options.FlushInterval)
	defer flush.Stop()
	flush.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.outbox.wake:
			if !r.outbox.urgent() {
				flush.Reset(r.options.FlushInterval)
				continue
			}
		case <-flush.C:
		}
		flush.Stop()
		for retry := minRetry; r.commit(ctx) != nil; retry = min(2*retry, maxRetry) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(retry):
			}
		}
	}
}

// sweepAll is the loop of the sweeper.
func (r *Registry) sweepAll(ctx context.Context) {
	tick := time.NewTicker(r.options.SweepInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.Sweep(r.clock.now())
		}
	}
}

// commit pays what is owed now, and then shows it: events are published after
// their commit.
func (r *Registry) commit(ctx context.Context) error {
	select {
	case r.writer.turn <- struct{}{}:
		defer func() { <-r.writer.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := r.loadLate(ctx); err != nil {
		return err
	}
	d, batch, ticket := r.collect()
	if d.since == unset {
		return nil
	}
	r.report(&d)
	if err := r.apply(ctx, batch); err != nil {
		r.outbox.giveBack(d)
		r.degrade(err)
		return err
	}
	r.outbox.settle(ticket)
	r.recover()
	r.subs.miss(d.lost)
	for i := range d.transitions {
		r.subs.publish(Event{Transition: &d.transitions[i]})
	}
	return nil
}

// collect takes the debt and the rows to it. With mu held, no reset of all is
// half done meanwhile.
func (r *Registry) collect() (debt, Batch, uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.now()
	r.clock.observe(now)
	at := r.clock.moment(now)
	d, ticket := r.outbox.take()
	batch := d.batch()
	slots := r.table.Load().slots
	for _, name := range slices.Sorted(maps.Keys(d.names)) {
		delete(r.unreadable, name)
		if row, ok := slots[name].row(r, at); ok {
			batch.Save = append(batch.Save, row)
		} else if !d.all || slices.Contains(d.keep, name) {
			batch.Delete = append(batch.Delete, name)
		}
	}
	return d, batch, ticket
}

// apply hands a batch to the store. While it takes too long, the store is broken.
func (r *Registry) apply(ctx context.Context, batch Batch) error {
	if r.options.Store == nil || batch.empty() {
		return nil
	}
	number := r.outbox.number()
	slow := time.AfterFunc(slowCommit, func() {
		if r.outbox.underWay(number) {
			r.degrade(errSlow)
		}
	})
	defer slow.Stop()
	return r.options.Store.Apply(ctx, batch)
}

// report logs the transitions of a debt that were not logged yet.
func (r *Registry) report(d *debt) {
	for _, t := range d.transitions[d.reported:] {
		log := r.log.Info
		if t.To == Degraded || t.To == Open || t.To == Isolated {
			log = r.log.Warn
		}
		log("circuit breaker transition", "breaker", t.Name, "from", t.From.String(), "to", t.To.String(),
			"reason", t.Reason, "kind", string(t.Kind), "measure", t.Measure, "wait", t.Wait, "enforce", t.Enforce)
	}
	d.reported = len(d.transitions)
}
