package storetest

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// full is a snapshot that has everything.
func full() circuitbreaker.Snapshot {
	return circuitbreaker.Snapshot{
		Name: "key:openai/main", Version: 1 << 62, State: circuitbreaker.Isolated,
		Reason: circuitbreaker.ReasonIsolated, Kind: "rate_limit", Measure: circuitbreaker.Window,
		Window: 10*time.Second + time.Nanosecond, Failures: 1_000_000,
		Kinds: map[circuitbreaker.Kind]int{"rate_limit": 4, "timeout": 1},
		Buckets: []circuitbreaker.Bucket{
			{Start: now.Add(-2 * time.Second), Total: 9},
			{Start: now.Add(-time.Second), Total: 7, Failed: 3, Kinds: map[circuitbreaker.Kind]int{"timeout": 3}},
		},
		LastFailureKind: "timeout", LastFailureAt: now.Add(-time.Millisecond), OpenedAt: now.Add(-time.Minute),
		RetryAt: now.Add(time.Hour), Cycle: 200, Successes: 3, ParkedUntil: now.Add(time.Minute), ParkHinted: true,
		Isolated:    &circuitbreaker.Isolation{By: "ann", Reason: "says \"stop\" ✋", At: now},
		Fingerprint: "hmac:0123", UpdatedAt: now,
	}
}

func emptyStore(t *testing.T, s *opened) {
	s.both(t, func(t *testing.T, loaded circuitbreaker.Loaded) {
		t.Helper()
		if len(loaded.Breakers)+len(loaded.Transitions)+len(loaded.Unreadable) > 0 || loaded.HighestVersion != 0 {
			t.Errorf("an empty store holds %+v", loaded)
		}
	})
}

func savedSnapshots(t *testing.T, s *opened) {
	everything := full()
	for i := range reflect.TypeFor[circuitbreaker.Snapshot]().NumField() {
		if reflect.ValueOf(everything).Field(i).IsZero() {
			t.Errorf("the suite's full snapshot lacks %s", reflect.TypeFor[circuitbreaker.Snapshot]().Field(i).Name)
		}
	}
	rows := []circuitbreaker.Snapshot{everything, {Name: "provider:bare"}}
	for state := circuitbreaker.Closed; state <= circuitbreaker.Isolated; state++ {
		row := saved("target:a/"+state.String(), uint64(state)+1)
		row.State = state
		rows = append(rows, row)
	}
	held := saved("provider:held", 9)
	held.Isolated = &circuitbreaker.Isolation{}
	rows = append(rows, held)
	s.apply(t, circuitbreaker.Batch{Save: rows})
	s.holds(t, rows...)

	bare := circuitbreaker.Snapshot{Name: everything.Name, Version: everything.Version + 1}
	s.apply(t, circuitbreaker.Batch{DeleteAll: true, Save: []circuitbreaker.Snapshot{everything}})
	s.apply(t, circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{bare}})
	s.holds(t, bare)
}

func savedTimes(t *testing.T, s *opened) {
	at := now.Add(999_999 * time.Nanosecond).In(time.FixedZone("", 3600))
	row := saved("provider:a", 1)
	row.UpdatedAt, row.RetryAt = at, at
	row.Buckets = []circuitbreaker.Bucket{{Start: at, Total: 1}}
	row.Isolated = &circuitbreaker.Isolation{At: at}
	moved := transition("provider:a", 2)
	moved.At, moved.Wait = at, 30*time.Second+time.Nanosecond
	shown, err := moved.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	s.apply(t, circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{row}, Transitions: []circuitbreaker.Transition{moved}})

	row.UpdatedAt, row.RetryAt, row.Buckets[0].Start, row.Isolated.At = now, now, now, now
	s.holds(t, row)
	moved.At, moved.Wait = now, 30*time.Second+time.Millisecond
	s.lists(t, "provider:a", moved)
	if again, err := moved.MarshalJSON(); err != nil || string(again) != string(shown) {
		t.Errorf("the API shows %s (%v) after a restart, %s before", again, err, shown)
	}
}

func savedNames(t *testing.T, s *opened) {
	var b circuitbreaker.Batch
	for i, name := range []string{
		"target:openai/gpt-4o", "target:openai/GPT-4o", "provider:%", "provider:_", "key:a/b c", "key:a/'; DROP TABLE breakers --",
		"target:a/\"b\"/c:d", "target:é/日本語😀", "noscope", "target:a/" + strings.Repeat("x", 4000),
	} {
		b.Save = append(b.Save, saved(name, uint64(i)+1))
	}
	s.apply(t, b)
	s.holds(t, b.Save...)
	s.apply(t, circuitbreaker.Batch{Delete: []string{"provider:%", "target:openai/GPT-4o"}})
	s.holds(t, append([]circuitbreaker.Snapshot{b.Save[0]}, b.Save[3:]...)...)
}

func noSharedMemory(t *testing.T, s *opened) {
	row, want := full(), full()
	s.apply(t, circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{row}})
	change := func(row circuitbreaker.Snapshot) {
		row.Kinds["timeout"], row.Buckets[1].Kinds["timeout"] = 99, 99
		row.Buckets[0].Total, row.Isolated.By = 99, "eve"
	}
	change(row)
	s.holds(t, want)
	for _, row := range s.load(t).Breakers {
		change(row)
	}
	s.holds(t, want)
}
