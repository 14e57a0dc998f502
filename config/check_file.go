package config

import (
	"maps"
	"slices"
)

// check finds what is wrong with the file as a whole.
func (f *File) check() []Problem {
	w := newWorld(&f.Defaults, f.Providers, f.Combos)
	all := findings{}
	all.problems = layers{&f.Defaults.Breaker}.outOfRange("defaults.breaker")
	retry := Combo{}.lower(&f.Defaults).Retry
	checkRetry(&all, "defaults.retry", &retry)
	if m := f.Defaults.Model; m != "" && !w.serves(m) {
		names := slices.Concat(w.comboNames(), slices.Sorted(maps.Keys(w.owners)))
		all.addf("defaults.model", "there is neither a combo nor a provider/model %s%s", quote(m), didYouMean(m, names))
	}
	ids := map[string]int{}
	for i := range f.Providers {
		p, path := &f.Providers[i], at("providers", i)
		if j, twice := ids[p.ID]; twice && p.ID != "" {
			all.addf(path+".id", "stands twice: %s is also providers[%d]", quote(p.ID), j)
		} else {
			ids[p.ID] = i
		}
		all.problems = append(all.problems, p.check(path, &f.Defaults)...)
	}
	f.checkCombos(&all, w)
	f.checkKeys(&all, w)
	return all.problems
}

func (f *File) checkCombos(all *findings, w *world) {
	where := map[string]string{} // name or alias to its path
	index := map[string]int{}
	for i := range f.Combos {
		c, path := &f.Combos[i], at("combos", i)
		if first, twice := where[c.Name]; twice && c.Name != "" {
			all.addf(path+".name", "stands twice: %s is also %s", quote(c.Name), first)
			continue
		}
		where[c.Name], index[c.Name] = path+".name", i
	}
	for i := range f.Combos {
		path := at("combos", i)
		for j, alias := range f.Combos[i].Aliases {
			aliasPath := at(path+".aliases", j)
			if first, taken := where[alias]; taken && alias != f.Combos[i].Name {
				all.addf(aliasPath, "stands twice: %s is also %s", quote(alias), first)
				continue
			}
			where[alias] = aliasPath
		}
		all.problems = append(all.problems, f.Combos[i].check(path, w)...)
	}
	all.problems = append(all.problems, w.tooDeep(func(c string) string { return at("combos", index[c]) }, "")...)
}

func (f *File) checkKeys(all *findings, w *world) {
	first := map[string]int{}
	for i := range f.Keys {
		k, path := &f.Keys[i], at("keys", i)
		if k.Name == "" {
			all.addf(path+".name", "must be given")
		} else if j, twice := first[k.Name]; twice {
			all.addf(path+".name", "stands twice: %s is also keys[%d]", quote(k.Name), j)
		} else {
			first[k.Name] = i
		}
		ways := 0
		for _, given := range []bool{k.env != "", k.secret != nil, k.hash != [32]byte{}} {
			if given {
				ways++
			}
		}
		if ways != 1 {
			all.addf(path, "must have one of env (the name of an environment variable), value and sha256")
		}
		all.problems = append(all.problems, k.check(path, w)...)
	}
}

// check finds combos that a client key names and nobody serves.
func (k *ClientKey) check(path string, w *world) []Problem {
	f := findings{path: path}
	for i, name := range k.Combos {
		if !w.serves(name) {
			f.addf(at("combos", i), "there is neither a combo nor a provider/model %s%s", quote(name), didYouMean(name, w.comboNames()))
		}
	}
	return f.problems
}

// Unset reports the environment variables that keys of the file name and that aren't set: such a key isn't used.
func (f *File) Unset(env func(string) (string, bool)) []Problem {
	all := findings{}
	missing := func(path, name string) {
		if value, set := env(name); name != "" && (!set || value == "") {
			all.addf(path+".env", "the environment variable %s is not set", shownEnv(name))
		}
	}
	for i := range f.Providers {
		for j := range f.Providers[i].Keys {
			missing(at(at("providers", i)+".keys", j), f.Providers[i].Keys[j].Env)
		}
	}
	for i := range f.Keys {
		missing(at("keys", i), f.Keys[i].env)
	}
	return all.problems
}
