package config

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// stored are the documents of the store as they were read or written last. It is never changed: a change makes
// another.
type stored struct {
	documents
	keys     []ClientKey // sorted by name
	required bool        // a client key existed once
	// unreadable are rows that stay as they are, by collection and name.
	unreadable map[string]bool
}

// state is everything in force at one time. It is immutable.
type state struct {
	documents // of the store and of the file
	defaults  *Defaults
	world     *world
	keys      []ClientKey
	byHash    map[[sha256.Size]byte]int // into keys
	required  bool
	built     *Built
}

// overlay lays the file over what is stored: of two documents of one name the file's is in force. What doesn't fit
// together is reported, with paths into the file or the names of stored documents.
func overlay(s *stored, file *File) (*state, []Problem) {
	next := state{defaults: &file.Defaults, required: s.required || len(file.Keys) > 0}
	f := findings{}
	next.providers = overlaid(&providerSort, s.providers, file.Providers, &f)
	next.combos = overlaid(&comboSort, s.combos, file.Combos, &f)
	next.world = newWorld(next.defaults, next.providers, next.combos)
	next.keys = slices.Concat(file.Keys, s.keys)
	slices.SortStableFunc(next.keys, func(a, b ClientKey) int { return strings.Compare(a.Name, b.Name) })
	next.byHash = make(map[[sha256.Size]byte]int, len(next.keys))
	for i := range next.keys {
		next.byHash[next.keys[i].hash] = i
	}
	for i := range next.providers {
		if p := &next.providers[i]; p.ManagedBy != ManagedByFile {
			f.problems = append(f.problems, p.outOfRange("stored provider "+quote(p.ID), next.defaults)...)
		}
	}
	for i := range next.combos {
		f.problems = append(f.problems, next.strains(&next.combos[i])...)
	}
	return &next, f.problems
}

func overlaid[D any](s *sort[D], docs, file []D, f *findings) []D {
	all, index := slices.Clone(file), indexed(s, file)
	for i := range docs {
		name := *s.name(&docs[i])
		if j, taken := index[name]; taken {
			f.addf(at(s.collection, j)+"."+s.nameMember, "there is a %s %s already that was made over HTTP: delete it there, or choose another name", s.noun, quote(name))
			continue
		}
		all = append(all, docs[i])
	}
	slices.SortFunc(all, func(a, b D) int { return strings.Compare(*s.name(&a), *s.name(&b)) })
	return all
}

// strains are what a stored combo names and the file has taken away, or taken for itself.
func (s *state) strains(c *Combo) []Problem {
	if c.ManagedBy == ManagedByFile {
		return nil
	}
	var problems []Problem
	for _, p := range c.check("stored combo "+quote(c.Name), s.world) {
		if !p.Warning {
			problems = append(problems, p)
		}
	}
	if owner, alias := s.world.owners[c.Name]; alias {
		problems = append(problems, Problem{
			Path: "stored combo " + quote(c.Name), Message: "has a name that is an alias of combo " + quote(owner),
		})
	}
	for i, alias := range c.Aliases {
		if owner := s.world.owners[alias]; owner != c.Name || s.world.combos[alias] != nil {
			problems = append(problems, Problem{
				Path:    fmt.Sprintf("stored combo %s.%s", quote(c.Name), at("aliases", i)),
				Message: quote(alias) + " is the name or an alias of another combo",
			})
		}
	}
	return problems
}
