package config

import (
	"slices"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// BreakerPatch is one layer of breaker settings: `defaults.breaker`, a provider's, a model's. Each member that is set
// overrides the layers below it on its own (spec: api.md, breaker settings). Ranges are checked when the layers are
// laid over each other, by circuitbreaker.Settings.Validate.
type BreakerPatch struct {
	breakerMembers
	Kinds map[providers.Kind]providers.Override
}

// breakerMembers are the settings that are single values; nil is not set.
type breakerMembers struct {
	Measure                                       *circuitbreaker.Measure
	FailureThreshold                              *int
	DegradedAt, RecoversAt                        *circuitbreaker.Fraction
	ForgetAfter, ResetTimeout                     *time.Duration
	MaxBackoffMultiplier, BackoffAfter            *int
	HalfOpenRequests, HalfOpenSuccesses           *int
	ProbeTimeout, Cooldown, RetryAfterMax, Window *time.Duration
	Jitter, ErrorThreshold                        *circuitbreaker.Fraction
	VolumeThreshold                               *int
	Enforce                                       *bool
}

func (b *BreakerPatch) isZero() bool {
	return len(b.Kinds) == 0 && b.breakerMembers == breakerMembers{}
}

// laterCounts is the range of counts that Settings.Validate checks.
var laterCounts = span{least: 0, most: mostCounts, elsewhere: true}

// members lists the settings; rules tells whether the kinds may change what their rows say beside the breaker.
func (b *BreakerPatch) members(m members, rules bool) {
	measure := (*string)(b.Measure)
	m.text("measure", &measure, among(string(circuitbreaker.Consecutive), string(circuitbreaker.Decay), string(circuitbreaker.Window)))
	if m.reads() {
		b.Measure = (*circuitbreaker.Measure)(measure)
	}
	m.count("failure_threshold", &b.FailureThreshold, laterCounts)
	m.fraction("degraded_at", &b.DegradedAt)
	m.fraction("recovers_at", &b.RecoversAt)
	m.duration("forget_after", &b.ForgetAfter, anyLength)
	m.duration("reset_timeout", &b.ResetTimeout, anyLength)
	m.count("max_backoff_multiplier", &b.MaxBackoffMultiplier, laterCounts)
	m.count("backoff_after", &b.BackoffAfter, laterCounts)
	m.count("half_open_requests", &b.HalfOpenRequests, span{least: 1, most: 100, elsewhere: true})
	m.count("half_open_successes", &b.HalfOpenSuccesses, laterCounts)
	m.duration("probe_timeout", &b.ProbeTimeout, anyLength)
	m.duration("cooldown", &b.Cooldown, anyLength)
	m.duration("retry_after_max", &b.RetryAfterMax, anyLength)
	m.fraction("jitter", &b.Jitter)
	m.flag("enforce", &b.Enforce)
	m.duration("window", &b.Window, anyLength)
	m.fraction("error_threshold", &b.ErrorThreshold)
	m.count("volume_threshold", &b.VolumeThreshold, laterCounts)
	b.kinds(m, rules)
}

func (b *BreakerPatch) kinds(m members, rules bool) {
	var keys []string
	for _, kind := range providers.Kinds() {
		if _, set := b.Kinds[kind]; set {
			keys = append(keys, string(kind))
		}
	}
	m.entries("kinds", keys, func(key string, m members) {
		patch := b.Kinds[providers.Kind(key)]
		kindMembers(&patch, m, rules)
		if o, reading := m.(*objectReader); reading {
			o.check(o.path, key, kindOfFailure)
			if b.Kinds == nil {
				b.Kinds = map[providers.Kind]providers.Override{}
			}
			b.Kinds[providers.Kind(key)] = patch
		}
	})
}

// kindMembers are what a layer may say of one failure kind. counts, scope and failover belong to a provider or to
// `defaults`, not to a model (spec: failures.md 1).
func kindMembers(k *providers.Override, m members, rules bool) {
	m.count("threshold", &k.Threshold, laterCounts)
	m.flag("immediate_open", &k.ImmediateOpen)
	m.duration("cooldown", &k.Cooldown, anyLength)
	m.duration("park", &k.Park, anyLength)
	if rules {
		m.flag("counts", &k.Counts)
		enumerated(m, "scope", &k.Scope, providers.ChargeNone, providers.ChargeByScope)
		enumerated(m, "failover", &k.Failover, providers.NextNone, providers.NextBeforeCommit)
	}
}

// enumerated is a text that stands for one of the numbers from first to last.
func enumerated[T interface {
	~uint8
	String() string
}](m members, name string, v **T, first, last T) {
	var words []string
	for t := first; t <= last; t++ {
		words = append(words, t.String())
	}
	var word *string
	if *v != nil {
		word = new((**v).String())
	}
	m.text(name, &word, among(words...))
	if !m.reads() || word == nil {
		return
	}
	if i := slices.Index(words, *word); i >= 0 {
		*v = new(first + T(i))
	}
}

// kindOfFailure is the rule of a failure kind's name.
func kindOfFailure(name string) string {
	var names []string
	for _, kind := range providers.Kinds() {
		names = append(names, string(kind))
	}
	if slices.Contains(names, name) {
		return ""
	}
	if hint := didYouMean(name, names); hint != "" {
		return "there is no failure kind " + quote(name) + hint
	}
	return "there is no failure kind " + quote(name) + "; there are " + oneOf(names)
}
