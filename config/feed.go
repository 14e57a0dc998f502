package config

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Change is one change of the configuration, for those who watch it.
type Change struct {
	Version    uint64    `json:"version"`    // counts the changes of this process, from 1
	Collection string    `json:"collection"` // providers, combos, keys, file
	ID         string    `json:"id"`         // id or name of the document
	Action     string    `json:"action"`     // created, updated, deleted, reloaded
	At         time.Time `json:"at"`
}

// remembered is how many changes a watcher may be behind.
const remembered = 256

// feed remembers the last changes and wakes those who wait for the next. The zero value is ready.
type feed struct {
	mu      sync.Mutex
	changes []Change
	last    uint64
	more    chan struct{} // closed at the next change; nil while nobody waits
}

func (f *feed) add(c Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	c.Version = f.last
	f.changes = append(f.changes, c)
	if len(f.changes) > remembered {
		f.changes = slices.Clone(f.changes[len(f.changes)-remembered:])
	}
	if f.more != nil {
		close(f.more)
		f.more = nil
	}
}

// Changes waits until there are changes newer than a Version, and returns those that are still remembered, in order.
// The error is that of ctx.
func (l *Live) Changes(ctx context.Context, after uint64) ([]Change, error) {
	f := &l.feed
	for {
		f.mu.Lock()
		if i := slices.IndexFunc(f.changes, func(c Change) bool { return c.Version > after }); i >= 0 {
			newer := slices.Clone(f.changes[i:])
			f.mu.Unlock()
			return newer, nil
		}
		if f.more == nil {
			f.more = make(chan struct{})
		}
		more := f.more
		f.mu.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
