package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// statements are all that the writer ever runs inside a transaction. They are prepared at the start,
// which also shows whether the tables are what they should be.
var statements = []string{
	saveBreaker, deleteBreaker, deleteBreakers, rememberBreaker, rememberBreakers,
	appendTransition, trimTransitions, forgetTransitions, rememberTransitions,
	putDocument, deleteDocument,
	appendRequest, requestsSize, resizeRequests, oldRequests, removeOldRequests, firstRequests, removeFirstRequests,
}

func prepare(ctx context.Context, writer *sqlx.DB) (map[string]*sqlx.Stmt, error) {
	prepared := make(map[string]*sqlx.Stmt, len(statements))
	for _, statement := range statements {
		p, err := writer.PreparexContext(ctx, statement)
		if err != nil {
			return nil, fmt.Errorf("prepare %q: %w", statement, err)
		}
		prepared[statement] = p
	}
	return prepared, nil
}

// transaction is one of the writer's.
type transaction struct {
	tx       *sqlx.Tx
	prepared map[string]*sqlx.Stmt
	bound    map[string]*sqlx.Stmt // to tx, by statement
}

// exec runs one of statements. The context is looked at before and not during the statement, which
// would cost the driver a goroutine: the transaction has its lock, so no statement waits.
func (t *transaction) exec(ctx context.Context, statement string, values ...any) error {
	stmt, err := t.bind(ctx, statement)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(context.WithoutCancel(ctx), values...)
	return err
}

// change is exec that tells how many rows there were to change.
func (t *transaction) change(ctx context.Context, statement string, values ...any) (int64, error) {
	stmt, err := t.bind(ctx, statement)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(context.WithoutCancel(ctx), values...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// rows is exec for a statement that answers: it fills the slice behind into.
func (t *transaction) rows(ctx context.Context, into any, statement string, values ...any) error {
	stmt, err := t.bind(ctx, statement)
	if err != nil {
		return err
	}
	return stmt.SelectContext(context.WithoutCancel(ctx), into, values...)
}

// bind gives the prepared statement as the transaction's own, unless ctx has ended.
func (t *transaction) bind(ctx context.Context, statement string) (*sqlx.Stmt, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	stmt, ok := t.bound[statement]
	if !ok {
		stmt = t.tx.StmtxContext(ctx, t.prepared[statement])
		t.bound[statement] = stmt
	}
	return stmt, nil
}

// write runs fn in a transaction. The setting that decides what a commit waits for can't change
// inside a transaction and belongs to the connection, so the connection is taken out of its pool
// around both.
func (h *handle) write(ctx context.Context, durable bool, fn func(*transaction) error) (err error) {
	conn, err := h.writer.Connx(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if durable {
		if _, err := conn.ExecContext(ctx, "PRAGMA synchronous = FULL"); err != nil {
			return err
		}
		// A connection on which this fails stays on the safe side.
		defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA synchronous = NORMAL") }()
	}
	tx, err := conn.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(&transaction{tx: tx, prepared: h.prepared, bound: map[string]*sqlx.Stmt{}}); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
