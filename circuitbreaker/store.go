package circuitbreaker

import "context"

// Store keeps rows of breakers and their transitions. It has one caller at a
// time, the registry's writer, which never holds a lock that a request could
// wait for. Package storetest proves an implementation. Spec: breaker.md 7.
type Store interface {
	// Load returns everything that is stored. A row that can't be read is
	// reported in Loaded.Unreadable, left in place, and is no error.
	Load(ctx context.Context) (Loaded, error)
	// Apply commits one batch, all or nothing.
	Apply(ctx context.Context, b Batch) error
}

// Loaded is what a store holds.
type Loaded struct {
	Breakers []Snapshot
	// Transitions holds the last 50 of each name, oldest first.
	Transitions map[string][]Transition
	Unreadable  []RowError
	// HighestVersion is the highest version and transition sequence number
	// ever seen in the store, unreadable rows included if they tell theirs.
	HighestVersion uint64
}

// RowError names a stored row that can't be read.
type RowError struct {
	Name string
	Err  error
	// Transition says that it is a transition's row, not the breaker's.
	Transition bool
}

func (e RowError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e RowError) Unwrap() error { return e.Err }

// Batch is one atomic commit, applied in the order of its members: deletions
// first, so that a row both deleted and saved is there afterwards.
type Batch struct {
	// DeleteAll removes every row of a breaker, not the transitions.
	DeleteAll bool
	// Keep are names whose rows DeleteAll leaves in place, as they are.
	Keep []string
	// Delete removes the rows of these names, not their transitions.
	Delete []string
	// Forget removes the transitions of these names.
	Forget []string
	// Save writes rows; one whose stored version is newer is left as it is.
	Save []Snapshot
	// Transitions are appended in order; the last 50 of each name are kept.
	Transitions []Transition
	// Sync says that the commit must survive a power loss: an operator's action is in it.
	Sync bool
}

func (b *Batch) empty() bool {
	return !b.DeleteAll && len(b.Delete)+len(b.Forget)+len(b.Save)+len(b.Transitions) == 0
}
