package db

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The marker is a small file beside the database that says that there is one. SQLite opens a
// missing or an empty file as a valid empty database; the marker is what tells a new installation
// from one that lost its file.
const markerSuffix = ".marker"

func (at location) marker() string { return at.path + markerSuffix }

func marked(at location) (bool, error) {
	_, err := os.Stat(at.marker())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// mark writes the marker, if it isn't there, so that it survives a loss of power.
func mark(at location) error {
	found, err := marked(at)
	if err != nil || found {
		return err
	}
	name := filepath.Base(at.path)
	text := fmt.Sprintf("There is a database of ohmroute beside this file, %[1]s.\n"+
		"While this file exists, ohmroute does not begin with an empty database if %[1]s is missing.\n"+
		"To begin anew on purpose, remove both.\n", name)
	file, err := os.OpenFile(at.marker(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return syncDir(filepath.Dir(at.path))
}
