package config

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
)

// Marks in the settings of the store.
const (
	markInstalled = "installed"           // the first start is over: the demo doesn't come again
	markRequired  = "client-key-required" // a client key existed once
)

// load reads the store. A new installation gets its mark, and the demo if there is nothing else; if these can't be
// written, the next start does it.
func (l *Live) load(ctx context.Context) (*stored, error) {
	s, err := l.readStore(ctx)
	if err != nil {
		return nil, err
	}
	if !l.marks[markInstalled] {
		if l.o.Demo && s.isNew(l.file) {
			s = s.withDemo(l.o.Now())
			err = l.storeAll(ctx, s)
		}
		if err == nil {
			err = l.mark(ctx, markInstalled)
		}
	}
	if len(l.file.Keys) > 0 && err == nil {
		err = l.mark(ctx, markRequired)
	}
	if err != nil {
		l.o.Logger.Warn("the stored configuration can be read but not written", "error", err)
	}
	return s, nil
}

// isNew tells that nothing is configured, apart from what a first start began to make.
func (s *stored) isNew(file *File) bool {
	return len(file.Providers)+len(file.Combos)+len(s.combos)+len(s.keys)+len(s.unreadable) == 0 &&
		(len(s.providers) == 0 || len(s.providers) == 1 && s.providers[0].ID == demoName)
}

// mark puts a mark into the settings of the store, if it isn't there. Requires l.change.
func (l *Live) mark(ctx context.Context, name string) error {
	if l.marks[name] {
		return nil
	}
	ctx, cancel := l.writeContext(ctx)
	defer cancel()
	if err := l.o.Store.PutDocument(ctx, collectionSettings, name, []byte(`{}`)); err != nil {
		return persistence(err)
	}
	l.marks[name] = true
	return nil
}

// storeAll writes every provider and combo, the provider first, as a combo names it.
func (l *Live) storeAll(ctx context.Context, s *stored) error {
	ctx, cancel := storeContext(ctx)
	defer cancel()
	for _, p := range s.providers {
		if err := l.o.Store.PutDocument(ctx, collectionProviders, p.ID, written(true, p.members)); err != nil {
			return err
		}
	}
	for _, c := range s.combos {
		if err := l.o.Store.PutDocument(ctx, collectionCombos, c.Name, written(true, c.members)); err != nil {
			return err
		}
	}
	return nil
}

// readStore reads all documents. Rows that can't be read are logged by name and left out, and stay as they are.
func (l *Live) readStore(ctx context.Context) (s *stored, err error) {
	ctx, cancel := storeContext(ctx)
	defer cancel()
	s = &stored{unreadable: map[string]bool{}}
	settings, err := l.o.Store.Documents(ctx, collectionSettings)
	if err != nil {
		return nil, err
	}
	for mark := range settings {
		l.marks[mark] = true
	}
	s.required = l.marks[markRequired]
	if s.providers, err = readCollection(ctx, l, s, collectionProviders, readProvider(l)); err != nil {
		return nil, err
	}
	if s.combos, err = readCollection(ctx, l, s, collectionCombos, readCombo); err != nil {
		return nil, err
	}
	if s.keys, err = readCollection(ctx, l, s, collectionKeys, readKey); err != nil {
		return nil, err
	}
	slices.SortFunc(s.keys, func(a, b ClientKey) int { return strings.Compare(a.Name, b.Name) })
	s.required = s.required || len(s.keys) > 0
	return s, nil
}

func readCollection[D any](ctx context.Context, l *Live, s *stored, name string, read func(*node) (D, []Problem)) ([]D, error) {
	rows, err := l.o.Store.Documents(ctx, name)
	if err != nil {
		return nil, err
	}
	docs := make([]D, 0, len(rows))
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		root, problems := parseJSON(rows[id])
		var d D
		if len(problems) == 0 {
			d, problems = read(&root)
		}
		if Errors(problems) {
			s.unreadable[name+"/"+id] = true
			l.o.Logger.Warn("a stored document can't be read; it is left out and kept",
				"collection", name, "id", id, "problem", problems[0].String())
			continue
		}
		docs = append(docs, d)
	}
	return docs, nil
}

// readProvider reads a stored provider and opens its keys; one that can't be opened stays sealed.
func readProvider(l *Live) func(*node) (Provider, []Problem) {
	return func(n *node) (Provider, []Problem) {
		var p Provider
		r := reading{stored: true}
		r.read("", n, p.members)
		for i := range p.Keys {
			k := &p.Keys[i]
			if k.sealed == "" {
				continue
			}
			if value, err := l.o.Sealer.Open(place(&p, k), k.sealed); err == nil {
				k.value = &value
			}
		}
		problems := append(r.problems, p.outOfRange("", &Defaults{})...)
		if len(problems) == 0 {
			problems = p.checkClient("")
		}
		return p, problems
	}
}

func readCombo(n *node) (Combo, []Problem) {
	var c Combo
	r := reading{stored: true}
	r.read("", n, c.members)
	return c, r.problems
}

func readKey(n *node) (ClientKey, []Problem) {
	var k ClientKey
	r := reading{stored: true}
	r.read("", n, k.storedMembers)
	return k, r.problems
}

// place is where a key is sealed for.
func place(p *Provider, k *Key) string { return p.ID + "/" + k.Name }

// dated gives the documents of a file their origin; what didn't change since the file before keeps its own.
func (l *Live) dated(file, before *File) *File {
	now := l.o.Now()
	dated := *file
	if before == nil {
		before = &File{}
	}
	dated.Providers = datedAll(&providerSort, file.Providers, before.Providers, now)
	dated.Combos = datedAll(&comboSort, file.Combos, before.Combos, now)
	dated.Keys = slices.Clone(file.Keys)
	for i := range dated.Keys {
		dated.Keys[i].fromFile(l.o.Env, now)
	}
	return &dated
}

func datedAll[D any](s *sort[D], docs, before []D, now time.Time) []D {
	dated, index := slices.Clone(docs), indexed(s, before)
	for i := range dated {
		d := &dated[i]
		origin := Origin{ManagedBy: ManagedByFile, CreatedAt: now, UpdatedAt: now, Version: 1}
		if j, was := index[*s.name(d)]; was {
			old := &before[j]
			origin = *s.origin(old)
			if *s.origin(d) = origin; !same(s, d, old) {
				origin.UpdatedAt = now
				origin.Version++
			}
		}
		*s.origin(d) = origin
	}
	return dated
}
