package db

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/jmoiron/sqlx"

	"github.com/ohmroute/ohmroute/migrations"
)

// handle is an open database: the lock, the one connection that writes and the few that read.
type handle struct {
	at     location
	lock   *lock
	writer *sqlx.DB // one connection
	reader *sqlx.DB

	prepared map[string]*sqlx.Stmt // of the writer
}

// openHandle locks, examines, makes or migrates, and opens a database.
func openHandle(ctx context.Context, o Options) (_ *handle, err error) {
	at, err := locate(o.Path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(at.path), 0o700); err != nil {
		return nil, &UnwritableError{Path: at.path, Err: err}
	}
	held, err := acquire(at)
	if _, used := errors.AsType[*InUseError](err); used {
		return nil, err
	}
	if err != nil {
		if _, refused := examine(ctx, at); refused != nil {
			return nil, refused
		}
		return nil, &UnwritableError{Path: at.path, Err: err}
	}
	h := &handle{at: at, lock: held}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
		}
	}()
	if err := h.prepareFile(ctx, o.Logger); err != nil {
		return nil, err
	}
	return h, nil
}

// prepareFile leaves h open on a database of the newest schema.
func (h *handle) prepareFile(ctx context.Context, logger *slog.Logger) error {
	f, err := examine(ctx, h.at)
	if err != nil {
		return err
	}
	if !f.exists {
		if err := create(ctx, h.at); err != nil {
			return h.unwritable(err)
		}
		logger.LogAttrs(ctx, slog.LevelInfo, "made a new database", slog.String("path", h.at.path))
	}
	if err := h.connect(ctx); err != nil {
		return h.unwritable(err)
	}
	known, err := newest()
	if err != nil {
		return err
	}
	if f.exists && f.version < known {
		if err := migrate(ctx, h.writer.DB, migrations.Files); err != nil {
			return place(h.at.path, err)
		}
		logger.LogAttrs(ctx, slog.LevelInfo, "brought the database's schema up to date",
			slog.String("path", h.at.path), slog.Int64("from", f.version), slog.Int64("to", known))
	}
	if h.prepared, err = prepare(ctx, h.writer); err != nil {
		return unreadable(h.at.path, err)
	}
	if err := mark(h.at); err != nil {
		return h.unwritable(err)
	}
	return nil
}

// connect opens the pools, after asking for the right to write: SQLite would fall back to reading.
func (h *handle) connect(ctx context.Context) error {
	file, err := os.OpenFile(h.at.file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if h.writer, err = pool(h.at.file, writing, 1); err != nil {
		return err
	}
	if h.reader, err = pool(h.at.file, reading, maxReaders); err != nil {
		return err
	}
	return h.writer.PingContext(ctx)
}

// unwritable types the failure to make or to open a database that may be opened.
func (h *handle) unwritable(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if known := typed(h.at.path, err); known != nil {
		return known
	}
	if _, system := errors.AsType[*os.PathError](err); system {
		return &UnwritableError{Path: h.at.path, Err: err}
	}
	if _, system := errors.AsType[*os.LinkError](err); system {
		return &UnwritableError{Path: h.at.path, Err: err}
	}
	return err
}

// close closes whatever is open. The writer goes last: the last connection removes the log that was
// moved into the file. Somebody who looks at the database with another program keeps the log from
// being removed, but not from being moved, unless he is in the middle of a transaction; that is not
// waited for.
func (h *handle) close() error {
	var failed error
	if h.reader != nil {
		failed = errors.Join(failed, h.reader.Close())
	}
	if h.writer != nil {
		_, err := h.writer.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
		failed = errors.Join(failed, err, h.writer.Close())
	}
	return errors.Join(failed, h.lock.release())
}
