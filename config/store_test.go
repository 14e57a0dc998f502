package config

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// memory is a Store whose disk can break.
type memory struct {
	mu     sync.Mutex
	rows   map[string]map[string][]byte
	broken error // of writes
	gone   error // of reads and writes
	writes int
}

var errDisk = errors.New("the disk is full")

func newMemory() *memory { return &memory{rows: map[string]map[string][]byte{}} }

func (m *memory) Documents(_ context.Context, collection string) (map[string][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.rows[collection]), m.gone
}

func (m *memory) PutDocument(_ context.Context, collection, id string, body []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := errors.Join(m.broken, m.gone); err != nil {
		return err
	}
	if m.rows[collection] == nil {
		m.rows[collection] = map[string][]byte{}
	}
	m.rows[collection][id] = body
	m.writes++
	return nil
}

func (m *memory) DeleteDocument(_ context.Context, collection, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := errors.Join(m.broken, m.gone); err != nil {
		return err
	}
	delete(m.rows[collection], id)
	m.writes++
	return nil
}

func (m *memory) breakWrites(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broken = err
}

// stuck is a Store whose writes take until they are given up.
type stuck struct{ Store }

func (stuck) PutDocument(ctx context.Context, _, _ string, _ []byte) error {
	<-ctx.Done()
	return ctx.Err()
}

func (s stuck) DeleteDocument(ctx context.Context, collection, id string) error {
	return s.PutDocument(ctx, collection, id, nil)
}

// rig is a Live on a memory store with a clock that stands still.
type rig struct {
	*Live
	t       *testing.T
	store   *memory
	now     time.Time
	applied []*Built
	env     map[string]string
}

func newRig(t *testing.T, store *memory, change func(*LiveOptions)) *rig {
	t.Helper()
	r := &rig{t: t, store: store, now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), env: map[string]string{"SOME_KEY": "sk-from-env"}}
	sealer, err := NewSealer([]byte("0123456789abcdef0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	o := LiveOptions{
		Store: store, Sealer: sealer, Logger: slog.New(slog.DiscardHandler),
		Apply: func(b *Built) { r.applied = append(r.applied, b) },
		Now:   func() time.Time { return r.now },
		Env: func(name string) (string, bool) {
			value, set := r.env[name]
			return value, set
		},
	}
	if change != nil {
		change(&o)
	}
	if r.Live, err = OpenLive(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return r
}

// provider makes a provider that must be accepted.
func (r *rig) provider(body string) Provider {
	r.t.Helper()
	p, err := r.CreateProvider(r.t.Context(), []byte(body))
	if err != nil {
		r.t.Fatalf("%s: %v", body, err)
	}
	return p
}

func (r *rig) combo(body string) Combo {
	r.t.Helper()
	c, err := r.CreateCombo(r.t.Context(), []byte(body))
	if err != nil {
		r.t.Fatalf("%s: %v", body, err)
	}
	return c
}

func (r *rig) settings(name string) circuitbreaker.Settings {
	r.t.Helper()
	c, ok := r.Built().Breakers[name]
	if !ok {
		r.t.Fatalf("%s is not configured", name)
	}
	return c.Settings
}

// problemsOf are the problems of a ValidationError as lines.
func problemsOf(t *testing.T, err error) []string {
	t.Helper()
	refused, ok := errors.AsType[*ValidationError](err)
	if !ok {
		t.Fatalf("got %v, want a ValidationError", err)
	}
	return lines(refused.Problems)
}

func lines(problems []Problem) []string {
	var out []string
	for _, p := range problems {
		line := p.String()
		if p.Warning {
			line = "warning: " + line
		}
		out = append(out, line)
	}
	return out
}

func wantConflict(t *testing.T, err error, code string) *ConflictError {
	t.Helper()
	conflict, ok := errors.AsType[*ConflictError](err)
	if !ok || conflict.Code != code {
		t.Fatalf("got %v, want the conflict %s", err, code)
	}
	return conflict
}
