package config

import (
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// demoName is the name of the demo's provider and of its combo (spec: issue text 8, api.md "command line").
const demoName = "demo"

// withDemo adds the demo's documents: a combo whose first target fails most of the time and whose second never does.
// The first one's breaker has short times, so that one sees it degrade, open, and recover within a minute.
func (s *stored) withDemo(now time.Time) *stored {
	origin := Origin{ManagedBy: ManagedByAPI, CreatedAt: now, UpdatedAt: now, Version: 1}
	short := BreakerPatch{breakerMembers: breakerMembers{
		Cooldown: new(100 * time.Millisecond), ResetTimeout: new(5 * time.Second),
		MaxBackoffMultiplier: new(4), Jitter: new(circuitbreaker.Fraction(0)),
	}}
	added := *s
	added.providers = []Provider{{
		ID: demoName, Kind: KindDemo, BreakerScope: scopeTarget, Origin: origin,
		Models: []Model{{Name: "flaky", Breaker: short}, {Name: "steady"}},
	}}
	added.combos = []Combo{{
		Name: demoName, Strategy: "priority", Origin: origin,
		Targets: []Target{{Provider: demoName, Model: "flaky", Weight: 1}, {Provider: demoName, Model: "steady", Weight: 1}},
	}}
	return &added
}
