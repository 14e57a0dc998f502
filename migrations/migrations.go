// Package migrations holds the steps that lead from an empty database to the schema of this
// version, one SQL file each, in goose's form.
//
// A file is never changed once it was released: a later change of the schema is another file with
// the next number. Its number is the schema version that the database has afterwards, and is kept
// in the database's header (PRAGMA user_version), not in a table. There is no way down: an older
// ohmroute refuses a newer database (spec: breaker.md 7.7), and the way back is a backup.
package migrations

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Files are the migrations, named <version>_<what>.sql.
//
//go:embed *.sql
var Files embed.FS

// Newest is the schema version that Files lead to.
func Newest() (int64, error) {
	names, err := fs.Glob(Files, "*.sql")
	if err != nil {
		return 0, err
	}
	var newest int64
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("migration %s: its name must begin with its version: %w", name, err)
		}
		newest = max(newest, version)
	}
	return newest, nil
}
