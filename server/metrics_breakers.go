package server

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// breakerMetrics show the breakers as they are at the scrape, after what was owed then is on disk (spec: breaker.md
// 7.3). They are one collector, so that no state is on a page whose transition isn't counted there.
type breakerMetrics struct {
	registry *circuitbreaker.Registry
	counts   *prometheus.CounterVec

	counting  sync.Mutex
	uncounted *circuitbreaker.Subscription // guarded by counting
}

var (
	breakerStateDesc = prometheus.NewDesc("ohmroute_breaker_state", "1 for the state that a breaker is in.", []string{"name", "state"}, nil)
	unsavedDesc      = prometheus.NewDesc("ohmroute_persistence_oldest_unsaved_seconds", "Age of the oldest change of a breaker that is not on disk.", nil, nil)
)

// scrapePatience bounds a scrape; the registry gives up on a broken store sooner.
const scrapePatience = 5 * time.Second

func newBreakerMetrics(registry *circuitbreaker.Registry) *breakerMetrics {
	return &breakerMetrics{
		registry:  registry,
		counts:    counter("ohmroute_breaker_transitions_total", "Changes of a breaker's state.", "name", "from", "to", "reason"),
		uncounted: registry.Subscribe(transitionBuffer),
	}
}

// count counts the transitions that were published before the call. What was lost on the way to it is told by the feed.
func (m *breakerMetrics) count() {
	m.counting.Lock()
	defer m.counting.Unlock()
	atOnce, cancel := context.WithCancel(context.Background())
	cancel()
	for {
		ev, _, err := m.uncounted.Next(atOnce)
		if err != nil {
			return
		}
		if t := ev.Transition; t != nil {
			m.counts.WithLabelValues(t.Name, t.From.String(), t.To.String(), t.Reason).Inc()
		}
	}
}

func (m *breakerMetrics) close() { m.uncounted.Close() }

// Describe implements [prometheus.Collector].
func (m *breakerMetrics) Describe(ch chan<- *prometheus.Desc) {
	m.counts.Describe(ch)
	ch <- breakerStateDesc
	ch <- unsavedDesc
}

// Collect implements [prometheus.Collector]. It waits for the disk, not long if that is broken.
func (m *breakerMetrics) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapePatience)
	defer cancel()
	list := m.registry.List(time.Now())
	persistence := m.registry.Durable(ctx)
	if !persistence.Degraded {
		_ = m.registry.Flush(ctx) // returns behind the commit that Durable saw, which publishes at its end
	}
	m.count()
	m.counts.Collect(ch)
	ch <- prometheus.MustNewConstMetric(unsavedDesc, prometheus.GaugeValue, persistence.OldestUnsaved.Seconds())
	for _, b := range list {
		for state := circuitbreaker.Closed; state <= circuitbreaker.Isolated; state++ {
			value := 0.0
			if b.State == state {
				value = 1
			}
			ch <- prometheus.MustNewConstMetric(breakerStateDesc, prometheus.GaugeValue, value, b.Name, state.String())
		}
	}
}
