package circuitbreaker

import (
	"maps"
	"sync/atomic"
)

// table is the registry's map of names. A table does not change, but for the
// breakers that its slots get and lose: a name that comes or goes, another
// configuration, and a reset of all each make another table. Whoever asks
// several breakers for one request takes them from one table.
type table struct{ slots map[string]*slot }

// slot is the place of one name. Only its breaker changes, under the
// registry's mu.
type slot struct {
	name        string
	rules       *rules
	fingerprint string
	configured  bool
	breaker     atomic.Pointer[Breaker] // nil until first use, and after eviction
}

// with is t and more slots. It copies t: many are added together.
func (t *table) with(more ...*slot) *table {
	next := make(map[string]*slot, len(t.slots)+len(more))
	maps.Copy(next, t.slots)
	for _, s := range more {
		next[s.name] = s
	}
	return &table{slots: next}
}

// without is t less the named slots; t itself if there are none.
func (t *table) without(names ...string) *table {
	if len(names) == 0 {
		return t
	}
	next := maps.Clone(t.slots)
	for _, name := range names {
		delete(next, name)
	}
	return &table{slots: next}
}
