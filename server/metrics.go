package server

import (
	"maps"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
)

// metrics are what /metrics shows (spec: api.md). Labels are words of the specs or names of the configuration;
// everything that a client wrote is "other".
type metrics struct {
	registry *prometheus.Registry
	page     http.Handler // shows the registry

	requests   vec[requestLabels, prometheus.Counter]
	attempts   vec[attemptLabels, prometheus.Counter]
	failovers  vec[failoverLabels, prometheus.Counter]
	firstToken vec[targetLabels, prometheus.Observer]
	breakers   *breakerMetrics
	dropped    *prometheus.CounterVec
	overhead   prometheus.Histogram
	streams    prometheus.Gauge
	unlogged   prometheus.Counter
	untraced   prometheus.Counter
}

type (
	requestLabels  struct{ combo, outcome string }
	attemptLabels  struct{ provider, model, kind string }
	failoverLabels struct{ combo, kind string }
	targetLabels   struct{ provider, model string }
)

// otherName stands for what the configuration doesn't name.
const otherName = "other"

// kindOK is the kind of an attempt that did not fail.
const kindOK = "ok"

func newMetrics(breakers *circuitbreaker.Registry, version string) *metrics {
	requests := counter("ohmroute_requests_total", "Requests by what became of them.", "combo", "outcome")
	attempts := counter("ohmroute_attempts_total", "Attempts on targets by failure kind, ok for none.", "provider", "model", "kind")
	failovers := counter("ohmroute_failovers_total", "Attempts after which the next one was made, by the kind that caused it.", "combo", "kind")
	firstToken := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "ohmroute_first_token_seconds", Help: "Time from sending to the first meaningful event or the whole plain answer.",
		Buckets: []float64{.025, .05, .1, .25, .5, 1, 2, 4, 8, 15, 30, 60, 120},
	}, []string{"provider", "model"})
	m := &metrics{
		breakers: newBreakerMetrics(breakers),
		dropped:  counter("ohmroute_dropped_members_total", "Members of requests that the target's dialect has no counterpart of.", "provider"),
		overhead: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "ohmroute_gateway_overhead_seconds", Help: "Time of a request that was not spent waiting for upstreams or slots.",
			Buckets: []float64{.00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1},
		}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "ohmroute_streams_in_flight", Help: "Streams that are being relayed.",
		}),
		unlogged: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "ohmroute_request_log_lost_total", Help: "Requests that the request log could not keep.",
		}),
		untraced: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "ohmroute_traces_lost_total", Help: "Requests whose trace the collector did not get.",
		}),
	}
	m.requests.make = func(l requestLabels) prometheus.Counter { return requests.WithLabelValues(l.combo, l.outcome) }
	m.attempts.make = func(l attemptLabels) prometheus.Counter { return attempts.WithLabelValues(l.provider, l.model, l.kind) }
	m.failovers.make = func(l failoverLabels) prometheus.Counter { return failovers.WithLabelValues(l.combo, l.kind) }
	m.firstToken.make = func(l targetLabels) prometheus.Observer { return firstToken.WithLabelValues(l.provider, l.model) }

	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "ohmroute_build_info", Help: "1 for the version that runs."}, []string{"version"})
	build.WithLabelValues(version).Set(1)
	m.registry = prometheus.NewRegistry()
	m.registry.MustRegister(build, requests, attempts, failovers, firstToken, m.dropped, m.overhead, m.streams, m.unlogged, m.untraced,
		m.breakers, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.page = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
	return m
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func (s *Server) metricsPage(c echo.Context) error {
	s.metrics.page.ServeHTTP(exchangeOf(c), c.Request())
	return nil
}

// observe counts a finished request.
func (m *metrics) observe(r *combo.Report) {
	name := boundedCombo(r)
	m.requests.of(requestLabels{name, r.Outcome}).Inc()
	if r.Total > 0 {
		m.overhead.Observe(max(0, r.Total-r.Upstream-r.Queue).Seconds())
	}
	var failed *combo.Attempt
	for i := range r.Attempts {
		a := &r.Attempts[i]
		if a.Outcome == combo.Skipped {
			continue
		}
		if failed != nil {
			m.failovers.of(failoverLabels{name, string(failed.Kind)}).Inc()
			failed = nil
		}
		model := boundedModel(a)
		kind := kindOK
		if a.Outcome == combo.Failed {
			kind = string(a.Kind)
			failed = a
		}
		m.attempts.of(attemptLabels{a.Provider, model, kind}).Inc()
		if a.FirstToken > 0 {
			m.firstToken.of(targetLabels{a.Provider, model}).Observe(a.FirstToken.Seconds())
		}
	}
}

// boundedCombo is a report's combo as a label: a direct route to a model that nobody configured is a client's text.
func boundedCombo(r *combo.Report) string {
	if r.Combo == "" || r.Direct && !r.Listed {
		return otherName
	}
	return r.Combo
}

func boundedModel(a *combo.Attempt) string {
	if !a.Listed {
		return otherName
	}
	return a.Model
}

// vec finds a metric of known labels without locking or hashing label by label. The zero value needs make.
type vec[K comparable, V any] struct {
	make  func(K) V
	known atomic.Pointer[map[K]V]
	mu    sync.Mutex
}

func (v *vec[K, V]) of(labels K) V {
	if known := v.known.Load(); known != nil {
		if metric, ok := (*known)[labels]; ok {
			return metric
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	next := make(map[K]V)
	if known := v.known.Load(); known != nil {
		maps.Copy(next, *known)
	}
	metric := v.make(labels)
	next[labels] = metric
	v.known.Store(&next)
	return metric
}
