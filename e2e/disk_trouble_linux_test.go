package e2e

import (
	"database/sql"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// smallDisk is a folder on a disk of 4 MiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("no disk can be mounted here (%v); server's TestABrokenDiskIsToldAndDoesNotStopOperators fails the store instead", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fillUp leaves no byte free.
func fillUp(t *testing.T, dir string) (mend func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}

// lockOut takes SQLite's lock for writing, as another program that has the file open may.
func lockOut(t *testing.T, dir string) (mend func()) {
	t.Helper()
	database, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "ohmroute.db")+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	if err != nil {
		t.Error(err)
		return func() {}
	}
	tx, err := database.BeginTx(t.Context(), nil)
	if err != nil {
		t.Error(err)
		return func() { database.Close() }
	}
	return func() {
		_ = tx.Rollback()
		database.Close()
	}
}

// slowDown lets a commit through now and then only: each waits for as long as somebody else has the lock. It ends by itself,
// after which over is true.
func slowDown(t *testing.T, dir string) (over func() bool) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 5 {
			release := lockOut(t, dir)
			<-time.After(400 * time.Millisecond)
			release()
		}
	}()
	t.Cleanup(func() { <-done })
	return func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
}

// readOnly lets nobody write below dir.
func readOnly(t *testing.T, dir string) (mend func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		return func() { _ = os.Chmod(dir, 0o700) }
	}
	if err := syscall.Mount(dir, dir, "", syscall.MS_BIND, ""); err != nil { // rights don't bind root
		t.Skipf("no folder can be mounted read-only here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	remount := func(flags uintptr) {
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_BIND|flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	remount(syscall.MS_RDONLY)
	return func() { remount(0) }
}
