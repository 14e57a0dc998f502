package db

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// driver is the name under which modernc.org/sqlite is registered.
const driver = "sqlite"

// The settings of the connections. They belong into the DSN: a PRAGMA sent through a pool reaches
// one of its connections. mode=rw never creates a file.
var (
	writing = []string{
		"mode=rw", "_txlock=immediate",
		"_pragma=busy_timeout(5000)", "_pragma=journal_mode(WAL)", "_pragma=synchronous(NORMAL)",
		"_pragma=foreign_keys(ON)", "_pragma=journal_size_limit(8388608)",
	}
	reading = []string{
		"mode=rw", "_query_only=1", "_pragma=busy_timeout(5000)", "_pragma=foreign_keys(ON)",
	}
	// still looks at a file that nobody is writing, without a lock and without a trace.
	still = []string{"mode=ro", "immutable=1"}
	// stillWithLog does so where a write-ahead log has to be looked at too. With exclusive locking set
	// before the first access SQLite keeps the log's index in memory instead of a -shm file.
	stillWithLog = []string{"mode=ro", "vfs=" + lockless, "_pragma=locking_mode(EXCLUSIVE)"}
)

// maxReaders bounds the connections that read beside the writer.
const maxReaders = 2

// dsn names the file at an absolute path with the given settings, for connections that accept no
// quotation mark for a string's and none of the statements that damage a file.
func dsn(path string, settings []string) string {
	location := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	all := append([]string{"_defensive=1", "_dqs=0", "_error_rc=1"}, settings...)
	return location.String() + "?" + strings.Join(all, "&")
}

// pool opens at most connections connections, when they are needed, and keeps them.
func pool(path string, settings []string, connections int) (*sqlx.DB, error) {
	p, err := sqlx.Open(driver, dsn(path, settings))
	if err != nil {
		return nil, err
	}
	p.SetMaxOpenConns(connections)
	p.SetMaxIdleConns(connections)
	return p, nil
}
