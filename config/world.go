package config

import (
	"maps"
	"slices"
	"strings"
)

// maxNesting is how deep combos may name combos, the outermost counted (spec: routing.md 1).
const maxNesting = 8

// world is all that documents may name: what a document is checked against.
type world struct {
	defaults  *Defaults
	providers map[string]*Provider
	combos    map[string]*Combo
	owners    map[string]string // alias to the name of its combo
}

func newWorld(d *Defaults, ps []Provider, cs []Combo) *world {
	w := &world{
		defaults: d, providers: make(map[string]*Provider, len(ps)),
		combos: make(map[string]*Combo, len(cs)), owners: map[string]string{},
	}
	for i := range ps {
		if _, twice := w.providers[ps[i].ID]; !twice {
			w.providers[ps[i].ID] = &ps[i]
		}
	}
	for i := range cs {
		c := &cs[i]
		if _, twice := w.combos[c.Name]; twice {
			continue
		}
		w.combos[c.Name] = c
		for _, alias := range c.Aliases {
			if _, taken := w.owners[alias]; !taken {
				w.owners[alias] = c.Name
			}
		}
	}
	return w
}

// comboNames and providerIDs are for hints.
func (w *world) comboNames() []string  { return slices.Sorted(maps.Keys(w.combos)) }
func (w *world) providerIDs() []string { return slices.Sorted(maps.Keys(w.providers)) }

// serves tells whether a client may name this in `model`.
func (w *world) serves(model string) bool {
	if _, ok := w.combos[model]; ok {
		return true
	}
	if _, ok := w.owners[model]; ok {
		return true
	}
	id, name, found := strings.Cut(model, "/")
	p := w.providers[id]
	return found && p != nil && p.has(name)
}

// has tells whether a provider may be asked for a model.
func (p *Provider) has(model string) bool {
	return len(p.Models) == 0 || slices.ContainsFunc(p.Models, func(m Model) bool { return m.Name == model })
}

// cycle finds a way from a combo back to itself that begins with one of its targets; nil if there is none.
func (w *world) cycle(from, first string) []string {
	return w.way(first, from, []string{from}, map[string]bool{})
}

func (w *world) way(at, to string, sofar []string, seen map[string]bool) []string {
	sofar = append(sofar, at)
	if at == to {
		return sofar
	}
	c := w.combos[at]
	if c == nil || seen[at] {
		return nil
	}
	seen[at] = true
	for _, t := range c.Targets {
		if t.Combo == "" {
			continue
		}
		if found := w.way(t.Combo, to, sofar, seen); found != nil {
			return found
		}
	}
	return nil
}

// nesting finds the longest chain of combos for each combo; there must be no cycle.
type nesting struct {
	*world
	depths map[string]int
}

func (w *world) nesting() nesting { return nesting{w, make(map[string]int, len(w.combos))} }

func (n nesting) depth(name string) int {
	if d, known := n.depths[name]; known {
		return d
	}
	n.depths[name] = 1 // also what ends a cycle
	deepest := 0
	if c := n.combos[name]; c != nil {
		for _, t := range c.Targets {
			if t.Combo != "" {
				deepest = max(deepest, n.depth(t.Combo))
			}
		}
	}
	n.depths[name] = deepest + 1
	return deepest + 1
}

// chain lists the longest chain that begins at a combo.
func (n nesting) chain(name string) []string {
	chain := []string{name}
	for {
		c := n.combos[name]
		if c == nil {
			return chain
		}
		i := slices.IndexFunc(c.Targets, func(t Target) bool { return t.Combo != "" && n.depth(t.Combo) == n.depth(name)-1 })
		if i < 0 {
			return chain
		}
		name = c.Targets[i].Combo
		chain = append(chain, name)
	}
}

// namedBy lists the combos that name a combo, sorted.
func (w *world) namedBy(name string) []string {
	return w.combosThat(func(t Target) bool { return t.Combo == name })
}

// usedBy lists the combos that have a provider among their targets, sorted; model "" is any.
func (w *world) usedBy(provider, model string) []string {
	return w.combosThat(func(t Target) bool { return t.Provider == provider && (model == "" || t.Model == model) })
}

func (w *world) combosThat(is func(Target) bool) []string {
	var names []string
	for name, c := range w.combos {
		if slices.ContainsFunc(c.Targets, is) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
