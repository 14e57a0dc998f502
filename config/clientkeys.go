package config

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"time"
)

// clientKeyPrefix lets people and secret scanners recognise a client key.
const clientKeyPrefix = "ohm-"

// Keys are the client keys, sorted by name.
func (l *Live) Keys() []ClientKey { return slices.Clone(l.current.Load().keys) }

// CreateKey makes the client key of a JSON document; the answer alone carries its secret.
func (l *Live) CreateKey(ctx context.Context, body []byte) (ClientKey, error) {
	l.change.Lock()
	defer l.change.Unlock()
	if err := l.ready(ctx); err != nil {
		return ClientKey{}, err
	}
	k, err := l.readNewKey(body)
	if err != nil {
		return ClientKey{}, err
	}
	secret := clientKeyPrefix + base64.RawURLEncoding.EncodeToString(randomBytes())
	k.hash = sha256.Sum256([]byte(secret))
	k.ID = hex.EncodeToString(randomBytes()[:8])
	now := l.o.Now()
	k.Origin = Origin{ManagedBy: ManagedByAPI, CreatedAt: now, UpdatedAt: now, Version: 1}
	if err := l.mark(ctx, markRequired); err != nil { // first, so that no crash leaves a key without it
		return ClientKey{}, err
	}
	changed := *l.stored
	changed.required = true
	changed.keys = slices.Concat(changed.keys, []ClientKey{k})
	next, _ := overlay(&changed, l.file)
	write := func(ctx context.Context) error {
		return l.o.Store.PutDocument(ctx, collectionKeys, k.ID, written(true, k.storedMembers))
	}
	if err := l.commit(ctx, &changed, next, write); err != nil {
		return ClientKey{}, err
	}
	l.feed.add(Change{Collection: collectionKeys, ID: k.ID, Action: "created", At: now})
	k.secret = &secret
	return k, nil
}

func (l *Live) readNewKey(body []byte) (ClientKey, error) {
	var k ClientKey
	root, problems := parseJSON(body)
	if len(problems) > 0 {
		return k, &ValidationError{problems}
	}
	st := l.current.Load()
	r := reading{}
	r.read("", &root, k.members)
	if k.Name == "" {
		r.addf("name", "must be given")
	}
	if now := l.o.Now(); !k.ExpiresAt.IsZero() && !k.ExpiresAt.After(now) {
		r.addf("expires_at", "must lie in the future, not at %s", k.ExpiresAt.Format(time.RFC3339))
	}
	r.problems = append(r.problems, k.check("", st.world)...)
	if len(r.problems) > 0 {
		return k, &ValidationError{firstPerPath(r.problems)}
	}
	if slices.ContainsFunc(st.keys, func(other ClientKey) bool { return other.Name == k.Name }) {
		return k, &ConflictError{Code: ConflictExists, Message: "there is a client key " + quote(k.Name) + " already"}
	}
	return k, nil
}

// DeleteKey revokes a client key at once.
func (l *Live) DeleteKey(ctx context.Context, id string) error {
	l.change.Lock()
	defer l.change.Unlock()
	if err := l.ready(ctx); err != nil {
		return err
	}
	keys := l.current.Load().keys
	i := slices.IndexFunc(keys, func(k ClientKey) bool { return k.ID == id })
	if i < 0 {
		return fmt.Errorf("client key %s: %w", quote(id), ErrNotFound)
	}
	if keys[i].ManagedBy == ManagedByFile {
		return &ConflictError{Code: ConflictFile, Message: fmt.Sprintf("client key %s comes from the configuration file; change it there", quote(keys[i].Name))}
	}
	changed := *l.stored
	changed.keys = slices.DeleteFunc(slices.Clone(changed.keys), func(k ClientKey) bool { return k.ID == id })
	next, _ := overlay(&changed, l.file)
	write := func(ctx context.Context) error { return l.o.Store.DeleteDocument(ctx, collectionKeys, id) }
	if err := l.commit(ctx, &changed, next, write); err != nil {
		return err
	}
	l.feed.add(Change{Collection: collectionKeys, ID: id, Action: "deleted", At: l.o.Now()})
	return nil
}

// fromFile completes a key of the file: its id is made of its name, its secret may be in a variable. A key whose
// secret isn't there opens nothing.
func (k *ClientKey) fromFile(env func(string) (string, bool), now time.Time) {
	name := sha256.Sum256([]byte(k.Name))
	k.ID = "file-" + hex.EncodeToString(name[:8])
	k.Origin = Origin{ManagedBy: ManagedByFile, CreatedAt: now, UpdatedAt: now, Version: 1}
	if k.env != "" {
		if value, set := env(k.env); set && clientSecretRule(value) == "" {
			k.hash = sha256.Sum256([]byte(value))
		}
	}
	if k.secret != nil {
		k.hash = sha256.Sum256([]byte(*k.secret))
		k.secret = nil
	}
}
