package config

import (
	"fmt"
	"slices"
	"strings"
)

// The collections of the store.
const (
	collectionProviders = "providers"
	collectionCombos    = "combos"
	collectionKeys      = "keys"
	collectionSettings  = "settings"
)

// documents are the documents that are in force, from the store and from the file, each sorted by name. The slices are
// never changed once they are part of a state.
type documents struct {
	providers []Provider
	combos    []Combo
}

// sort says all that the generic changes need to know of one sort of documents: a row for providers, one for combos.
type sort[D any] struct {
	collection string
	noun       string
	name       func(*D) *string
	nameMember string
	origin     func(*D) *Origin
	members    func(*D, members)
	of         func(*documents) *[]D
	// shown fills what a document takes from the layers below it: what an answer shows.
	shown func(D, *Defaults) D
	// finish completes a document that was read: redacted keys from old, nil if there is none, and sealed ones.
	finish func(l *Live, d, old *D) error
	check  func(d *D, w *world) []Problem
	try    func(d *D) []Problem // what shows only when a document that is otherwise fine is put to use
	// taken names what stands in the way of a document in the world without it; inUse what stands in the way of
	// its change from old to next, nil if it goes.
	taken func(d *D, without *world) error
	inUse func(old, next *D, w *world) error
}

var providerSort = sort[Provider]{
	collection: collectionProviders, noun: "provider", nameMember: "id",
	name:    func(p *Provider) *string { return &p.ID },
	origin:  func(p *Provider) *Origin { return &p.Origin },
	members: (*Provider).members,
	of:      func(d *documents) *[]Provider { return &d.providers },
	shown:   func(p Provider, _ *Defaults) Provider { return p.withPreset() },
	finish:  (*Live).sealKeys,
	check:   func(p *Provider, w *world) []Problem { return p.check("", w.defaults) },
	try:     func(p *Provider) []Problem { return p.checkClient("") },
	taken: func(p *Provider, without *world) error {
		if without.providers[p.ID] != nil {
			return &ConflictError{Code: ConflictExists, Message: "there is a provider " + quote(p.ID) + " already"}
		}
		return nil
	},
	inUse: providerInUse,
}

var comboSort = sort[Combo]{
	collection: collectionCombos, noun: "combo", nameMember: "name",
	name:    func(c *Combo) *string { return &c.Name },
	origin:  func(c *Combo) *Origin { return &c.Origin },
	members: (*Combo).members,
	of:      func(d *documents) *[]Combo { return &d.combos },
	shown:   func(c Combo, d *Defaults) Combo { return c.lower(d) },
	finish:  func(*Live, *Combo, *Combo) error { return nil },
	check: func(c *Combo, w *world) []Problem {
		problems := c.check("", w)
		if !Errors(problems) {
			problems = append(problems, w.tooDeep(func(string) string { return "" }, c.Name)...)
		}
		return problems
	},
	try:   func(*Combo) []Problem { return nil },
	taken: comboTaken,
	inUse: comboInUse,
}

func providerInUse(old, next *Provider, w *world) error {
	if next == nil {
		if users := w.usedBy(old.ID, ""); len(users) > 0 {
			return &ConflictError{Code: ConflictInUse, Message: fmt.Sprintf("provider %s is a target of %s", quote(old.ID), named(users))}
		}
		return nil
	}
	for _, c := range w.combos {
		for _, t := range c.Targets {
			if t.Provider == old.ID && old.has(t.Model) && !next.has(t.Model) {
				users := named(w.usedBy(old.ID, t.Model))
				return &ConflictError{Code: ConflictInUse, Message: fmt.Sprintf("model %s of provider %s is a target of %s", quote(t.Model), quote(old.ID), users)}
			}
		}
	}
	return nil
}

func comboTaken(c *Combo, without *world) error {
	for _, name := range slices.Concat([]string{c.Name}, c.Aliases) {
		if without.combos[name] != nil {
			return &ConflictError{Code: ConflictExists, Message: "there is a combo " + quote(name) + " already"}
		}
		if owner, alias := without.owners[name]; alias {
			return &ConflictError{Code: ConflictExists, Message: quote(name) + " is an alias of combo " + quote(owner) + " already"}
		}
	}
	return nil
}

func comboInUse(old, next *Combo, w *world) error {
	if users := w.namedBy(old.Name); next == nil && len(users) > 0 {
		return &ConflictError{Code: ConflictInUse, Message: fmt.Sprintf("combo %s is a target of %s", quote(old.Name), named(users))}
	}
	return nil
}

// named lists combos for a message.
func named(combos []string) string {
	quoted := make([]string, len(combos))
	for i, name := range combos {
		quoted[i] = quote(name)
	}
	if len(quoted) == 1 {
		return "combo " + quoted[0]
	}
	return "combos " + joined(quoted, "and")
}

// with returns a sorted copy in which a document stands in the place of the one of its name, or is gone if it is nil.
func with[D any](s *sort[D], docs []D, name string, d *D) []D {
	i, there := slices.BinarySearchFunc(docs, name, func(e D, name string) int { return strings.Compare(*s.name(&e), name) })
	after := docs[i:]
	if there {
		after = docs[i+1:]
	}
	if d == nil {
		return slices.Concat(docs[:i], after)
	}
	return slices.Concat(docs[:i], []D{*d}, after)
}

// indexed finds documents by their names.
func indexed[D any](s *sort[D], docs []D) map[string]int {
	index := make(map[string]int, len(docs))
	for i := range docs {
		index[*s.name(&docs[i])] = i
	}
	return index
}

// find returns the document of a name, nil if there is none.
func find[D any](s *sort[D], docs []D, name string) *D {
	for i := range docs {
		if *s.name(&docs[i]) == name {
			return &docs[i]
		}
	}
	return nil
}
