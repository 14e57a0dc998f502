package config

import (
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// BreakerPatch is one layer of breaker settings: `defaults.breaker`, a provider's, a model's. Each member that is set
// overrides the layers below it on its own (spec: api.md, breaker settings).
type BreakerPatch struct {
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
	Kinds                                         map[providers.Kind]KindPatch
}

// KindPatch overrides the row of one failure kind. Counts, Scope and Failover belong to a provider or to `defaults`,
// not to a model (spec: failures.md 1).
type KindPatch struct {
	Threshold      *int
	ImmediateOpen  *bool
	Cooldown, Park *time.Duration
	Counts         *bool
	Scope          *providers.Charge
	Failover       *providers.Failover
}
