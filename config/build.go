package config

import (
	"slices"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

// Built is a configuration in the form that runs. It is immutable.
type Built struct {
	Routing  *combo.Config
	Breakers map[string]circuitbreaker.Configured // by name: of every provider, key, and model that is named
	// Keyless are the providers that have keys of which none can be used, by id, with what is wrong with each. Their
	// targets are drained.
	Keyless map[string][]Problem
}

// builder turns documents into what runs.
type builder struct {
	state   *state
	clients *clients
	sealer  *Sealer
	env     func(string) (string, bool)
	warn    func(Problem)
	built   *Built
}

func (b *builder) build() (*Built, error) {
	b.built = &Built{
		Routing: &combo.Config{
			Providers:    make(map[string]*combo.Provider, len(b.state.providers)),
			Combos:       make(map[string]*combo.Combo, len(b.state.combos)),
			Aliases:      b.state.world.owners,
			DefaultModel: b.state.defaults.Model,
			Direct:       Combo{}.lower(b.state.defaults).routing(),
		},
		Breakers: map[string]circuitbreaker.Configured{},
		Keyless:  map[string][]Problem{},
	}
	for i := range b.state.providers {
		if err := b.provider(b.state.providers[i].withPreset()); err != nil {
			return nil, err
		}
	}
	for i := range b.state.combos {
		b.combo(b.state.combos[i].lower(b.state.defaults))
	}
	return b.built, nil
}

func (b *builder) provider(p Provider) error {
	client, err := b.clients.of(&p)
	if err != nil {
		return err
	}
	d := b.state.defaults
	ls := layers{&d.Breaker, &p.Breaker}
	settings := ls.usable()
	rules, _ := ls.rules() // what can't be changed was refused when it was read
	routed := &combo.Provider{
		ID: p.ID, Kind: p.Kind, Preset: p.Preset, Client: client,
		Models: make(map[string]combo.Model, len(p.Models)),
		Scope:  circuitbreaker.ScopeProvider, Rules: rules,
		Limits:         p.Timeouts.limits(d.Timeouts.limits(combo.DefaultLimits())),
		MaxConcurrency: p.MaxConcurrency, QueueTimeout: p.QueueTimeout,
		Endpoints: providers.ServedEndpoints(providers.NativeEndpoints(p.Kind, p.Dialects)), Enabled: !p.Disabled, CreatedAt: p.CreatedAt,
	}
	if p.BreakerScope == scopeTarget {
		routed.Scope = circuitbreaker.ScopeTarget
	}
	b.built.Breakers[circuitbreaker.ProviderName(p.ID)] = circuitbreaker.Configured{Settings: settings, Fingerprint: charges(&p)}
	for i := range p.Keys {
		configured := circuitbreaker.Configured{Settings: settings}
		key, err := p.Keys[i].credential(b.env)
		if err == nil {
			routed.Keys = append(routed.Keys, key)
			configured.Fingerprint = b.sealer.Fingerprint(key.Secret)
		} else {
			b.unusable(&p, i, err)
		}
		b.built.Breakers[circuitbreaker.KeyName(p.ID, key.Name)] = configured
	}
	if len(routed.Keys) > 0 {
		delete(b.built.Keyless, p.ID)
	} else if len(p.Keys) > 0 {
		routed.Enabled = false // nothing goes out without the credential that was configured
	}
	for i := range p.Models {
		m := &p.Models[i]
		routed.Models[m.Name] = m.routing()
		routed.ModelOrder = append(routed.ModelOrder, m.Name)
		own := settings
		if !m.Breaker.isZero() {
			own = layers{&d.Breaker, &p.Breaker, &m.Breaker}.usable()
		}
		b.built.Breakers[circuitbreaker.TargetName(p.ID, m.Name)] = circuitbreaker.Configured{Settings: own}
	}
	b.built.Routing.Providers[p.ID] = routed
	return nil
}

// charges is the fingerprint of a provider's own breaker: without keys what is wrong with the credential is charged to it
// (spec: failures.md 1), and forgotten when keys are there to be charged.
func charges(p *Provider) string {
	if len(p.Keys) == 0 {
		return "no keys"
	}
	return "keys"
}

// unusable tells of a key without a credential. It is left out, so that it is never sent as an empty one.
func (b *builder) unusable(p *Provider, i int, err error) {
	problem := Problem{Path: at("keys", i), Message: "is not used: " + err.Error()}
	b.built.Keyless[p.ID] = append(b.built.Keyless[p.ID], problem)
	problem.Path = "provider " + quote(p.ID) + "." + problem.Path
	b.warn(problem)
}

func (m *Model) routing() combo.Model {
	routed := combo.Model{
		Name: m.Name, ContextWindow: m.ContextWindow, MaxOutputTokens: m.MaxOutputTokens,
		Capabilities: m.Capabilities, CapabilitiesDeclared: m.Capabilities != nil,
		Limits: m.Timeouts.limits(providers.Limits{}),
	}
	if m.Price != nil {
		routed.Price = &combo.Price{Input: m.Price.Input, Output: m.Price.Output}
	}
	return routed
}

// combo adds a combo, without the targets that a stored one names and the file has taken away.
func (b *builder) combo(c Combo) {
	routed := c.routing()
	for _, t := range c.Targets {
		p := b.state.world.providers[t.Provider]
		if t.Combo == "" && (p == nil || !p.has(t.Model)) || t.Combo != "" && b.state.world.combos[t.Combo] == nil {
			continue
		}
		routed.Targets = append(routed.Targets, combo.Target{
			Provider: t.Provider, Model: t.Model, Combo: t.Combo, Weight: t.Weight,
			Drained: t.Disabled || t.Weight == 0, OnlyOn: t.OnlyOn,
		})
		if t.Combo == "" {
			b.target(p, t.Model)
		}
	}
	b.built.Routing.Combos[c.Name] = &routed
}

// target names the breaker of a model that only a combo names.
func (b *builder) target(p *Provider, model string) {
	name := circuitbreaker.TargetName(p.ID, model)
	if _, named := b.built.Breakers[name]; !named {
		settings := b.built.Breakers[circuitbreaker.ProviderName(p.ID)].Settings
		b.built.Breakers[name] = circuitbreaker.Configured{Settings: settings}
	}
}

// routing gives the settings of a combo that was filled from the layers below it, without its targets.
func (c Combo) routing() combo.Combo {
	routed := combo.Combo{
		Name: c.Name, Aliases: slices.Clone(c.Aliases), Strategy: c.Strategy,
		Limits: c.Timeouts.limits(providers.Limits{}),
		Hold:   combo.Hold{Events: c.Hold.Events, Time: c.Hold.Time}, FailoverOnContentPolicy: c.FailoverOnContentPolicy,
		Retry:     combo.Retry{MaxRetries: c.Retry.MaxRetries},
		Exhausted: combo.Exhausted{Do: c.Exhausted.Do},
		CreatedAt: c.CreatedAt,
	}
	override(&routed.Retry.Base, c.Retry.Base)
	override(&routed.Retry.Max, c.Retry.Max)
	override(&routed.Retry.SameTarget, c.Retry.SameTarget)
	override(&routed.Retry.PauseOnFailover, c.Retry.PauseOnFailover)
	override(&routed.Total, c.Timeouts.Total)
	override(&routed.Keepalive, c.Keepalive)
	override(&routed.Exhausted.ProbeWait, c.Exhausted.ProbeWait)
	override(&routed.Exhausted.MaxWait, c.Exhausted.MaxWait)
	return routed
}

// productDefaults are the defaults of the product in the form of the file's.
var productDefaults = func() Defaults {
	c := combo.DefaultCombo()
	return Defaults{
		Retry: Retry{
			MaxRetries: c.Retry.MaxRetries, Base: &c.Retry.Base, Max: &c.Retry.Max,
			SameTarget: &c.Retry.SameTarget, PauseOnFailover: &c.Retry.PauseOnFailover,
		},
		Timeouts:  ComboTimeouts{Total: &c.Total},
		Keepalive: &c.Keepalive,
		Exhausted: Exhausted{Do: c.Exhausted.Do, ProbeWait: &c.Exhausted.ProbeWait, MaxWait: &c.Exhausted.MaxWait},
	}
}()
