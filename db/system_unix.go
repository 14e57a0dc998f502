//go:build !windows

package db

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// lockless is the SQLite VFS that takes no locks.
	lockless = "unix-none"
	// removableWhileOpen says whether an open file can be removed.
	removableWhileOpen = true
)

// tryLock locks the open file until it is closed. errLocked: somebody else has it.
func tryLock(file *os.File) error {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// syncDir makes the names in a directory survive a loss of power.
func syncDir(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
