package db

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// asNobody lets the rest of the test touch files as an ordinary user, also when it runs as root.
// Rights belong to the thread, and everything that Open and write do with files happens on the
// goroutine that calls them.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		do()
		return
	}
	const nobody = 65534
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, err := unix.SetfsuidRetUid(nobody); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := unix.SetfsuidRetUid(0); err != nil {
			t.Fatal(err)
		}
	}()
	do()
}

// readable lets everybody read, but nobody write, what is below dir.
func readable(t *testing.T, dir string) {
	t.Helper()
	for path := range listing(t, dir) {
		mode := os.FileMode(0o444)
		if path == dir {
			mode = 0o555
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
}

// reachable is the path of a new database in a directory that everybody can reach.
func reachable(t *testing.T) string {
	t.Helper()
	path := newPath(t)
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(filepath.Dir(path))} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestAReadOnlyDirectoryIsUnwritableAndItsDocumentsAreRead(t *testing.T) {
	path := reachable(t)
	sample(t, path)
	dir := filepath.Dir(path)
	readable(t, dir)
	asNobody(t, func() {
		untouched(t, dir, func() {
			refused[*UnwritableError](t, path)
			d := OpenLater(Options{Path: path})
			defer closed(t, d)
			got, err := d.Documents(t.Context(), "providers")
			if err != nil || len(got) == 0 {
				t.Errorf("Documents: %v, %v", got, err)
			}
			_, err = d.Breakers().Load(t.Context())
			if _, unwritable := errors.AsType[*UnwritableError](err); !unwritable {
				t.Errorf("Load: %v", err)
			}
			err = d.PutDocument(t.Context(), "providers", "a", []byte("{}"))
			if _, unwritable := errors.AsType[*UnwritableError](err); !unwritable {
				t.Errorf("PutDocument: %v", err)
			}
		})
	})
}

func TestAReadOnlyDirectoryWithoutADatabaseIsUnwritable(t *testing.T) {
	path := reachable(t)
	readable(t, filepath.Dir(path))
	asNobody(t, func() { refused[*UnwritableError](t, path) })
}

func TestAReadOnlyDirectoryWithADamagedDatabaseIsDamaged(t *testing.T) {
	path := reachable(t)
	sample(t, path)
	write(t, path, contents(t, path)[:5000])
	readable(t, filepath.Dir(path))
	asNobody(t, func() { refused[*DamagedError](t, path) })
}

func TestAReadOnlyFileIsUnwritable(t *testing.T) {
	path := reachable(t)
	sample(t, path)
	dir := filepath.Dir(path)
	for path, mode := range map[string]os.FileMode{path: 0o444, dir: 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	untouched(t, dir, func() { asNobody(t, func() { refused[*UnwritableError](t, path) }) })
}

func TestAFileThatMayNotBeReadIsUnwritable(t *testing.T) {
	path := reachable(t)
	sample(t, path)
	dir := filepath.Dir(path)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	untouched(t, dir, func() { asNobody(t, func() { refused[*UnwritableError](t, path) }) })
}
