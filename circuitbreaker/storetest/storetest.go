package storetest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// opened is a store and the way to what a new process would find in it.
type opened struct {
	circuitbreaker.Store
	reopen func() circuitbreaker.Store
}

// Run is the conformance suite. open gives an empty store for one test, and a function that closes
// the store given last and opens the same one anew, as after a restart. Whatever has to be closed at
// the end, open leaves to t.Cleanup.
//
// Stores keep times to the millisecond, later digits cut off, and a transition's wait rounded up to
// it, so that what the API has shown is the same after a restart.
func Run(t *testing.T, open func(t *testing.T) (store circuitbreaker.Store, reopen func() circuitbreaker.Store)) {
	tests := map[string]func(t *testing.T, s *opened){
		"an empty store holds nothing":                                  emptyStore,
		"a snapshot comes back as it was saved":                         savedSnapshots,
		"times come back to the millisecond and in UTC":                 savedTimes,
		"any name comes back as it was saved":                           savedNames,
		"the store and its user share no memory":                        noSharedMemory,
		"a newer version replaces an older one":                         newerVersion,
		"an older version never overwrites a newer one":                 olderVersion,
		"a deleted row is gone and its transitions stay":                deletedRow,
		"deleting all leaves no row and every transition":               deletedAll,
		"deleting all leaves the rows that are to be kept":              deletedAllButKept,
		"deletions come before what the same batch saves":               deletionsFirst,
		"what is not there can be deleted":                              deletedNothing,
		"a transition comes back as it was appended":                    appendedTransition,
		"the last 50 transitions of each name are kept":                 keptLast,
		"forgotten transitions are gone and the row stays":              forgotten,
		"a batch that is applied again changes nothing":                 appliedTwice,
		"the highest version is that of every row and transition, ever": highestVersion,
		"a batch with something that can't be stored changes nothing":   allOrNothing,
		"a canceled batch fails and changes nothing":                    canceledBatch,
		"a batch of hundreds is one commit":                             largeBatch,
		"an empty batch is one":                                         emptyBatch,
		"an operator's batch is stored like any other":                  operatorsBatch,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			store, reopen := open(t)
			test(t, &opened{Store: store, reopen: reopen})
		})
	}
}

// now is when the suite's breakers have learned something.
var now = time.Date(2031, 2, 3, 4, 5, 6, 789e6, time.UTC)

func (s *opened) apply(t *testing.T, b circuitbreaker.Batch) {
	t.Helper()
	if err := s.Apply(t.Context(), b); err != nil {
		t.Fatalf("Apply: %v", err)
	}
}

func (s *opened) load(t *testing.T) circuitbreaker.Loaded {
	t.Helper()
	loaded, err := s.Load(t.Context())
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return loaded
}

// both runs a check on what the store holds now and on what it holds after a restart.
func (s *opened) both(t *testing.T, check func(t *testing.T, loaded circuitbreaker.Loaded)) {
	t.Helper()
	check(t, s.load(t))
	if t.Failed() {
		return
	}
	s.Store = s.reopen()
	check(t, s.load(t))
	if t.Failed() {
		t.Log("after a restart")
	}
}

// holds checks that exactly these rows are there.
func (s *opened) holds(t *testing.T, want ...circuitbreaker.Snapshot) {
	t.Helper()
	s.both(t, func(t *testing.T, loaded circuitbreaker.Loaded) {
		t.Helper()
		sameSnapshots(t, loaded, want)
	})
}

// lists checks that exactly these transitions of a name are there, in this order.
func (s *opened) lists(t *testing.T, name string, want ...circuitbreaker.Transition) {
	t.Helper()
	s.both(t, func(t *testing.T, loaded circuitbreaker.Loaded) {
		t.Helper()
		if got := loaded.Transitions[name]; !slices.Equal(got, want) {
			t.Errorf("transitions of %s are\n%v, want\n%v", name, got, want)
		}
	})
}

func sameSnapshots(t *testing.T, loaded circuitbreaker.Loaded, want []circuitbreaker.Snapshot) {
	t.Helper()
	byName := func(a, b circuitbreaker.Snapshot) int { return strings.Compare(a.Name, b.Name) }
	got := slices.SortedFunc(slices.Values(loaded.Breakers), byName)
	want = slices.SortedFunc(slices.Values(want), byName)
	if !slices.EqualFunc(got, want, equal) {
		t.Errorf("breakers are\n%s, want\n%s", describe(got), describe(want))
	}
	if len(loaded.Unreadable) > 0 {
		t.Errorf("unreadable: %v", loaded.Unreadable)
	}
}

// equal says whether two snapshots are the same for a store: an empty list or map is none.
func equal(a, b circuitbreaker.Snapshot) bool {
	return reflect.DeepEqual(withoutEmpty(a), withoutEmpty(b))
}

func withoutEmpty(s circuitbreaker.Snapshot) circuitbreaker.Snapshot {
	s = clone(s)
	if len(s.Kinds) == 0 {
		s.Kinds = nil
	}
	if len(s.Buckets) == 0 {
		s.Buckets = nil
	}
	for i := range s.Buckets {
		if len(s.Buckets[i].Kinds) == 0 {
			s.Buckets[i].Kinds = nil
		}
	}
	return s
}

func describe(list []circuitbreaker.Snapshot) string {
	var lines strings.Builder
	for _, s := range list {
		fmt.Fprintf(&lines, "%+v", s)
		if s.Isolated != nil {
			fmt.Fprintf(&lines, " isolated %+v", *s.Isolated)
		}
		lines.WriteByte('\n')
	}
	return lines.String()
}

func saved(name string, version uint64) circuitbreaker.Snapshot {
	return circuitbreaker.Snapshot{
		Name: name, Version: version, State: circuitbreaker.Degraded, Measure: circuitbreaker.Decay,
		Failures: int(version % 7), UpdatedAt: now,
	}
}

func transition(name string, seq uint64) circuitbreaker.Transition {
	return circuitbreaker.Transition{
		Name: name, From: circuitbreaker.HalfOpen, To: circuitbreaker.Open, Reason: circuitbreaker.ReasonProbeFailed,
		Kind: "server_error", Measure: 0.625, Wait: 61_250 * time.Millisecond,
		At: now.Add(time.Duration(seq) * time.Second), Enforce: seq%2 == 0, Seq: seq,
	}
}
