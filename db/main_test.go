package db

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// childVariable tells the test binary that it is the process to be killed, and which database it
// writes.
const childVariable = "OHMROUTE_DB_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		os.Exit(child(path))
	}
	goleak.VerifyTestMain(m)
}

// place of a new database of this test.
func newPath(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "ohmroute.db")
}

// open opens a database for the length of the test.
func open(t *testing.T, path string) *DB {
	t.Helper()
	d, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { closed(t, d) })
	return d
}

func closed(t *testing.T, d *DB) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// refused opens a database that must not open, and gives the error if it is an E.
func refused[E error](t *testing.T, path string) E {
	t.Helper()
	d, err := Open(t.Context(), Options{Path: path})
	if err == nil {
		closed(t, d)
		t.Fatalf("Open of %s: no error, want %T", path, *new(E))
	}
	typed, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("Open of %s: %T %v, want %T", path, err, err, typed)
	}
	return typed
}

// sample makes a database with something in each table and closes it.
func sample(t *testing.T, path string) {
	t.Helper()
	d, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer closed(t, d)
	fill(t, d)
}

// listing is every file below dir by name, with its mode and a hash of its bytes.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			files[path] = info.Mode().String()
			return nil
		}
		body, err := os.ReadFile(path)
		files[path] = fmt.Sprintf("%v %x", info.Mode(), sha256.Sum256(body))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// raw runs SQL on a database file with none of this package's care.
func raw(t *testing.T, path string, statements ...string) {
	t.Helper()
	p, err := pool(path, []string{"mode=rwc"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, statement := range statements {
		if _, err := p.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
