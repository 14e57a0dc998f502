package combo

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// table is a configuration made ready for the walk: names resolved, breaker paths made, what was learned of each
// name carried over. It is immutable; only the states that it points to move.
type table struct {
	config *Config
	routes map[string]*node // by combo name, alias and listed "provider/model", in this order of precedence
	nodes  map[string]*node // by combo name
	hosts  map[string]*host // by provider ID
	legs   map[string]*leg  // by "provider/model": those that the configuration names
	models []ModelEntry
}

// node is one combo, or a direct route as a combo of one place.
type node struct {
	*Combo
	direct    bool
	strategy  *strategy
	pool      []place // what the strategy orders, in list order
	weights   []int   // of pool
	fallbacks []place // only_on
	drained   []*leg
	state     *nodeState
}

// place is one entry of a combo: a leg, or another combo.
type place struct {
	id     string // the target's or the nested combo's name: what a cursor or a hash refers to
	leg    *leg
	sub    *node
	legs   []*leg // leg itself, or every leg of sub and of the combos in it
	weight int
	onlyOn []providers.Kind
}

// host is a provider as the walk sees it.
type host struct {
	*Provider
	rules   map[providers.Kind]providers.Rule
	keys    []providers.Key // at least one; a provider without keys has one that is zero
	weights []int           // of keys
	state   *hostState
}

// leg is one model of one provider.
type leg struct {
	host   *host
	model  Model
	name   string // "provider/model"
	lanes  []lane // one per key of the host
	state  *targetState
	listed bool // false: named by nobody, so it has no breaker of its own
}

// lane is a leg with one of its provider's keys: what an attempt needs permits for.
type lane struct {
	index int // among the leg's
	key   providers.Key
	path  *circuitbreaker.Path
}

// newTable compiles cfg and takes over what old, nil at first, knows.
func newTable(cfg *Config, old *table, breakers *circuitbreaker.Registry) *table {
	t := &table{
		config: cfg,
		routes: map[string]*node{}, nodes: map[string]*node{}, hosts: map[string]*host{}, legs: map[string]*leg{},
	}
	for id, p := range cfg.Providers {
		t.hosts[id] = newHost(p, old)
	}
	for id, p := range cfg.Providers {
		for name := range p.Models {
			t.name(id, name, old, breakers)
		}
	}
	for _, c := range cfg.Combos {
		for i := range c.Targets {
			if target := &c.Targets[i]; target.Combo == "" && t.hosts[target.Provider] != nil {
				t.name(target.Provider, target.Model, old, breakers)
			}
		}
	}
	for name := range cfg.Combos {
		t.node(name, old)
	}
	t.route()
	t.models = t.list()
	return t
}

func newHost(p *Provider, old *table) *host {
	h := &host{Provider: p, rules: p.Rules, keys: p.Keys, state: &hostState{}}
	if old != nil && old.hosts[p.ID] != nil {
		h.state = old.hosts[p.ID].state
	}
	if h.rules == nil {
		h.rules = providers.DefaultRules()
	}
	if len(h.keys) == 0 {
		h.keys = []providers.Key{{}}
	}
	for i := range h.keys {
		h.weights = append(h.weights, max(h.keys[i].Weight, 1))
	}
	h.state.slots.limit(p.MaxConcurrency)
	return h
}

// name makes the leg of a model that the configuration names.
func (t *table) name(provider, model string, old *table, breakers *circuitbreaker.Registry) {
	name := provider + "/" + model
	if t.legs[name] != nil {
		return
	}
	l := newLeg(t.hosts[provider], model, circuitbreaker.TargetName(provider, model), breakers)
	l.listed = true
	if old != nil && old.legs[name] != nil {
		l.state = old.legs[name].state
	} else {
		l.state = &targetState{}
	}
	t.legs[name] = l
}

func newLeg(h *host, model, target string, breakers *circuitbreaker.Registry) *leg {
	l := &leg{host: h, model: h.Models[model], name: h.ID + "/" + model, lanes: make([]lane, len(h.keys))}
	l.model.Name = model
	for i, key := range h.keys {
		name := ""
		if len(h.Keys) > 0 {
			name = circuitbreaker.KeyName(h.ID, key.Name)
		}
		l.lanes[i] = lane{index: i, key: key, path: breakers.Path(circuitbreaker.ProviderName(h.ID), name, target)}
	}
	return l
}

// node compiles one combo, those that it names first.
func (t *table) node(name string, old *table) *node {
	if n := t.nodes[name]; n != nil {
		return n
	}
	c := t.config.Combos[name]
	n := &node{Combo: c, strategy: strategyNamed(c.Strategy)}
	t.nodes[name] = n // before its targets: a cycle, which validation refuses, ends here
	for i := range c.Targets {
		t.place(n, &c.Targets[i], old)
	}
	var before *node
	if old != nil {
		before = old.nodes[name]
	}
	n.state = newNodeState(n, before)
	return n
}

func (t *table) place(n *node, target *Target, old *table) {
	p := place{weight: max(target.Weight, 1), onlyOn: target.OnlyOn}
	if target.Combo != "" {
		if t.config.Combos[target.Combo] == nil {
			return
		}
		p.id, p.sub = target.Combo, t.node(target.Combo, old)
		p.legs = p.sub.reach(nil, 1)
		if target.Drained {
			n.drained = append(n.drained, p.legs...)
			return
		}
	} else {
		p.leg = t.legs[target.Provider+"/"+target.Model]
		if p.leg == nil {
			return
		}
		p.id, p.legs = p.leg.name, []*leg{p.leg}
		if target.Drained || !p.leg.host.Enabled {
			n.drained = append(n.drained, p.leg)
			return
		}
	}
	if len(p.onlyOn) > 0 {
		n.fallbacks = append(n.fallbacks, p)
		return
	}
	n.pool, n.weights = append(n.pool, p), append(n.weights, p.weight)
}

// reach appends every leg of the combo's pool and of the combos in it.
func (n *node) reach(legs []*leg, depth int) []*leg {
	for i := range n.pool {
		if p := &n.pool[i]; p.leg != nil {
			legs = append(legs, p.leg)
		} else if depth < maxDepth {
			legs = p.sub.reach(legs, depth+1)
		}
	}
	return legs
}

// maxDepth is how deep combos may be nested, the outermost counted (spec: routing.md 1).
const maxDepth = 8

func (t *table) route() {
	for name, l := range t.legs {
		if len(l.host.Models) == 0 || l.host.offers(l.model.Name) {
			t.routes[name] = t.directTo(l, &nodeState{})
		}
	}
	for alias, name := range t.config.Aliases {
		if n := t.nodes[name]; n != nil {
			t.routes[alias] = n
		}
	}
	maps.Copy(t.routes, t.nodes)
}

func (t *table) directTo(l *leg, state *nodeState) *node {
	c := t.config.Direct
	c.Name, c.Aliases, c.Strategy, c.Targets = l.name, nil, "", nil
	n := &node{Combo: &c, direct: true, strategy: strategyNamed(""), state: state}
	if l.host.Enabled {
		n.pool = []place{{id: l.name, leg: l, legs: []*leg{l}, weight: 1}}
	} else {
		n.drained = []*leg{l}
	}
	return n
}

// find resolves a name; nil: nothing is called that. Only a model that nobody named makes anything new.
func (t *table) find(name string, breakers *circuitbreaker.Registry) *node {
	if n := t.routes[name]; n != nil {
		return n
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return nil
	}
	for at := range len(name) {
		if name[at] != '/' {
			continue
		}
		h := t.hosts[name[:at]]
		if model := name[at+1:]; h != nil && len(h.Models) == 0 && plausible(model) {
			l := newLeg(h, model, "", breakers)
			l.state = &h.state.unlisted
			return t.directTo(l, &h.state.direct)
		}
	}
	return nil
}

// plausible tells whether a name may be sent to a provider that takes any (spec: routing.md 1). Some providers have it
// in their path.
func plausible(model string) bool {
	n := utf8.RuneCountInString(model)
	if n < 1 || n > 128 || strings.TrimSpace(model) != model {
		return false
	}
	for segment := range strings.SplitSeq(model, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

func (h *host) offers(model string) bool {
	_, ok := h.Models[model]
	return ok
}

func (t *table) list() []ModelEntry {
	var list []ModelEntry
	for name, n := range t.routes {
		switch {
		case n.direct && len(n.pool) > 0:
			list = append(list, ModelEntry{ID: name, OwnedBy: n.pool[0].leg.host.ID, Created: n.pool[0].leg.host.CreatedAt})
		case !n.direct && name == n.Name:
			list = append(list, ModelEntry{ID: name, OwnedBy: owner, Created: n.CreatedAt})
		}
	}
	slices.SortFunc(list, func(a, b ModelEntry) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// owner is who a combo belongs to in the list of models.
const owner = "ohmroute"
