package config

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/ohmroute/ohmroute/providers"
)

// withPreset fills what a provider leaves to its preset or its kind.
func (p Provider) withPreset() Provider {
	preset, _ := providers.PresetOf(p.Preset)
	if p.BaseURL == "" {
		p.BaseURL = cmp.Or(preset.BaseURL, providers.HomeURL(p.Kind))
	}
	if len(p.Dialects) == 0 {
		p.Dialects = preset.Dialects
	}
	if fixed, own := kindDialects[p.Kind]; own {
		p.Dialects = fixed
	} else if len(p.Dialects) == 0 {
		p.Dialects = []providers.Endpoint{providers.Chat}
	}
	if p.BreakerScope == "" {
		p.BreakerScope = preset.Scope.String()
	}
	if p.BreakerScope == "" {
		p.BreakerScope = kindScopes[p.Kind]
	}
	return p
}

// kindDialects are what kinds speak natively that have a dialect of their own.
var kindDialects = map[string][]providers.Endpoint{KindAnthropic: {providers.Messages}, KindGemini: {}}

// kindScopes are the breaker scopes of the kinds (spec: failures.md 1).
var kindScopes = map[string]string{
	KindOpenAI: scopeProvider, KindAnthropic: scopeProvider, KindGemini: scopeTarget, KindAzure: scopeTarget, KindDemo: scopeTarget,
}

var kindRule = among(kindNames...)

func presetRule(name string) string {
	if _, known := providers.PresetOf(name); known {
		return ""
	}
	var names []string
	for _, p := range providers.Presets() {
		names = append(names, p.Name)
	}
	return fmt.Sprintf("there is no preset %s%s", quote(name), didYouMean(name, names))
}

// checkClient makes the client of a provider that is otherwise fine once, to learn what is wrong with its settings.
func (p *Provider) checkClient(path string) []Problem {
	var throwaway clients
	full := p.withPreset()
	_, err := throwaway.of(&full)
	throwaway.close()
	f := findings{path: path}
	for _, e := range flat(err) {
		script, ok := errors.AsType[*providers.ScriptError](e)
		if i := slices.IndexFunc(p.Models, func(m Model) bool { return ok && m.Name == script.Model }); i >= 0 {
			f.addf(at("models", i)+".script", "%s", script.Message)
		} else {
			f.addf("", "%s", e)
		}
	}
	return f.problems
}

// flat takes joined errors apart.
func flat(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, flat(e)...)
		}
		return all
	}
	return []error{err}
}

// clients makes the providers' clients, and keeps those whose settings didn't change: with them their connections.
type clients struct {
	dial     providers.Dial // nil: the network
	old, now map[string]client
}

type client struct {
	settings any // a HostConfig or a DemoConfig
	providers.Provider
}

// of gives the client of a provider that was filled from its preset.
func (c *clients) of(p *Provider) (providers.Provider, error) {
	made, err := c.make(p)
	if err != nil {
		return nil, err
	}
	if c.now == nil {
		c.now = map[string]client{}
	}
	c.now[p.ID] = made
	return made.Provider, nil
}

func (c *clients) make(p *Provider) (client, error) {
	before := c.old[p.ID]
	if p.Kind == KindDemo {
		settings := providers.DemoConfig{Scripts: map[string]string{}}
		for _, m := range p.Models {
			if m.Script != "" {
				settings.Scripts[m.Name] = m.Script
			}
		}
		if reflect.DeepEqual(before.settings, settings) {
			return before, nil
		}
		demo, err := providers.NewDemo(settings)
		return client{settings, demo}, err
	}
	settings := providers.HostConfig{
		Kind: p.Kind, BaseURL: p.BaseURL, Preset: p.Preset, Dialects: p.Dialects, Strict: p.Strict, APIVersion: p.APIVersion,
		Headers: p.Headers, ForwardHeaders: p.ForwardHeaders, InjectUsage: p.InjectUsage, AllowPrivateNetwork: p.AllowPrivateNetwork,
	}
	if reflect.DeepEqual(before.settings, settings) {
		return before, nil
	}
	dialing := settings
	dialing.Dial = c.dial // the same for all, and no setting: functions can't be compared
	host, err := providers.NewHost(dialing)
	return client{settings, host}, err
}

// next begins another build from the clients of this one.
func (c *clients) next() *clients { return &clients{dial: c.dial, old: c.now} }

// retire closes the clients of the build before that aren't used any more, beside: requests under way go on.
func (c *clients) retire(closing *sync.WaitGroup) {
	for id, before := range c.old {
		if c.now[id].Provider != before.Provider {
			closing.Go(before.close)
		}
	}
	c.old = nil
}

// discard closes the clients that were made for a build that is not used.
func (c *clients) discard() {
	for id, made := range c.now {
		if c.old[id].Provider != made.Provider {
			made.close()
		}
	}
}

// close closes all clients.
func (c *clients) close() {
	for _, made := range c.now {
		made.close()
	}
}

func (c client) close() {
	if closer, ok := c.Provider.(interface{ Close() }); ok {
		closer.Close()
	}
}
