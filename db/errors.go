package db

import (
	"errors"
	"fmt"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrClosed is what every operation answers after Close.
var ErrClosed = errors.New("database is closed")

// NewerSchemaError refuses a database that a newer ohmroute has written (spec: breaker.md 7.7).
// Nothing was changed.
type NewerSchemaError struct {
	Path  string
	Found int64 // schema version of the database
	Known int64 // newest schema version that this program knows
}

func (e *NewerSchemaError) Error() string {
	return fmt.Sprintf("database %s has schema version %d, this ohmroute knows versions up to %d: "+
		"start a newer ohmroute, or restore a backup made before the upgrade (nothing was changed)",
		e.Path, e.Found, e.Known)
}

// ForeignFileError refuses a file that is not ohmroute's. Nothing was changed.
type ForeignFileError struct {
	Path   string
	Detail string // what it is instead
}

func (e *ForeignFileError) Error() string {
	return fmt.Sprintf("database %s is not a database of ohmroute: %s; "+
		"choose another path, or move that file away (nothing was changed)", e.Path, e.Detail)
}

// DamagedError refuses a database whose content can't be trusted. Nothing was changed, unless the
// damage showed only after the database had been opened.
type DamagedError struct {
	Path   string
	Detail string // what the check found
	Err    error  // what SQLite said, if it failed
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("database %s is damaged: %s; restore a backup of it, "+
		"or move it and %s away to begin anew", e.Path, e.Detail, filepath.Base(e.Path)+markerSuffix)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// VanishedError refuses to begin anew where a database is known to have been: its file is missing
// or empty, while the marker beside it says that there was one. Nothing was changed.
type VanishedError struct {
	Path   string
	Marker string // the file that remembers; removing it allows a new database
	Detail string // what is there instead
}

func (e *VanishedError) Error() string {
	return fmt.Sprintf("database %s has vanished: %s, but %s says that there was a database; "+
		"restore a backup to %s, or remove %s to begin anew",
		e.Path, e.Detail, e.Marker, e.Path, e.Marker)
}

// UnwritableError says that the place of the database can't be written now. It may pass: see
// OpenLater.
type UnwritableError struct {
	Path string
	Err  error
}

func (e *UnwritableError) Error() string {
	return fmt.Sprintf("database %s can't be written: %v", e.Path, e.Err)
}

func (e *UnwritableError) Unwrap() error { return e.Err }

// InUseError refuses a database that another process (or another DB of this one) has open.
type InUseError struct {
	Path string
	Lock string // the locked file
	PID  int    // of the process that holds it, 0 if unknown
}

func (e *InUseError) Error() string {
	holder := "another process"
	if e.PID != 0 {
		holder = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("database %s is in use by %s, which holds the lock on %s: "+
		"stop it, or choose another data directory", e.Path, holder, e.Lock)
}

// typed makes a typed error of what SQLite said about the file at path: damaged, or not writable.
// It is nil for anything else.
func typed(path string, err error) error {
	said, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return nil
	}
	switch primary := said.Code() & 0xff; primary {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return &DamagedError{Path: path, Detail: said.Error(), Err: err}
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL,
		sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR:
		return &UnwritableError{Path: path, Err: err}
	}
	return nil
}

// place is err, typed if it can be.
func place(path string, err error) error {
	if known := typed(path, err); known != nil {
		return known
	}
	return err
}
