package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"github.com/ohmroute/ohmroute/migrations"
)

// migrate brings the database behind conn, which has at most the version of the newest of files,
// up to that version. Each migration is one transaction that moves the version too.
func migrate(ctx context.Context, conn *sql.DB, files fs.FS) error {
	provider, err := goose.NewProvider(database.DialectCustom, conn, files,
		goose.WithStore(headerVersion{}), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// newest is the schema version that this program writes and the highest that it reads.
func newest() (int64, error) { return migrations.Newest() }

// headerVersion keeps goose's record in the header of the database file (PRAGMA user_version),
// where it can be read without a query plan, moves with the migration's transaction, and where
// every SQLite tool shows it. It therefore knows one number: every migration up to it was applied.
type headerVersion struct{}

var _ database.Store = headerVersion{}

// Tablename is asked for by goose, which refuses an empty one.
func (headerVersion) Tablename() string { return "user_version" }

// TableExists keeps goose from making a table.
func (headerVersion) TableExists(context.Context, database.DBTxConn) (bool, error) { return true, nil }

// CreateVersionTable is not called, because the header is always there.
func (headerVersion) CreateVersionTable(context.Context, database.DBTxConn) error { return nil }

// Insert records that the migration was applied.
func (headerVersion) Insert(ctx context.Context, conn database.DBTxConn, r database.InsertRequest) error {
	_, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", r.Version))
	return err
}

// Delete refuses: there is no way down.
func (headerVersion) Delete(context.Context, database.DBTxConn, int64) error {
	return errors.ErrUnsupported
}

// GetLatestVersion reads the header.
func (headerVersion) GetLatestVersion(ctx context.Context, conn database.DBTxConn) (int64, error) {
	var version int64
	err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

// GetMigration says whether the header's version includes this one.
func (h headerVersion) GetMigration(ctx context.Context, conn database.DBTxConn, version int64) (*database.GetMigrationResult, error) {
	latest, err := h.GetLatestVersion(ctx, conn)
	if err != nil {
		return nil, err
	}
	if version > latest {
		return nil, database.ErrVersionNotFound
	}
	return &database.GetMigrationResult{IsApplied: true}, nil
}

// ListMigrations lists every version up to the header's, newest first.
func (h headerVersion) ListMigrations(ctx context.Context, conn database.DBTxConn) ([]*database.ListMigrationsResult, error) {
	latest, err := h.GetLatestVersion(ctx, conn)
	if err != nil {
		return nil, err
	}
	list := make([]*database.ListMigrationsResult, 0, latest+1)
	for version := latest; version >= 0; version-- {
		list = append(list, &database.ListMigrationsResult{Version: version, IsApplied: true})
	}
	return list, nil
}
