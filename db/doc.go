// Package db keeps what must outlive the process in one SQLite database: the state of the breakers
// (it implements circuitbreaker.Store), the configuration that was made over HTTP, and the log of
// finished requests. It is the only package that speaks SQL.
//
// # Files
//
//	ohmroute.db         the database, application id "OHMR", schema version in user_version
//	ohmroute.db-wal     commits that are not yet in the database; part of it while it is there
//	ohmroute.db-shm     index of the -wal file; worthless, made anew
//	ohmroute.db.marker  says that there is a database, see VanishedError
//	ohmroute.db.lock    locked by the process that has the database open, removed when it closes it
//
// Open examines a file through a connection that takes no lock and leaves no trace. Only when the
// file is known to be ohmroute's, whole, and of no newer schema is it opened for writing.
//
// # What a commit promises
//
// The database is in WAL mode with synchronous=NORMAL: a commit survives the end of the process
// (kill -9) at once and a loss of power with the next checkpoint. What an operator did
// (circuitbreaker.Batch.Sync) and every document is committed with synchronous=FULL, so that it
// survives a loss of power when the call returns, and with it everything committed before.
//
// There is one writer connection, so writes never wait for each other inside SQLite, and few
// readers, which never wait for the writer.
//
// # Backup and restore
//
// After Close the file alone is the whole database, and a copy of it is a backup. While ohmroute
// runs, a copy made with cp may be torn; let SQLite make it:
//
//	sqlite3 ohmroute.db "VACUUM INTO 'backup.db'"
//
// To restore, stop ohmroute, remove ohmroute.db-wal and ohmroute.db-shm (they belong to the file
// that is replaced), put the backup in the place of ohmroute.db and start again. An older backup is
// brought up to date at the start. A database of a newer schema is refused: there is no way down but
// a backup from before the upgrade.
package db
