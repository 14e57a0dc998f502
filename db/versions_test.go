package db

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// andOneMore are all migrations and one that only a newer ohmroute has.
func andOneMore(t *testing.T, next int64) fs.FS {
	t.Helper()
	files, ok := upTo(t, next-1).(fstest.MapFS)
	if !ok {
		t.Fatal("upTo gives another file system")
	}
	files[fmt.Sprintf("%04d_of_the_future.sql", next)] = &fstest.MapFile{Data: []byte(
		"-- +goose Up\nALTER TABLE documents ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue';\n")}
	return files
}

// TestUpAndDownTheVersions goes, from every older version, up to this one and on to the next, and back: the newer file is
// refused and left alone, and the backup from before each step opens and holds what it held.
func TestUpAndDownTheVersions(t *testing.T) {
	known, err := newest()
	if err != nil {
		t.Fatal(err)
	}
	for from := int64(1); from <= known; from++ {
		t.Run(fmt.Sprintf("from %d", from), func(t *testing.T) {
			path := newPath(t)
			ofVersion(t, path, from)
			backup := contents(t, path)

			closed(t, open(t, path))
			upgraded, current := everything(t, path), contents(t, path)
			closed(t, open(t, path))
			if again := everything(t, path); !again.equal(upgraded) {
				t.Errorf("opened a second time it holds %s", upgraded.difference(again))
			}

			toTheNext(t, path, known+1)
			untouched(t, filepath.Dir(path), func() {
				err := refused[*NewerSchemaError](t, path)
				if err.Found != known+1 || err.Known != known {
					t.Errorf("the error has versions %d and %d, want %d and %d", err.Found, err.Known, known+1, known)
				}
			})

			for name, saved := range map[string][]byte{"this version's": current, "the older version's": backup} {
				write(t, path, saved)
				closed(t, open(t, path))
				if got := everything(t, path); !got.equal(upgraded) {
					t.Errorf("with %s backup it holds %s", name, upgraded.difference(got))
				}
				if got := examined(t, path); got.version != known {
					t.Errorf("with %s backup it has version %d, want %d", name, got.version, known)
				}
			}
		})
	}
}

// toTheNext brings a database up to a version that this program doesn't know.
func toTheNext(t *testing.T, path string, next int64) {
	t.Helper()
	writer, err := pool(path, writing, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := migrate(t.Context(), writer.DB, andOneMore(t, next)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
}
