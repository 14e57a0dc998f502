package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// all copies the documents of one sort as answers show them.
func all[D any](l *Live, s *sort[D]) []D {
	st := l.current.Load()
	docs := slices.Clone(*s.of(&st.documents))
	for i := range docs {
		docs[i] = s.shown(docs[i], st.defaults)
	}
	return docs
}

func get[D any](l *Live, s *sort[D], name string) (D, error) {
	st := l.current.Load()
	if d := find(s, *s.of(&st.documents), name); d != nil {
		return s.shown(*d, st.defaults), nil
	}
	return *new(D), fmt.Errorf("%s %s: %w", s.noun, quote(name), ErrNotFound)
}

// create adds a document.
func create[D any](ctx context.Context, l *Live, s *sort[D], body []byte) (D, error) {
	l.change.Lock()
	defer l.change.Unlock()
	var d D
	if err := l.ready(ctx); err != nil {
		return d, err
	}
	root, problems := parseJSON(body)
	if len(problems) > 0 {
		return d, &ValidationError{problems}
	}
	r := reading{}
	r.read("", &root, func(m members) { s.members(&d, m) })
	now := l.o.Now()
	*s.origin(&d) = Origin{ManagedBy: ManagedByAPI, CreatedAt: now, UpdatedAt: now, Version: 1}
	return put(ctx, l, s, &d, nil, r.problems, s.finish(l, &d, nil))
}

// replace puts a document in the place of the one of its name. A document that says nothing new changes nothing.
func replace[D any](ctx context.Context, l *Live, s *sort[D], name string, body []byte, ifMatch string) (D, error) {
	l.change.Lock()
	defer l.change.Unlock()
	var d D
	if err := l.ready(ctx); err != nil {
		return d, err
	}
	old, err := editable(l, s, name, ifMatch)
	if err != nil {
		return d, err
	}
	root, problems := parseJSON(body)
	if len(problems) > 0 {
		return d, &ValidationError{problems}
	}
	if ifMatch == "" && madeOfOlder(&root, s.origin(old).Version) {
		return d, outdated(l, s, old)
	}
	shown := s.shown(*old, l.current.Load().defaults)
	keepInherited(&root, tree(s, &shown), tree(s, old))
	r := reading{}
	r.read("", &root, func(m members) { s.members(&d, m) })
	if own := s.name(&d); *own == "" {
		*own = name
	} else if *own != name {
		r.addf(s.nameMember, "must stay %s; make another %s for another name", quote(name), s.noun)
	}
	*s.origin(&d) = *s.origin(old)
	finished := s.finish(l, &d, old)
	if len(r.problems) == 0 && finished == nil && same(s, &d, old) {
		return shown, nil
	}
	origin := s.origin(&d)
	origin.UpdatedAt = l.o.Now()
	origin.Version++
	return put(ctx, l, s, &d, old, r.problems, finished)
}

// put checks a document against the whole, stores it and puts it into force; old is nil for a new one. problems are
// what was wrong with it so far, finished why its keys could not be sealed. Requires l.change.
func put[D any](ctx context.Context, l *Live, s *sort[D], d, old *D, problems []Problem, finished error) (D, error) {
	var none D
	name := *s.name(d)
	docs := l.stored.documents
	*s.of(&docs) = with(s, *s.of(&docs), name, d)
	changed := *l.stored
	changed.documents = docs
	next, _ := overlay(&changed, l.file)
	problems = append(problems, s.check(d, next.world)...)
	problems = slices.DeleteFunc(problems, func(p Problem) bool { return p.Warning })
	if len(problems) == 0 {
		problems = s.try(d)
	}
	if len(problems) > 0 {
		return none, &ValidationError{firstPerPath(problems)}
	}
	if conflict := conflictOf(l, s, d, old); conflict != nil {
		return none, conflict
	}
	if finished != nil {
		return none, finished
	}
	action := "updated"
	if old == nil {
		action = "created"
	}
	write := func(ctx context.Context) error {
		return l.o.Store.PutDocument(ctx, s.collection, name, written(true, func(m members) { s.members(d, m) }))
	}
	if err := l.commit(ctx, &changed, next, write); err != nil {
		return none, err
	}
	l.feed.add(Change{Collection: s.collection, ID: name, Action: action, At: l.o.Now()})
	return s.shown(*d, next.defaults), nil
}

func conflictOf[D any](l *Live, s *sort[D], d, old *D) error {
	if old != nil {
		st := l.current.Load()
		if conflict := s.inUse(old, d, st.world); conflict != nil {
			return conflict
		}
	}
	name := *s.name(d)
	if old == nil && l.stored.unreadable[s.collection+"/"+name] {
		return &ConflictError{Code: ConflictExists, Message: fmt.Sprintf("a %s %s is stored and can't be read; delete it first", s.noun, quote(name))}
	}
	others := l.current.Load().documents
	*s.of(&others) = slices.DeleteFunc(slices.Clone(*s.of(&others)), func(e D) bool { return old != nil && *s.name(&e) == name })
	return s.taken(d, newWorld(l.current.Load().defaults, others.providers, others.combos))
}

// remove deletes a document.
func remove[D any](ctx context.Context, l *Live, s *sort[D], name, ifMatch string) error {
	l.change.Lock()
	defer l.change.Unlock()
	if err := l.ready(ctx); err != nil {
		return err
	}
	changed := *l.stored
	unreadable := s.collection + "/" + name
	old, err := editable(l, s, name, ifMatch)
	if err != nil && (!errors.Is(err, ErrNotFound) || !changed.unreadable[unreadable]) {
		return err
	}
	if err == nil {
		if conflict := s.inUse(old, nil, l.current.Load().world); conflict != nil {
			return conflict
		}
		*s.of(&changed.documents) = with(s, *s.of(&changed.documents), name, nil)
	} else {
		changed.unreadable = maps.Clone(changed.unreadable)
		delete(changed.unreadable, unreadable)
	}
	next, _ := overlay(&changed, l.file)
	write := func(ctx context.Context) error { return l.o.Store.DeleteDocument(ctx, s.collection, name) }
	if err := l.commit(ctx, &changed, next, write); err != nil {
		return err
	}
	l.feed.add(Change{Collection: s.collection, ID: name, Action: "deleted", At: l.o.Now()})
	return nil
}

// editable finds a document that may be changed over HTTP by somebody who has read the version of ifMatch.
func editable[D any](l *Live, s *sort[D], name, ifMatch string) (*D, error) {
	st := l.current.Load()
	d := find(s, *s.of(&st.documents), name)
	if d == nil {
		return nil, fmt.Errorf("%s %s: %w", s.noun, quote(name), ErrNotFound)
	}
	origin := s.origin(d)
	if origin.ManagedBy == ManagedByFile {
		return nil, &ConflictError{Code: ConflictFile, Message: fmt.Sprintf("%s %s comes from the configuration file; change it there", s.noun, quote(name))}
	}
	if ifMatch == "" || ifMatch == "*" {
		return d, nil
	}
	for etag := range strings.SplitSeq(ifMatch, ",") {
		if strings.Trim(strings.TrimPrefix(strings.TrimSpace(etag), "W/"), `"`) == strconv.FormatUint(origin.Version, 10) {
			return d, nil
		}
	}
	return nil, outdated(l, s, d)
}

// outdated refuses a change by somebody who has read an older version of d.
func outdated[D any](l *Live, s *sort[D], d *D) error {
	version := s.origin(d).Version
	return &ConflictError{
		Code:    ConflictVersion,
		Message: fmt.Sprintf("%s %s was changed meanwhile: it is at version %d now", s.noun, quote(*s.name(d)), version),
		Version: version, Current: s.shown(*d, l.current.Load().defaults),
	}
}

// madeOfOlder tells whether a document says that it was made of a version older than current.
func madeOfOlder(document *node, current uint64) bool {
	said := document.lookup("version")
	if said == nil || said.form != formNumber {
		return false
	}
	version, err := strconv.ParseUint(said.text, 10, 64)
	return err == nil && version < current
}

// commit builds the next state, stores the change and then puts it into force: each step only if the one before went
// well. Requires l.change.
func (l *Live) commit(ctx context.Context, changed *stored, next *state, write func(context.Context) error) error {
	made, err := l.build(next)
	if err != nil {
		return err
	}
	ctx, cancel := l.writeContext(ctx)
	defer cancel()
	if err := write(ctx); err != nil {
		made.discard()
		return persistence(err)
	}
	l.stored = changed
	l.apply(next, made)
	return nil
}

// same tells whether two documents say and store the same.
func same[D any](s *sort[D], a, b *D) bool {
	stored := func(d *D) []byte { return written(true, func(m members) { s.members(d, m) }) }
	return bytes.Equal(stored(a), stored(b))
}

// tree is a document as an answer shows it, read back.
func tree[D any](s *sort[D], d *D) *node {
	root, _ := parseJSON(written(false, func(m members) { s.members(d, m) }))
	return &root
}

// keepInherited takes out of a document what was shown to its author but isn't set, so that putting back what was
// read doesn't pin it.
func keepInherited(in, shown, raw *node) {
	if in.form != formObject {
		return
	}
	in.members = slices.DeleteFunc(in.members, func(m member) bool {
		was, is := shown.lookup(m.name), raw.lookup(m.name)
		return was != nil && m.value.equal(was) && (is == nil || !is.equal(was) && was.form != formObject)
	})
	for i := range in.members {
		was, is := shown.lookup(in.members[i].name), raw.lookup(in.members[i].name)
		if was != nil && is != nil {
			keepInherited(&in.members[i].value, was, is)
		}
	}
}
