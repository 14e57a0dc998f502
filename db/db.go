package db

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/jmoiron/sqlx"
)

// Options say where the database is.
type Options struct {
	Path   string       // of the file; its directory is made if it is missing
	Logger *slog.Logger // nil: no lines
}

// DB is one SQLite database, safe for concurrent use. Writes go one after the other through one
// connection, reads beside them see the last commit. No other process (and no other DB) can open it
// meanwhile.
type DB struct {
	options Options

	using   sync.RWMutex // read by every operation, taken by Close
	opening sync.Mutex   // one attempt to open at a time
	opened  atomic.Pointer[handle]
	closed  bool // guarded by using
}

// Open opens the database, makes it if it is a new installation, and brings an older schema up to
// date. It refuses with *NewerSchemaError, *ForeignFileError, *DamagedError, *VanishedError or
// *InUseError, and then has changed nothing (spec: breaker.md 7.7). *UnwritableError: the place
// can't be written now, and OpenLater serves meanwhile.
func Open(ctx context.Context, o Options) (*DB, error) {
	d := OpenLater(o)
	if _, err := d.handle(ctx); err != nil {
		return nil, err
	}
	return d, nil
}

// OpenLater gives a DB whose operations each try to open the database first, and fail with the
// error of that (*UnwritableError while the place can't be written) until one succeeds. Documents are
// also read from a database that can be read but not written; breakers are not, so that their
// registry knows that it is degraded, and loads them when it can save them.
func OpenLater(o Options) *DB {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &DB{options: o}
}

// Close waits for the operations under way, moves the write-ahead log into the file and closes it:
// the file alone is then the whole database. Later operations answer ErrClosed.
func (d *DB) Close() error {
	d.using.Lock()
	defer d.using.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	if h := d.opened.Load(); h != nil {
		return h.close()
	}
	return nil
}

// handle gives the open database, opening it if need be.
func (d *DB) handle(ctx context.Context) (*handle, error) {
	if h := d.opened.Load(); h != nil {
		return h, nil
	}
	d.opening.Lock()
	defer d.opening.Unlock()
	if h := d.opened.Load(); h != nil {
		return h, nil
	}
	h, err := openHandle(ctx, d.options)
	if err != nil {
		return nil, err
	}
	d.opened.Store(h)
	return h, nil
}

// use runs fn on the open database, which is not closed meanwhile, and types its error.
func (d *DB) use(ctx context.Context, fn func(*handle) error) error {
	d.using.RLock()
	defer d.using.RUnlock()
	if d.closed {
		return ErrClosed
	}
	h, err := d.handle(ctx)
	if err != nil {
		return err
	}
	return place(h.at.path, fn(h))
}

// read runs a query on a connection that only reads, in a database that can also be written.
func (d *DB) read(ctx context.Context, query func(*sqlx.DB) error) error {
	return d.use(ctx, func(h *handle) error { return query(h.reader) })
}

// readStill is read that is content with a database that can't be written, if it lies there whole
// and in this program's schema.
func (d *DB) readStill(ctx context.Context, query func(*sqlx.DB) error) error {
	reason := d.read(ctx, query)
	if _, unwritable := errors.AsType[*UnwritableError](reason); !unwritable {
		return reason
	}
	d.opening.Lock()
	defer d.opening.Unlock()
	if d.opened.Load() != nil {
		return reason
	}
	at, err := locate(d.options.Path)
	if err != nil {
		return reason
	}
	known, err := newest()
	if err != nil {
		return err
	}
	if f, err := examine(ctx, at); err != nil || !f.exists || f.version != known {
		return reason
	}
	look, err := openStill(at)
	if err != nil {
		return reason
	}
	return errors.Join(place(at.path, query(look)), look.Close())
}

// write runs fn in one transaction of the writer. durable: the commit is on the disk when write
// returns, so that it survives a loss of power; else it survives the end of the process only.
func (d *DB) write(ctx context.Context, durable bool, fn func(*transaction) error) error {
	return d.use(ctx, func(h *handle) error { return h.write(ctx, durable, fn) })
}
