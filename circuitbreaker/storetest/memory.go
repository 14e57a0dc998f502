package storetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// keptTransitions is how many transitions of a breaker a store keeps.
const keptTransitions = 50

// Memory is a circuitbreaker.Store that lasts as long as its value. Tests make it fail, block and
// hold rows that can't be read. It is safe for concurrent use, and in a testing/synctest bubble.
type Memory struct {
	mu          sync.Mutex
	breakers    map[string]circuitbreaker.Snapshot
	transitions map[string][]circuitbreaker.Transition
	unreadable  map[string]circuitbreaker.RowError
	highest     uint64
	applied     []circuitbreaker.Batch
	failure     error
	blocked     chan struct{} // closed by the release of Block; nil: not blocked
	attempts    int
}

var _ circuitbreaker.Store = (*Memory)(nil)

// NewMemory gives an empty store.
func NewMemory() *Memory {
	return &Memory{
		breakers:    map[string]circuitbreaker.Snapshot{},
		transitions: map[string][]circuitbreaker.Transition{},
		unreadable:  map[string]circuitbreaker.RowError{},
	}
}

// Fail makes every later Load and Apply fail with err and change nothing. nil ends that.
func (m *Memory) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failure = err
}

// Block makes every later Load and Apply wait until release is called or their context ends. It
// must not be called again before.
func (m *Memory) Block() (release func()) {
	blocked := make(chan struct{})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.blocked = blocked
	return sync.OnceFunc(func() {
		m.mu.Lock()
		m.blocked = nil
		m.mu.Unlock()
		close(blocked)
	})
}

// Damage puts a row of this name into the store that Load reports as unreadable. Saving or deleting
// the name replaces it.
func (m *Memory) Damage(name string, version uint64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.breakers, name)
	m.unreadable[name] = circuitbreaker.RowError{Name: name, Err: err}
	m.highest = max(m.highest, version)
}

// Applied are the committed batches in their order.
func (m *Memory) Applied() []circuitbreaker.Batch {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.applied)
}

// Attempts is how often Apply was called, failed and blocked calls included.
func (m *Memory) Attempts() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.attempts
}

// Load gives copies of everything.
func (m *Memory) Load(ctx context.Context) (circuitbreaker.Loaded, error) {
	if err := m.wait(ctx); err != nil {
		return circuitbreaker.Loaded{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failure != nil {
		return circuitbreaker.Loaded{}, m.failure
	}
	loaded := circuitbreaker.Loaded{
		Transitions: map[string][]circuitbreaker.Transition{}, HighestVersion: m.highest,
	}
	for _, name := range slices.Sorted(maps.Keys(m.breakers)) {
		loaded.Breakers = append(loaded.Breakers, clone(m.breakers[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(m.unreadable)) {
		loaded.Unreadable = append(loaded.Unreadable, m.unreadable[name])
	}
	for name, list := range m.transitions {
		loaded.Transitions[name] = slices.Clone(list)
	}
	return loaded, nil
}

// Apply commits a batch.
func (m *Memory) Apply(ctx context.Context, b circuitbreaker.Batch) error {
	m.mu.Lock()
	m.attempts++
	m.mu.Unlock()
	if err := m.wait(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failure != nil {
		return m.failure
	}
	if err := storable(b); err != nil {
		return err
	}
	m.remove(b)
	for _, s := range b.Save {
		if s.Version < m.breakers[s.Name].Version {
			continue
		}
		m.breakers[s.Name] = toMillis(clone(s))
		delete(m.unreadable, s.Name)
		m.highest = max(m.highest, s.Version)
	}
	for _, t := range b.Transitions {
		m.append(t)
	}
	m.applied = append(m.applied, b)
	return nil
}

// wait holds a call back while the store is blocked. No lock is held meanwhile.
func (m *Memory) wait(ctx context.Context) error {
	m.mu.Lock()
	blocked := m.blocked
	m.mu.Unlock()
	if blocked != nil {
		select {
		case <-blocked:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

func (m *Memory) remove(b circuitbreaker.Batch) {
	if b.DeleteAll {
		maps.DeleteFunc(m.breakers, func(name string, _ circuitbreaker.Snapshot) bool { return !slices.Contains(b.Keep, name) })
		maps.DeleteFunc(m.unreadable, func(name string, _ circuitbreaker.RowError) bool { return !slices.Contains(b.Keep, name) })
	}
	for _, name := range b.Delete {
		delete(m.breakers, name)
		delete(m.unreadable, name)
	}
	for _, name := range b.Forget {
		delete(m.transitions, name)
	}
}

func (m *Memory) append(t circuitbreaker.Transition) {
	list := m.transitions[t.Name]
	if slices.ContainsFunc(list, func(known circuitbreaker.Transition) bool { return known.Seq == t.Seq }) {
		return
	}
	t.At = millis(t.At)
	t.Wait = (t.Wait + time.Millisecond - 1).Truncate(time.Millisecond)
	list = append(list, t)
	m.transitions[t.Name] = list[max(0, len(list)-keptTransitions):]
	m.highest = max(m.highest, t.Seq)
}

// storable refuses what has no word for its state.
func storable(b circuitbreaker.Batch) error {
	var failed error
	for _, s := range b.Save {
		_, err := s.State.MarshalText()
		failed = errors.Join(failed, err)
	}
	for _, t := range b.Transitions {
		_, from := t.From.MarshalText()
		_, to := t.To.MarshalText()
		failed = errors.Join(failed, from, to)
	}
	return failed
}

// clone shares no memory with s.
func clone(s circuitbreaker.Snapshot) circuitbreaker.Snapshot {
	s.Kinds = maps.Clone(s.Kinds)
	s.Buckets = slices.Clone(s.Buckets)
	for i := range s.Buckets {
		s.Buckets[i].Kinds = maps.Clone(s.Buckets[i].Kinds)
	}
	if s.Isolated != nil {
		held := *s.Isolated
		s.Isolated = &held
	}
	return s
}

// toMillis cuts the times of s, which is not shared, to what stores keep.
func toMillis(s circuitbreaker.Snapshot) circuitbreaker.Snapshot {
	for _, at := range []*time.Time{&s.LastFailureAt, &s.OpenedAt, &s.RetryAt, &s.ParkedUntil, &s.UpdatedAt} {
		*at = millis(*at)
	}
	for i := range s.Buckets {
		s.Buckets[i].Start = millis(s.Buckets[i].Start)
	}
	if s.Isolated != nil {
		s.Isolated.At = millis(s.Isolated.At)
	}
	return s
}

func millis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
