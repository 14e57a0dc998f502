package config

import (
	"context"
	"log/slog"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
)

// Store keeps documents. What Put and Delete did is durable when they return. Package db implements it.
type Store interface {
	Documents(ctx context.Context, collection string) (map[string][]byte, error)
	PutDocument(ctx context.Context, collection, id string, body []byte) error
	DeleteDocument(ctx context.Context, collection, id string) error
}

// Built is a configuration in the form that runs. It is immutable.
type Built struct {
	Routing  *combo.Config
	Breakers map[string]circuitbreaker.Configured
}

// LiveOptions are what a Live is made of. Store and Sealer are required.
type LiveOptions struct {
	Store  Store
	Sealer *Sealer
	File   *File // nil: none
	Demo   bool  // put the demo provider and combo into an empty installation
	// Apply puts a configuration into force; it is called once by OpenLive and then once per change, one at a time.
	Apply  func(*Built)
	Env    func(string) (string, bool) // nil: none is set
	Now    func() time.Time            // nil: time.Now
	Logger *slog.Logger
}

// Live is the current configuration and the only way to change it. It is safe for concurrent use: readers see one
// immutable state, changes come one after the other. A change is stored before it is applied; if it can't be stored
// it isn't made (ErrPersistence).
//
// Errors of changes: *ValidationError, *ConflictError, ErrNotFound, ErrPersistence.
type Live struct{}

// OpenLive loads the stored documents, lays the file over them and applies the whole. A file that doesn't fit is a
// *ValidationError. A store that can't be read is logged: the gateway then starts with the file alone.
func OpenLive(ctx context.Context, o LiveOptions) (*Live, error) { return &Live{}, nil }

// Built returns the configuration in force.
func (l *Live) Built() *Built { return &Built{} }

// Providers are sorted by id.
func (l *Live) Providers() []Provider { return nil }

func (l *Live) Provider(id string) (Provider, error) { return Provider{}, nil }

func (l *Live) CreateProvider(ctx context.Context, body []byte) (Provider, error) {
	return Provider{}, nil
}

// PutProvider replaces a provider. ifMatch is an If-Match header: "" or "*" for any version, else the ETag that the
// caller has read.
func (l *Live) PutProvider(ctx context.Context, id string, body []byte, ifMatch string) (Provider, error) {
	return Provider{}, nil
}

func (l *Live) DeleteProvider(ctx context.Context, id, ifMatch string) error { return nil }

// Combos are sorted by name.
func (l *Live) Combos() []Combo { return nil }

func (l *Live) Combo(name string) (Combo, error) { return Combo{}, nil }

func (l *Live) CreateCombo(ctx context.Context, body []byte) (Combo, error) { return Combo{}, nil }

func (l *Live) PutCombo(ctx context.Context, name string, body []byte, ifMatch string) (Combo, error) {
	return Combo{}, nil
}

func (l *Live) DeleteCombo(ctx context.Context, name, ifMatch string) error { return nil }

// Keys are the client keys, sorted by name.
func (l *Live) Keys() []ClientKey { return nil }

// CreateKey makes a client key; the answer alone carries its Secret.
func (l *Live) CreateKey(ctx context.Context, body []byte) (ClientKey, error) {
	return ClientKey{}, nil
}

func (l *Live) DeleteKey(ctx context.Context, id string) error { return nil }

// AuthorizeClient finds the key of a secret that a client sent; false if there is none or it has expired.
func (l *Live) AuthorizeClient(secret string) (ClientKey, bool) { return ClientKey{}, false }

// KeysEverExisted tells whether /v1 asks for a key: from the first client key on, also after the last is revoked.
func (l *Live) KeysEverExisted() bool { return false }

// Reload puts another file into force, or nothing: a file that doesn't fit is a *ValidationError.
func (l *Live) Reload(ctx context.Context, file *File) error { return nil }

// Change is one change of the configuration, for those who watch it.
type Change struct {
	Version    uint64 // counts the changes of this process
	Collection string // providers, combos, keys, file
	ID         string
	Action     string // created, updated, deleted, reloaded
	At         time.Time
}

// Changes waits until there are changes newer than after, a Version, and returns them in order. A caller that starts
// with 0 gets those that are still remembered.
func (l *Live) Changes(ctx context.Context, after uint64) ([]Change, error) { return nil, nil }
