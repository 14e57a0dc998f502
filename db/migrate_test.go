package db

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/migrations"
)

// upTo are the migrations up to a version.
func upTo(t *testing.T, version int64) fs.FS {
	t.Helper()
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, name := range slices.Sorted(slices.Values(names))[:version] {
		body, err := fs.ReadFile(migrations.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: body}
	}
	return files
}

// ofVersion makes a database as an older ohmroute left it, with what fixtures say it may hold.
func ofVersion(t *testing.T, path string, version int64) {
	t.Helper()
	write(t, path, nil)
	writer, err := pool(path, writing, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := writer.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := migrate(t.Context(), writer.DB, upTo(t, version)); err != nil {
		t.Fatal(err)
	}
	for v := range version {
		fixture, err := os.ReadFile(filepath.Join("testdata", "upgrade", fmt.Sprintf("%04d.sql", v+1)))
		if err != nil {
			t.Fatalf("a schema version without a fixture: %v", err)
		}
		if _, err := writer.Exec(string(fixture)); err != nil {
			t.Fatalf("fixture %d: %v", v+1, err)
		}
	}
}

func TestEveryOlderSchemaIsBroughtUpToDateWithWhatItHolds(t *testing.T) {
	at := func(ms int64) time.Time { return time.UnixMilli(1_900_000_000_000 + ms).UTC() }
	wantRows := []circuitbreaker.Snapshot{
		{
			Name: "key:openai/main", Version: 41, State: circuitbreaker.Open, Reason: "kind-threshold", Kind: "rate_limit",
			Measure: circuitbreaker.Window, Window: 10 * time.Second, Failures: 3,
			Kinds: map[circuitbreaker.Kind]int{"rate_limit": 3},
			Buckets: []circuitbreaker.Bucket{
				{Start: at(0), Total: 9, Failed: 3, Kinds: map[circuitbreaker.Kind]int{"rate_limit": 3}},
			},
			LastFailureKind: "rate_limit", LastFailureAt: at(1000), OpenedAt: at(2000), RetryAt: at(32000), Cycle: 2,
			Successes: 1, ParkedUntil: at(7000), ParkHinted: true, Fingerprint: "hmac:0123", UpdatedAt: at(2000),
		},
		{
			Name: "provider:openai", Version: 42, State: circuitbreaker.Isolated, Reason: "isolated",
			Measure: circuitbreaker.Decay, Isolated: &circuitbreaker.Isolation{By: "ann", Reason: "maintenance", At: at(3000)},
		},
	}
	wantMoves := map[string][]circuitbreaker.Transition{"key:openai/main": {{
		Name: "key:openai/main", From: circuitbreaker.Degraded, To: circuitbreaker.Open, Reason: "kind-threshold",
		Kind: "rate_limit", Measure: 0.375, Wait: 30 * time.Second, At: at(2000), Enforce: true, Seq: 41,
	}}}

	known, err := newest()
	if err != nil {
		t.Fatal(err)
	}
	for version := int64(1); version <= known; version++ {
		t.Run(fmt.Sprintf("from %d", version), func(t *testing.T) {
			path := newPath(t)
			ofVersion(t, path, version)
			d := open(t, path)
			loaded := load(t, d)
			if !reflect.DeepEqual(loaded.Breakers, wantRows) {
				t.Errorf("breakers are\n%+v, want\n%+v", loaded.Breakers, wantRows)
			}
			if !reflect.DeepEqual(loaded.Transitions, wantMoves) || loaded.HighestVersion != 57 || loaded.Unreadable != nil {
				t.Errorf("loaded %+v", loaded)
			}
			documents, err := d.Documents(t.Context(), "providers")
			if err != nil || version >= 2 && string(documents["openai"]) != `{"id":"openai"}` {
				t.Errorf("documents are %q, %v", documents, err)
			}
			logged, found, err := d.Request(t.Context(), "req_a")
			if err != nil || found != (version >= 3) || found && (string(logged.Body) != `{"id":"req_a"}` || !logged.At.Equal(at(0))) {
				t.Errorf("the request is %+v, %v", logged, err)
			}
			closed(t, d)
			if got := examined(t, path); got.version != known {
				t.Errorf("schema version is %d, want %d", got.version, known)
			}
		})
	}
}

func TestAnUpgradeThatFailsLeavesTheOlderVersion(t *testing.T) {
	path := newPath(t)
	ofVersion(t, path, 1)
	raw(t, path, "CREATE TABLE documents (a)") // in the way of the second migration
	before := everything(t, path)
	if d, err := Open(t.Context(), Options{Path: path}); err == nil {
		closed(t, d)
		t.Fatal("opened")
	}
	if got := everything(t, path); !got.equal(before) {
		t.Errorf("after the failure: %s", before.difference(got))
	}
	if got := examined(t, path); got.version != 1 {
		t.Errorf("schema version is %d, want 1", got.version)
	}
}

func TestADatabaseWithoutItsTablesIsDamaged(t *testing.T) {
	path := newPath(t)
	sample(t, path)
	raw(t, path, "DROP TABLE breaker_transitions")
	untouched(t, filepath.Dir(path), func() { refused[*DamagedError](t, path) })
}

func examined(t *testing.T, path string) found {
	t.Helper()
	at, err := locate(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := examine(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
