package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// findings collects what is wrong with one document at a path.
type findings struct {
	path     string
	problems []Problem
}

func (f *findings) addf(path, format string, args ...any) {
	f.problems = append(f.problems, Problem{Path: within(f.path, path), Message: fmt.Sprintf(format, args...)})
}

func (f *findings) warnf(path, format string, args ...any) {
	f.addf(path, format, args...)
	f.problems[len(f.problems)-1].Warning = true
}

// check finds what is wrong with a provider that was read; d are the defaults below it.
func (p *Provider) check(path string, d *Defaults) []Problem {
	f := findings{path: path}
	if p.ID == "" {
		f.addf("id", "must be given")
	}
	preset, known := providers.PresetOf(p.Preset)
	switch {
	case p.Kind == "" && known:
		f.addf("kind", "must be given: the preset %s is of kind %s", p.Preset, preset.Kind)
	case p.Kind == "":
		f.addf("kind", "must be given: %s", oneOf(kindNames))
	case known && preset.Kind != p.Kind:
		f.addf("preset", "%s is of kind %s, and the provider of kind %s", p.Preset, preset.Kind, p.Kind)
	case slices.Contains(providers.HostKinds(), p.Kind) && p.withPreset().BaseURL == "":
		f.addf("base_url", "must be given, as in https://api.example.com/v1, unless a preset knows it")
	}
	if p.APIVersion != "" && p.Kind != KindAzure {
		f.addf("api_version", "is for providers of kind %s only", KindAzure)
	}
	if given, fixed := p.Dialects, kindDialects[p.Kind]; fixed != nil && !subset(given, fixed) {
		f.addf("dialects", "are not to be chosen: a provider of kind %s speaks its own", p.Kind)
	}
	p.checkModels(&f)
	p.checkKeys(&f)
	f.problems = append(f.problems, p.outOfRange(path, d)...)
	return f.problems
}

func subset(some, all []providers.Endpoint) bool {
	return !slices.ContainsFunc(some, func(e providers.Endpoint) bool { return !slices.Contains(all, e) })
}

func (p *Provider) checkModels(f *findings) {
	first := make(map[string]int, len(p.Models))
	for i := range p.Models {
		m := &p.Models[i]
		if m.Name == "" {
			f.addf(at("models", i)+".name", "must be given")
			continue
		}
		if j, twice := first[m.Name]; twice {
			f.addf(at("models", i), "stands twice: %s is also models[%d]", quote(m.Name), j)
			continue
		}
		first[m.Name] = i
		if m.Script != "" && p.Kind != KindDemo {
			f.addf(at("models", i)+".script", "is for providers of kind demo only")
		}
	}
}

func (p *Provider) checkKeys(f *findings) {
	first := make(map[string]int, len(p.Keys))
	for i := range p.Keys {
		k, path := &p.Keys[i], at("keys", i)
		if k.Name == "" {
			f.addf(path+".name", "must be given")
		} else if j, twice := first[k.Name]; twice {
			f.addf(path+".name", "stands twice: %s is also keys[%d]", quote(k.Name), j)
		} else {
			first[k.Name] = i
		}
		switch {
		case k.Env != "" && (k.value != nil || k.redacted || k.sealed != ""):
			f.addf(path, "must have env or value, not both")
		case k.redacted && k.sealed == "":
			f.addf(path+".value", "is the mask of a key that isn't stored: give the key itself")
		case k.Env == "" && k.value == nil && k.sealed == "":
			f.addf(path, "must have env (the name of an environment variable) or value (the key itself)")
		}
	}
}

// outOfRange checks the breaker settings of a provider and its models.
func (p *Provider) outOfRange(path string, d *Defaults) []Problem {
	problems := layers{&d.Breaker, &p.Breaker}.outOfRange(within(path, "breaker"))
	for i := range p.Models {
		if p.Models[i].Breaker.isZero() {
			continue
		}
		ls := layers{&d.Breaker, &p.Breaker, &p.Models[i].Breaker}
		problems = append(problems, ls.outOfRange(at(within(path, "models"), i)+".breaker")...)
	}
	return problems
}

// check finds what is wrong with a combo that was read, apart from names that are taken.
func (c *Combo) check(path string, w *world) []Problem {
	f := findings{path: path}
	if c.Name == "" {
		f.addf("name", "must be given")
	}
	if slices.Contains(c.Aliases, c.Name) {
		f.addf(at("aliases", slices.Index(c.Aliases, c.Name)), "is the combo's own name")
	}
	if len(c.Targets) == 0 {
		f.addf("targets", "must hold at least one target")
	}
	for i := range c.Targets {
		c.checkTarget(&f, i, w)
	}
	if len(c.Targets) > 0 && !slices.ContainsFunc(c.Targets, func(t Target) bool { return t.Weight > 0 && !t.Disabled && len(t.OnlyOn) == 0 }) {
		f.warnf("targets", "no target is in the pool: each is drained or a fallback (only_on)")
	}
	full := c.lower(w.defaults)
	checkRetry(&f, "retry", &full.Retry)
	return f.problems
}

func checkRetry(f *findings, path string, r *Retry) {
	least, most := time.Duration(0), time.Duration(0)
	override(&least, r.Base)
	override(&most, r.Max)
	if r.Base != nil && r.Max != nil && least > most {
		f.addf(path+".base", "must be at most %s, the value of max, not %s", most, least)
	}
}

func (c *Combo) checkTarget(f *findings, i int, w *world) {
	t, path := &c.Targets[i], at("targets", i)
	if j := slices.IndexFunc(c.Targets[:i], t.same); j >= 0 {
		f.warnf(path, "is the same target as targets[%d]; a request asks it once", j)
	}
	switch {
	case t.Combo != "" && (t.Provider != "" || t.Model != ""):
		f.addf(path, "must name a provider and a model, or a combo, not both")
	case t.Combo != "":
		c.checkNested(f, path+".combo", t.Combo, w)
	case t.Provider == "" && t.Model == "":
		f.addf(path, "must name a provider and a model, or a combo")
	case t.Provider == "":
		f.addf(path+".provider", "must be given")
	default:
		p := w.providers[t.Provider]
		if p == nil {
			f.addf(path+".provider", "there is no provider %s%s", quote(t.Provider), didYouMean(t.Provider, w.providerIDs()))
		}
		if t.Model == "" {
			f.addf(path+".model", "must be given")
		} else if p != nil && !p.has(t.Model) {
			var names []string
			for i := range p.Models {
				names = append(names, p.Models[i].Name)
			}
			f.addf(path+".model", "provider %s has no model %s in its list%s", quote(p.ID), quote(t.Model), didYouMean(t.Model, names))
		}
	}
}

// same tells whether two targets stand for the same candidates.
func (t *Target) same(u Target) bool {
	return t.Combo == u.Combo && t.Provider == u.Provider && t.Model == u.Model
}

func (c *Combo) checkNested(f *findings, path, name string, w *world) {
	if w.combos[name] == nil {
		if owner, alias := w.owners[name]; alias {
			f.addf(path, "%s is an alias; name the combo itself, %s", quote(name), quote(owner))
			return
		}
		f.addf(path, "there is no combo %s%s", quote(name), didYouMean(name, w.comboNames()))
		return
	}
	if way := w.cycle(c.Name, name); way != nil {
		f.addf(path, "makes a cycle: %s", strings.Join(way, " -> "))
	}
}

// tooDeep reports the chains of nested combos that are too long, at the outermost combo of each or, if one is given,
// at that combo's part of it.
func (w *world) tooDeep(path func(combo string) string, only string) []Problem {
	var problems []Problem
	n := w.nesting()
	for _, name := range w.comboNames() {
		if n.depth(name) <= maxNesting || len(w.namedBy(name)) > 0 {
			continue
		}
		chain, blamed := n.chain(name), name
		if only != "" {
			if blamed = only; !slices.Contains(chain, only) {
				continue
			}
		}
		next, where := chain[min(slices.Index(chain, blamed)+1, len(chain)-1)], "targets"
		if i := slices.IndexFunc(w.combos[blamed].Targets, func(t Target) bool { return t.Combo == next }); i >= 0 {
			where = at(where, i) + ".combo"
		}
		problems = append(problems, Problem{Path: within(path(blamed), where), Message: fmt.Sprintf(
			"combos nest %d deep here, and 8 is the most: %s", len(chain), strings.Join(chain, " -> "))})
	}
	return problems
}
