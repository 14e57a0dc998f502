package simulate

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/config"
)

// policy is one configuration to be tried: a base with something changed.
type policy struct {
	name  string
	combo string // what clients name in model; empty: the script's
	over  value  // members that are laid over the base
	path  string // in the script

	routing  *combo.Config
	breakers map[string]circuitbreaker.Configured
	registry config.Registry
	targets  []string // provider/model, in the order in which the combo names them
}

// unchanged names the only policy of a script that has none.
const unchanged = "as configured"

// base is the configuration that policies change.
type base struct {
	text []byte // of a file; nil: of the script itself
	tree value
	env  func(string) (string, bool)
}

// build makes what runs. Problems have paths into the script, or into the file.
func (p *policy) build(b *base) []config.Problem {
	text := b.text
	if text == nil || len(p.over.members) > 0 {
		merged := p.merged(b)
		text = merged.json(nil)
	}
	file, problems := config.ParseFile(text, b.env)
	problems = slices.DeleteFunc(problems, func(q config.Problem) bool { return q.Warning })
	for i := range problems {
		problems[i].Path = p.locate(b, problems[i].Path)
	}
	if file == nil {
		return problems
	}
	built, err := built(file, b.env)
	if err != nil {
		return []config.Problem{{Path: p.path, Message: err.Error()}}
	}
	p.routing, p.breakers, p.registry = built.Routing, built.Breakers, file.Defaults.Registry
	return p.resolve()
}

// merged is the configuration as it is tried.
func (p *policy) merged(b *base) value {
	if len(p.over.members) == 0 {
		return b.tree
	}
	return overlay("", b.tree, p.over)
}

// resolve finds the combo and what it reaches.
func (p *policy) resolve() []config.Problem {
	names := make([]string, 0, len(p.routing.Combos))
	for name := range p.routing.Combos {
		names = append(names, name)
	}
	slices.Sort(names)
	path := "combo"
	if p.combo == "" && len(names) == 1 {
		p.combo = names[0]
	}
	if len(names) == 0 && p.combo == "" {
		return []config.Problem{{Path: path, Message: "must be given: there is no combo in the configuration, but a provider/model does too"}}
	}
	if p.combo == "" {
		return []config.Problem{{Path: path, Message: "must be given: one of " + strings.Join(names, ", ")}}
	}
	p.targets = reach(p.routing, p.combo, nil, 0)
	if len(p.targets) == 0 {
		return []config.Problem{{Path: path, Message: "there is no combo and no model " + p.combo + " with a target; there are " + strings.Join(names, ", ")}}
	}
	return nil
}

// quiet tells whether no request waits for what another one does: in a queue, or for a recovery.
func (p *policy) quiet() bool {
	for _, c := range p.routing.Combos {
		if c.Exhausted.Do == combo.Wait || c.Exhausted.ProbeWait > 0 {
			return false
		}
	}
	for _, of := range p.routing.Providers {
		if of.MaxConcurrency > 0 && of.QueueTimeout > 0 {
			return false
		}
	}
	direct := &p.routing.Direct.Exhausted
	return direct.Do != combo.Wait && direct.ProbeWait == 0
}

// locate turns a path in a merged configuration into one in the script: of a list whose elements were merged by name,
// the index is that of the policy's own list.
func (p *policy) locate(b *base, path string) string {
	if p.path == "" || len(p.over.members) == 0 {
		return path
	}
	for _, l := range named {
		rest, found := strings.CutPrefix(path, l.member+"[")
		if !found {
			continue
		}
		index, rest, _ := strings.Cut(rest, "]")
		merged := p.merged(b)
		list, own := merged.lookup(l.member), p.over.lookup(l.member)
		if own == nil {
			return path
		}
		for i := range list.items {
			if at("", i) == "["+index+"]" {
				if j := own.find(l.key, list.items[i].lookup(l.key)); j >= 0 {
					return within(p.path, at(l.member, j)) + rest
				}
			}
		}
		return path
	}
	return within(p.path, path)
}

// named are the lists whose elements have names.
var named = []struct{ member, key string }{{"providers", "id"}, {"combos", "name"}, {"models", "name"}, {"keys", "name"}}

// overlay lays one value over another, the member of that name: objects member by member, elements of lists of named
// things by their names; anything else replaces what was there.
func overlay(name string, under, over value) value {
	switch {
	case under.sort == isObject && over.sort == isObject:
		merged := value{sort: isObject, members: slices.Clone(under.members)}
		for _, m := range over.members {
			if v := merged.lookup(m.name); v != nil {
				*v = overlay(m.name, *v, m.value)
				continue
			}
			merged.members = append(merged.members, m)
		}
		return merged
	case under.sort == isList && over.sort == isList:
		for _, l := range named {
			if l.member != name {
				continue
			}
			merged := value{sort: isList, items: slices.Clone(under.items)}
			for _, item := range over.items {
				if i := merged.find(l.key, item.lookup(l.key)); i >= 0 {
					merged.items[i] = overlay("", merged.items[i], item)
					continue
				}
				merged.items = append(merged.items, item)
			}
			return merged
		}
	}
	return over
}

// find is the index of the element of a list whose key has a value, -1 if there is none.
func (v *value) find(key string, want *value) int {
	return slices.IndexFunc(v.items, func(item value) bool {
		got := item.lookup(key)
		return got != nil && want != nil && got.text == want.text
	})
}

// reach lists the targets of a combo, or the one that "provider/model" names.
func reach(c *combo.Config, name string, found []string, depth int) []string {
	if alias, ok := c.Aliases[name]; ok && c.Combos[name] == nil {
		name = alias
	}
	node := c.Combos[name]
	if node == nil {
		if id, _, ok := strings.Cut(name, "/"); ok && depth == 0 && c.Providers[id] != nil {
			return append(found, name)
		}
		return found
	}
	const deepest = 8 // the configuration has refused cycles
	for _, t := range node.Targets {
		switch full := t.Provider + "/" + t.Model; {
		case t.Combo != "" && depth < deepest:
			found = reach(c, t.Combo, found, depth+1)
		case t.Combo == "" && !slices.Contains(found, full):
			found = append(found, full)
		}
	}
	return found
}

// built makes what runs of a file. Keys whose variables aren't set have a credential all the same: nothing is sent.
func built(file *config.File, env func(string) (string, bool)) (*config.Built, error) {
	sealer, err := config.NewSealer(make([]byte, 32))
	if err != nil {
		return nil, err
	}
	var b *config.Built
	live, err := config.OpenLive(context.Background(), config.LiveOptions{
		Store: nothingStored{}, Sealer: sealer, File: file, Apply: func(next *config.Built) { b = next },
		Env: func(name string) (string, bool) {
			if v, set := env(name); set && v != "" {
				return v, true
			}
			return "simulated", true
		},
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	live.Close()
	return b, nil
}

// nothingStored is a config.Store without documents.
type nothingStored struct{}

func (nothingStored) Documents(context.Context, string) (map[string][]byte, error) { return nil, nil }

func (nothingStored) PutDocument(context.Context, string, string, []byte) error { return nil }

func (nothingStored) DeleteDocument(context.Context, string, string) error { return nil }
