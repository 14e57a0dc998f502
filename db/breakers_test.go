package db

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/circuitbreaker/storetest"
)

func TestBreakersAreAStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) (circuitbreaker.Store, func() circuitbreaker.Store) {
		path := newPath(t)
		d := open(t, path)
		return d.Breakers(), func() circuitbreaker.Store {
			closed(t, d)
			d = open(t, path)
			return d.Breakers()
		}
	})
}

// row is what the tests store: some of everything that matters to them.
func row(name string, version uint64) circuitbreaker.Snapshot {
	at := time.UnixMilli(1_900_000_000_000).UTC()
	return circuitbreaker.Snapshot{
		Name: name, Version: version, State: circuitbreaker.Open, Reason: circuitbreaker.ReasonThreshold,
		Kind: "server_error", Measure: circuitbreaker.Decay, Failures: 5,
		Kinds: map[circuitbreaker.Kind]int{"server_error": 5}, LastFailureKind: "server_error",
		LastFailureAt: at, OpenedAt: at, RetryAt: at.Add(30 * time.Second), UpdatedAt: at,
	}
}

func move(name string, seq uint64) circuitbreaker.Transition {
	return circuitbreaker.Transition{
		Name: name, From: circuitbreaker.Degraded, To: circuitbreaker.Open, Reason: circuitbreaker.ReasonThreshold,
		Kind: "server_error", Measure: 5, Wait: 30 * time.Second, Enforce: true, Seq: seq,
		At: time.UnixMilli(1_900_000_000_000).UTC(),
	}
}

// fill puts enough into a database that each table has some pages.
func fill(t *testing.T, d *DB) {
	t.Helper()
	var b circuitbreaker.Batch
	for i := range uint64(60) {
		name := fmt.Sprintf("target:provider-%d/model-%d", i%5, i)
		b.Save = append(b.Save, row(name, i+1))
		b.Transitions = append(b.Transitions, move(name, i+1))
	}
	if err := d.Breakers().Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b", "c"} {
		body := []byte(`{"id":"` + id + `","note":"` + strings.Repeat(id, 2000) + `"}`)
		if err := d.PutDocument(t.Context(), "providers", id, body); err != nil {
			t.Fatal(err)
		}
	}
	log(t, d, 1, 60)
}

func load(t *testing.T, d *DB) circuitbreaker.Loaded {
	t.Helper()
	loaded, err := d.Breakers().Load(t.Context())
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return loaded
}

func TestARowThatCanNotBeReadIsReportedByNameAndKept(t *testing.T) {
	ignore := "PRAGMA ignore_check_constraints = ON"
	cases := map[string]struct {
		harm string
		says string
	}{
		"a state without a word":      {"UPDATE breakers SET state = 'SLEEPY' WHERE name = 'provider:b'", "SLEEPY"},
		"a state in lower case":       {"UPDATE breakers SET state = 'open' WHERE name = 'provider:b'", "open"},
		"kind counts that are cut":    {`UPDATE breakers SET kind_counts = '{"timeout":' WHERE name = 'provider:b'`, "kind_counts"},
		"buckets of another shape":    {"UPDATE breakers SET buckets = '{}' WHERE name = 'provider:b'", "buckets"},
		"a negative count":            {"UPDATE breakers SET failure_count = -1 WHERE name = 'provider:b'", "below zero"},
		"a flag that is none":         {"UPDATE breakers SET cooldown_hinted = 7 WHERE name = 'provider:b'", "cooldown_hinted"},
		"a time past all times":       {"UPDATE breakers SET failure_count = 9223372036854775807, open_cycle = -9223372036854775808 WHERE name = 'provider:b'", "below zero"},
		"a transition without a word": {"UPDATE breaker_transitions SET to_state = 'SLEEPY' WHERE name = 'provider:b'", "SLEEPY"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			d := open(t, path)
			rows := []circuitbreaker.Snapshot{row("provider:a", 1), row("provider:b", 9), row("provider:c", 3)}
			batch := circuitbreaker.Batch{Save: rows, Transitions: []circuitbreaker.Transition{
				move("provider:a", 1), move("provider:b", 2), move("provider:b", 9), move("provider:c", 3),
			}}
			if err := d.Breakers().Apply(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
			closed(t, d)
			raw(t, path, ignore, c.harm)
			harmed := everything(t, path)

			d = open(t, path)
			loaded := load(t, d)
			if loaded.HighestVersion != 9 {
				t.Errorf("highest version is %d, want 9", loaded.HighestVersion)
			}
			if len(loaded.Unreadable) == 0 {
				t.Fatal("nothing was reported")
			}
			for _, unreadable := range loaded.Unreadable {
				ofTransition := strings.Contains(c.harm, "breaker_transitions")
				if unreadable.Name != "provider:b" || unreadable.Transition != ofTransition || !strings.Contains(unreadable.Error(), c.says) {
					t.Errorf("reported %+v, want provider:b and %q, of a transition: %t", unreadable, c.says, ofTransition)
				}
			}
			for _, s := range loaded.Breakers {
				if s.Name == "provider:b" && strings.Contains(c.harm, "UPDATE breakers ") {
					t.Errorf("loaded %+v", s)
				}
			}
			if len(loaded.Transitions["provider:a"]) != 1 || len(loaded.Breakers) < 2 {
				t.Errorf("the other rows are missing: %+v", loaded)
			}
			closed(t, d)
			if got := everything(t, path); !got.equal(harmed) {
				t.Errorf("the row was not kept: %s", harmed.difference(got))
			}
		})
	}
}

func TestAnOperatorsActionIsCommittedForALossOfPower(t *testing.T) {
	d := open(t, newPath(t))
	h, err := d.handle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const normal, full = 1, 2
	synchronous := func(get func(dest any, query string, args ...any) error) (level int) {
		t.Helper()
		if err := get(&level, "PRAGMA synchronous"); err != nil {
			t.Fatal(err)
		}
		return level
	}
	for durable, want := range map[bool]int{true: full, false: normal} {
		err := h.write(t.Context(), durable, func(tx *transaction) error {
			if level := synchronous(tx.tx.Get); level != want {
				t.Errorf("durable %t: synchronous is %d in the transaction, want %d", durable, level, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if level := synchronous(h.writer.Get); level != normal {
			t.Errorf("durable %t: synchronous is %d afterwards, want %d", durable, level, normal)
		}
	}
}

func TestEveryConnectionHasTheSettings(t *testing.T) {
	d := open(t, newPath(t))
	h, err := d.handle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time on a new connection
		for pragma, want := range map[string]string{
			"journal_mode": "wal", "synchronous": "1", "foreign_keys": "1", "busy_timeout": "5000", "application_id": "1330138450",
		} {
			var got string
			if err := h.writer.Get(&got, "PRAGMA "+pragma); err != nil || got != want {
				t.Errorf("writer's %s is %s (%v), want %s", pragma, got, err, want)
			}
		}
		h.writer.SetMaxIdleConns(0)
	}
	if _, err := h.reader.Exec("DELETE FROM documents"); err == nil {
		t.Error("a reader could write")
	}
}

func TestAFullDiskFailsTheBatchAndTheNextOneAfterItHasRoom(t *testing.T) {
	path := newPath(t)
	d := open(t, path)
	kept := row("provider:a", 1)
	if err := d.Breakers().Apply(t.Context(), circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{kept}}); err != nil {
		t.Fatal(err)
	}
	h, err := d.handle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	limit := func(pages int) {
		t.Helper()
		if _, err := h.writer.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	large := circuitbreaker.Batch{Delete: []string{"provider:a"}}
	for i := range uint64(500) {
		large.Save = append(large.Save, row(fmt.Sprintf("provider:%d", i), i+2))
	}
	limit(1)
	err = d.Breakers().Apply(t.Context(), large)
	if err == nil || !strings.Contains(err.Error(), "full") {
		t.Fatalf("Apply on a full disk: %v", err)
	}
	if got := load(t, d).Breakers; len(got) != 1 || got[0].Name != "provider:a" {
		t.Errorf("after the failure: %v", got)
	}
	limit(1 << 20)
	if err := d.Breakers().Apply(t.Context(), large); err != nil {
		t.Fatal(err)
	}
	if got := load(t, d).Breakers; len(got) != 500 {
		t.Errorf("%d rows, want 500", len(got))
	}
}

func TestScopeIsAColumn(t *testing.T) {
	path := newPath(t)
	d := open(t, path)
	batch := circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{
		row("provider:a", 1), row("key:a/k:1", 2), row("target:a/m", 3), row("else", 4),
	}}
	if err := d.Breakers().Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	h, err := d.handle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := h.reader.SelectContext(context.Background(), &got, "SELECT scope || '=' || name FROM breakers ORDER BY version"); err != nil {
		t.Fatal(err)
	}
	if want := []string{"provider=provider:a", "key=key:a/k:1", "target=target:a/m", "=else"}; !slices.Equal(got, want) {
		t.Errorf("scopes are %v, want %v", got, want)
	}
}
