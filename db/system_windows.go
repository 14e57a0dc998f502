package db

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const (
	// lockless is the SQLite VFS that takes no locks.
	lockless = "win32-none"
	// removableWhileOpen says whether an open file can be removed.
	removableWhileOpen = false
)

// tryLock locks the open file until it is closed. errLocked: somebody else has it.
func tryLock(file *os.File) error {
	err := windows.LockFileEx(windows.Handle(file.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errLocked
	}
	return err
}

// syncDir has nothing to do: NTFS journals names.
func syncDir(string) error { return nil }
