// Package configtest has what tests of other packages need to run a configuration without a disk.
package configtest

import (
	"context"
	"sync"
)

// Documents is a config.Store in memory, for tests of what stands above it. The zero value is empty; it is safe for
// concurrent use.
type Documents struct {
	mu     sync.Mutex
	bodies map[[2]string][]byte
}

// Documents returns the bodies of a collection by id.
func (d *Documents) Documents(_ context.Context, collection string) (map[string][]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := map[string][]byte{}
	for key, body := range d.bodies {
		if key[0] == collection {
			found[key[1]] = body
		}
	}
	return found, nil
}

// PutDocument stores a body, which it keeps.
func (d *Documents) PutDocument(_ context.Context, collection, id string, body []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bodies == nil {
		d.bodies = map[[2]string][]byte{}
	}
	d.bodies[[2]string{collection, id}] = body
	return nil
}

// DeleteDocument removes a body; one that is not there is no error.
func (d *Documents) DeleteDocument(_ context.Context, collection, id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.bodies, [2]string{collection, id})
	return nil
}
