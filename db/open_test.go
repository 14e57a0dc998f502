package db

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestANewDatabaseIsWholeAndOnlyItsOwnersToRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "sub dir?#%41", "ohmroute.db")
	d := open(t, path)
	if err := d.PutDocument(t.Context(), "providers", "a", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm", ".marker", ".lock"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("mode of ohmroute.db%s is %o, want 600", suffix, mode)
		}
	}
	if header := contents(t, path)[:headerSize]; string(header[68:72]) != "OHMR" {
		t.Errorf("application id in the file's header is %q", header[68:72])
	}
}

func TestClosingLeavesTheFileAloneAsTheWholeDatabase(t *testing.T) {
	path := newPath(t)
	sample(t, path)
	names := slices.Sorted(maps.Keys(listing(t, filepath.Dir(path))))
	want := []string{filepath.Dir(path), path, path + ".marker"}
	if !slices.Equal(names, want) {
		t.Errorf("after Close there are %v, want %v", names, want)
	}
	elsewhere := newPath(t)
	write(t, elsewhere, contents(t, path))
	if !everything(t, elsewhere).equal(everything(t, path)) {
		t.Error("the copied file holds something else")
	}
	open(t, elsewhere)
	if _, err := os.Stat(elsewhere + ".marker"); err != nil {
		t.Errorf("a restored database is not remembered: %v", err)
	}
}

func TestABackupMadeBySQLiteOfAnOpenDatabaseOpens(t *testing.T) {
	path, backup := newPath(t), newPath(t)
	d := open(t, path)
	fill(t, d)
	raw(t, path, "VACUUM INTO '"+backup+"'")
	restored := open(t, backup)
	got, err := restored.Documents(t.Context(), "providers")
	if err != nil || len(got) == 0 {
		t.Errorf("documents of the backup: %v, %v", got, err)
	}
}

func TestOpeningAgainFindsWhatWasThere(t *testing.T) {
	path := newPath(t)
	sample(t, path)
	want := everything(t, path)
	closed(t, open(t, path))
	if got := everything(t, path); !got.equal(want) {
		t.Errorf("found %s", want.difference(got))
	}
}

func TestADraftOfAKilledFirstStartIsReplaced(t *testing.T) {
	path := newPath(t)
	for _, leftover := range append(beside(path+".new"), path+".new") {
		write(t, leftover, garbage(5000))
	}
	open(t, path)
	if left, _ := filepath.Glob(path + ".new*"); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestASecondOpenIsRefusedWhileTheFirstLasts(t *testing.T) {
	path := newPath(t)
	first := open(t, path)
	err := refused[*InUseError](t, path)
	if err.PID != os.Getpid() || err.Lock != path+".lock" {
		t.Errorf("in use by process %d with lock %s", err.PID, err.Lock)
	}
	if err := first.PutDocument(t.Context(), "providers", "a", []byte("{}")); err != nil {
		t.Errorf("the first after the second was refused: %v", err)
	}
	closed(t, first)
	open(t, path)
}

func TestADatabaseIsLockedAlsoThroughALink(t *testing.T) {
	path := newPath(t)
	open(t, path)
	link := newPath(t)
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	refused[*InUseError](t, link)
}

func TestALockFileThatNobodyHoldsIsNoLock(t *testing.T) {
	path := newPath(t)
	write(t, path+".lock", []byte("1\n"))
	open(t, path)
}

func TestOperationsAfterCloseAreRefused(t *testing.T) {
	d := open(t, newPath(t))
	closed(t, d)
	if err := d.PutDocument(t.Context(), "c", "i", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("PutDocument: %v", err)
	}
	if _, err := d.Documents(t.Context(), "c"); !errors.Is(err, ErrClosed) {
		t.Errorf("Documents: %v", err)
	}
	later := OpenLater(Options{Path: newPath(t)})
	closed(t, later)
	if err := later.DeleteDocument(t.Context(), "c", "i"); !errors.Is(err, ErrClosed) {
		t.Errorf("DeleteDocument: %v", err)
	}
}

func TestADirectoryThatCanNotBeMadeIsUnwritableUntilItCan(t *testing.T) {
	dir := t.TempDir()
	obstacle := filepath.Join(dir, "data")
	write(t, obstacle, nil)
	path := filepath.Join(obstacle, "ohmroute.db")
	untouched(t, dir, func() {
		if err := refused[*UnwritableError](t, path); !strings.Contains(err.Error(), path) {
			t.Errorf("error does not name the path: %v", err)
		}
	})
	d := OpenLater(Options{Path: path})
	defer closed(t, d)
	for range 2 {
		err := d.PutDocument(t.Context(), "providers", "a", []byte("{}"))
		if _, unwritable := errors.AsType[*UnwritableError](err); !unwritable {
			t.Fatalf("PutDocument: %v", err)
		}
		_, err = d.Documents(t.Context(), "providers")
		if _, unwritable := errors.AsType[*UnwritableError](err); !unwritable {
			t.Fatalf("Documents: %v", err)
		}
	}
	if err := os.Remove(obstacle); err != nil {
		t.Fatal(err)
	}
	if err := d.PutDocument(t.Context(), "providers", "a", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Documents(t.Context(), "providers"); err != nil || len(got) != 1 {
		t.Errorf("Documents: %v, %v", got, err)
	}
}

func TestACanceledOpenSaysSo(t *testing.T) {
	path := newPath(t)
	sample(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	untouched(t, filepath.Dir(path), func() {
		if _, err := Open(ctx, Options{Path: path}); !errors.Is(err, context.Canceled) {
			t.Errorf("Open: %v", err)
		}
	})
}
