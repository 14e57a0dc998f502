package config

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// Store keeps documents. What Put and Delete did is durable when they return. Package db implements it.
type Store interface {
	Documents(ctx context.Context, collection string) (map[string][]byte, error)
	PutDocument(ctx context.Context, collection, id string, body []byte) error
	DeleteDocument(ctx context.Context, collection, id string) error
}

// Bounds of one call of the store; a client that leaves doesn't end it.
const (
	storeTimeout  = 10 * time.Second
	brokenTimeout = time.Second // of a write, to a store that is known to be broken
)

// LiveOptions are what a Live is made of. Store, Sealer and Apply are required.
type LiveOptions struct {
	Store  Store
	Sealer *Sealer
	File   *File // nil: none
	Demo   bool  // put the demo provider and combo into an installation that is new and has nothing configured
	// Installed tells that this isn't a new installation: if its store can't be read, client keys may be in it, so
	// /v1 asks for one.
	Installed bool
	// StoreBroken tells whether others found the store broken: a change is refused soon then. It must not wait. Nil:
	// nobody knows.
	StoreBroken func() bool
	// Apply puts a configuration into force; it is called once by OpenLive and then once per change, one at a time.
	Apply  func(*Built)
	Env    func(string) (string, bool) // the variables that keys name; nil: none is set
	Now    func() time.Time            // nil: time.Now
	Logger *slog.Logger                // nil: slog.Default
	// Dial connects to upstreams instead of the network, for tests of the whole stack that have none. Nil: the network,
	// through each provider's gate of addresses.
	Dial providers.Dial
}

func (o *LiveOptions) withDefaults() {
	if o.File == nil {
		o.File = &File{}
	}
	if o.Env == nil {
		o.Env = func(string) (string, bool) { return "", false }
	}
	if o.StoreBroken == nil {
		o.StoreBroken = func() bool { return false }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
}

// Live is the current configuration and the only way to change it. It is safe for concurrent use: readers see one
// immutable state, changes come one after the other. A change is stored before it is applied; if it can't be stored
// it isn't made.
//
// Errors of changes: *ValidationError, *ConflictError, ErrNotFound, ErrPersistence.
type Live struct {
	o       LiveOptions
	current atomic.Pointer[state]
	feed    feed

	change  sync.Mutex // held by a change from its first look to its end; guards what follows
	stored  *stored
	loaded  bool // false: the store could not be read yet
	file    *File
	clients *clients
	warned  map[Problem]bool
	marks   map[string]bool // of the settings in the store

	closing sync.WaitGroup // clients that nobody uses any more
}

// OpenLive loads the stored documents, lays the file over them and applies the whole. A store that can't be read is
// logged: the gateway then starts with what the file has, or with the demo, until KeepLoading has read it.
func OpenLive(ctx context.Context, o LiveOptions) (*Live, error) {
	o.withDefaults()
	l := &Live{o: o, clients: &clients{dial: o.Dial}, warned: map[Problem]bool{}, marks: map[string]bool{}}
	l.change.Lock()
	defer l.change.Unlock()
	l.file = l.dated(o.File, nil)
	s, err := l.load(ctx)
	if l.loaded = err == nil; err != nil {
		o.Logger.Error("the stored configuration can't be read; starting without it", "error", err)
		s = &stored{required: o.Installed}
		if o.Demo && !o.Installed && s.isNew(l.file) {
			s = s.withDemo(o.Now())
		}
	}
	l.stored = s
	return l, l.settle()
}

// ready loads the store and puts the whole into force, if that hasn't been possible so far. Requires l.change.
func (l *Live) ready(ctx context.Context) error {
	if l.loaded {
		return nil
	}
	s, err := l.load(ctx)
	if err != nil {
		return persistence(err)
	}
	l.stored, l.loaded = s, true
	return l.settle()
}

// settle puts what is stored and the file into force, as they are. Requires l.change.
func (l *Live) settle() error {
	next, strains := overlay(l.stored, l.file)
	for _, p := range strains {
		l.warn(p)
	}
	made, err := l.build(next)
	if err != nil {
		return err
	}
	l.apply(next, made)
	return nil
}

// KeepLoading tries to read a store that could not be read at the start, every few seconds until it can be or ctx
// ends. It returns at once if there is nothing to do.
func (l *Live) KeepLoading(ctx context.Context) {
	ticks := time.NewTicker(5 * time.Second)
	defer ticks.Stop()
	for {
		l.change.Lock()
		err := l.ready(ctx)
		l.change.Unlock()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
	}
}

// Close closes the providers' clients and waits until what they do beside requests has ended. There must be no change
// any more.
func (l *Live) Close() {
	l.change.Lock()
	defer l.change.Unlock()
	l.clients.close()
	l.closing.Wait()
}

// build makes what runs of a state. Requires l.change.
func (l *Live) build(next *state) (*clients, error) {
	made := l.clients.next()
	b := builder{state: next, clients: made, sealer: l.o.Sealer, env: l.o.Env, warn: l.warn}
	built, err := b.build()
	if err != nil {
		made.discard()
		return nil, fmt.Errorf("building the configuration: %w", err)
	}
	next.built = built
	return made, nil
}

// apply puts a state that was built into force. Requires l.change.
func (l *Live) apply(next *state, made *clients) {
	l.o.Apply(next.built)
	l.current.Store(next)
	made.retire(&l.closing)
	l.clients = made
}

// warn logs what is odd in the configuration, once.
func (l *Live) warn(p Problem) {
	if !l.warned[p] {
		l.warned[p] = true
		l.o.Logger.Warn("configuration", "path", p.Path, "problem", p.Message)
	}
}

// Built returns the configuration in force.
func (l *Live) Built() *Built { return l.current.Load().built }

// AuthorizeClient finds the key of a secret that a client sent; false if there is none or it has expired.
func (l *Live) AuthorizeClient(secret string) (ClientKey, bool) {
	s := l.current.Load()
	i, known := s.byHash[sha256.Sum256([]byte(secret))]
	if !known {
		return ClientKey{}, false
	}
	key := s.keys[i]
	if !key.ExpiresAt.IsZero() && !l.o.Now().Before(key.ExpiresAt) {
		return ClientKey{}, false
	}
	return key, true
}

// KeysEverExisted tells whether /v1 asks for a key: from the first client key on, also after the last is revoked.
func (l *Live) KeysEverExisted() bool { return l.current.Load().required }

// Reload puts another file into force, or nothing: a file that doesn't fit what is stored is a *ValidationError.
func (l *Live) Reload(ctx context.Context, file *File) error {
	l.change.Lock()
	defer l.change.Unlock()
	if file == nil {
		file = &File{}
	}
	dated := l.dated(file, l.file)
	_, before := overlay(l.stored, l.file)
	next, strains := overlay(l.stored, dated)
	if added := without(strains, before); len(added) > 0 {
		return &ValidationError{Problems: added}
	}
	made, err := l.build(next)
	if err != nil {
		return err
	}
	if required := *l.stored; len(file.Keys) > 0 && l.loaded {
		if err := l.mark(ctx, markRequired); err != nil {
			made.discard()
			return err
		}
		required.required = true
		l.stored = &required
	}
	l.apply(next, made)
	l.file = dated
	l.feed.add(Change{Collection: "file", Action: "reloaded", At: l.o.Now()})
	return nil
}

// without returns the problems that weren't there before.
func without(problems, before []Problem) []Problem {
	known := make(map[Problem]bool, len(before))
	for _, p := range before {
		known[p] = true
	}
	var added []Problem
	for _, p := range problems {
		if !known[p] {
			added = append(added, p)
		}
	}
	return added
}

// storeContext is for a call of the store: bounded, and not ended by the client that asked.
func storeContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
}

// writeContext is storeContext for a write that somebody waits for.
func (l *Live) writeContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.o.StoreBroken() {
		return context.WithTimeout(context.WithoutCancel(ctx), brokenTimeout)
	}
	return storeContext(ctx)
}

// persistence marks an error of the store.
func persistence(err error) error {
	if err == nil || errors.Is(err, ErrPersistence) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrPersistence, err)
}
