package simulate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

// world is one policy under the script's arrivals and faults.
type world struct {
	plan   *Plan
	policy *policy
	turns  *turns
	seen   map[string][]observation // of a replayed log, by target

	begun       time.Time
	breakers    *circuitbreaker.Registry
	router      *combo.Router
	records     []record
	transitions []circuitbreaker.Transition

	mu     sync.Mutex
	failed error // of a request's goroutine
	known  knowledge
}

// record is what became of one request.
type record struct {
	report combo.Report
	plays  []int // by call: the fault that was played, none
}

// none is the index of no fault.
const none = -1

// patience is how long after the last arrival a request may last, where nothing else limits it.
const patience = time.Hour

func newWorld(p *Plan, own *policy) *world {
	w := &world{plan: p, policy: own, records: make([]record, len(p.requests))}
	if p.log != nil {
		w.seen = p.log.observations()
	}
	return w
}

// run plays everything in a bubble.
func (w *world) run() error {
	err := inBubble(func() error {
		w.begun, w.turns = time.Now(), newTurns(w.policy.quiet()) // its channel has to be of the bubble
		if err := w.open(); err != nil {
			return err
		}
		return w.play()
	})
	if err != nil {
		return fmt.Errorf("policy %q: %w", w.policy.name, err)
	}
	return nil
}

// open makes breakers and router as the gateway does, and puts targets in the place of the providers' clients.
func (w *world) open() error {
	w.breakers = circuitbreaker.NewRegistry(circuitbreaker.Options{
		Rand: shared(w.plan.script.seed, "breakers"), Logger: slog.New(slog.DiscardHandler),
		MaxBreakers: w.policy.registry.MaxBreakers,
	})
	w.breakers.Configure(context.Background(), w.policy.breakers)
	routing := *w.policy.routing
	routing.Providers = maps.Clone(routing.Providers)
	for id, p := range routing.Providers {
		played := *p
		played.Client = &host{world: w, id: id}
		routing.Providers[id] = &played
	}
	w.router = combo.NewRouter(&routing, w.breakers, combo.Options{Now: w.turns.now, Rand: shared(w.plan.script.seed, "router")})
	_, err := w.router.Resolve(w.policy.combo)
	return err
}

// flushEvery so many turns what the breakers publish is taken: their registry keeps at most 10,000 transitions.
const flushEvery = 2000

// play lets requests in, one after the other, and gives turns until all of them have ended.
func (w *world) play() error {
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	sub := w.breakers.Subscribe(1 << 20)
	defer sub.Close()
	var running sync.WaitGroup
	ended := make(chan struct{})
	timer := time.NewTimer(0)
	defer timer.Stop()
	turns := 0
	for next := 0; ; {
		if turns += w.turns.settle(); turns > flushEvery {
			turns = 0
			w.listen(sub)
		}
		if err := w.failure(); err != nil {
			leave()
			running.Wait()
			return err
		}
		switch now := time.Since(w.begun); {
		case next < len(w.plan.requests) && w.plan.requests[next].at <= now:
			n := next
			running.Go(func() { w.serve(ctx, n) })
			if next++; next == len(w.plan.requests) {
				go func() { running.Wait(); close(ended) }()
			}
			continue
		case next < len(w.plan.requests):
			timer.Reset(w.plan.requests[next].at - now)
		default:
			timer.Reset(max(w.plan.end+patience-now, 0))
		}
		select {
		case <-w.turns.woken:
		case <-ended:
			w.listen(sub)
			return w.failure()
		case <-timer.C:
			if time.Since(w.begun) >= w.plan.end+patience {
				leave()
			}
		}
	}
}

// listen takes what the breakers have published.
func (w *world) listen(sub *circuitbreaker.Subscription) {
	_ = w.breakers.Flush(context.Background()) // it can't fail without a store
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for {
		ev, _, err := sub.Next(over)
		if err != nil {
			return
		}
		if ev.Transition != nil {
			w.transitions = append(w.transitions, *ev.Transition)
		}
	}
}

// serve is a client that sends one request and reads its answer to the end.
func (w *world) serve(ctx context.Context, n int) {
	defer w.turns.leave()
	err := safely(func() error {
		w.turns.enter(n)
		return w.send(ctx, n)
	})
	if err != nil {
		w.mu.Lock()
		w.failed = errors.Join(w.failed, fmt.Errorf("request %d: %w", n, err))
		w.mu.Unlock()
	}
}

func (w *world) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

func (w *world) send(ctx context.Context, n int) error {
	a := &w.plan.requests[n]
	answer, err := w.router.Route(ctx, &providers.Request{
		Endpoint: providers.Endpoint(a.endpoint), ContentType: "application/json", Body: []byte(`{"model":""}`),
		RequestID: strconv.Itoa(n), Start: time.Now(), Model: w.policy.combo, Stream: a.streamed,
		SessionHeader: strconv.FormatUint(a.session, 10),
	})
	if err != nil {
		e, ok := errors.AsType[*combo.Error](err)
		if !ok {
			return err
		}
		w.records[n].report = e.Report()
		return nil
	}
	for err == nil {
		_, err = answer.Next()
	}
	answer.Close()
	w.records[n].report = answer.Report()
	return nil
}
