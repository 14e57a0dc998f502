package db

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// lock holds a database for one DB. It is an advisory lock of the operating system on a file beside
// the database, so that it ends with the process, however that ends, and does not depend on what
// the file says. SQLite's own locks can't do this: they are held only while somebody writes.
type lock struct{ file *os.File }

// errLocked is the answer of tryLock when somebody else holds the lock.
var errLocked = errors.New("locked")

// acquire takes the lock of the database, or says with *InUseError who has it. It never waits.
func acquire(at location) (*lock, error) {
	path := at.file + ".lock"
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := tryLock(file); err != nil {
			err = errors.Join(err, file.Close())
			if errors.Is(err, errLocked) {
				return nil, &InUseError{Path: at.path, Lock: path, PID: holder(path)}
			}
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if current(file, path) {
			l := &lock{file: file}
			return l, l.sign()
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
}

// current says whether path still names the file that was locked: its last holder may have removed
// it between our opening and our locking it.
func current(file *os.File, path string) bool {
	locked, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(locked, named)
}

// sign writes who holds the lock, for the error of the next one. Only the lock itself counts.
func (l *lock) sign() error {
	if err := l.file.Truncate(0); err != nil {
		return errors.Join(err, l.release())
	}
	if _, err := l.file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		return errors.Join(err, l.release())
	}
	return nil
}

// release removes the file while it is still locked and then gives the lock up.
func (l *lock) release() error {
	removed := os.Remove(l.file.Name())
	if errors.Is(removed, os.ErrNotExist) || !removableWhileOpen {
		removed = nil
	}
	return errors.Join(removed, l.file.Close())
}

func holder(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}
