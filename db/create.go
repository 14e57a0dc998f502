package db

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ohmroute/ohmroute/migrations"
)

// create makes a new database, whole or not at all: it is built under another name and renamed when
// it is complete and on the disk, so that no kill leaves half a database to be examined.
func create(ctx context.Context, at location) error {
	draft := at.file + ".new"
	if err := remove(append(beside(draft), draft)...); err != nil {
		return err
	}
	if err := build(ctx, draft); err != nil {
		return errors.Join(err, remove(append(beside(draft), draft)...))
	}
	// A write-ahead log that lost its database would be replayed into the new one.
	if err := remove(beside(at.file)...); err != nil {
		return err
	}
	if err := os.Rename(draft, at.file); err != nil {
		return err
	}
	return syncDir(filepath.Dir(at.file))
}

// build fills a new file, closes and syncs it. It is readable by its owner only, and so are the
// files that SQLite makes beside it.
func build(ctx context.Context, draft string) error {
	file, err := os.OpenFile(draft, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	writer, err := pool(draft, writing, 1)
	if err != nil {
		return err
	}
	if err := errors.Join(migrate(ctx, writer.DB, migrations.Files), writer.Close()); err != nil {
		return err
	}
	if file, err = os.OpenFile(draft, os.O_RDWR, 0); err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// remove removes files that may be missing.
func remove(paths ...string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
