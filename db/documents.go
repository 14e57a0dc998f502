package db

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
)

// Documents are plain bodies by collection and id: the stored configuration. Their content belongs
// to whoever stores them.
const (
	loadDocuments = "SELECT id, body FROM documents WHERE collection = ?"
	putDocument   = `INSERT INTO documents (collection, id, body, updated_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (collection, id) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at`
	deleteDocument = "DELETE FROM documents WHERE collection = ? AND id = ?"
)

// Documents gives every document of a collection by id. An unknown collection is an empty one.
func (d *DB) Documents(ctx context.Context, collection string) (map[string][]byte, error) {
	var rows []struct {
		ID   string `db:"id"`
		Body []byte `db:"body"`
	}
	err := d.readStill(ctx, func(reader *sqlx.DB) error {
		return reader.SelectContext(ctx, &rows, loadDocuments, collection)
	})
	if err != nil {
		return nil, fmt.Errorf("read documents %s: %w", collection, err)
	}
	bodies := make(map[string][]byte, len(rows))
	for _, row := range rows {
		bodies[row.ID] = row.Body
	}
	return bodies, nil
}

// PutDocument stores a document in place of the one with its id. When it returns nil, the document
// survives a loss of power.
func (d *DB) PutDocument(ctx context.Context, collection, id string, body []byte) error {
	if body == nil {
		body = []byte{}
	}
	err := d.write(ctx, true, func(tx *transaction) error {
		return tx.exec(ctx, putDocument, collection, id, body, time.Now().UnixMilli())
	})
	if err != nil {
		return fmt.Errorf("store document %s/%s: %w", collection, id, err)
	}
	return nil
}

// DeleteDocument removes a document. One that isn't there is no error.
func (d *DB) DeleteDocument(ctx context.Context, collection, id string) error {
	err := d.write(ctx, true, func(tx *transaction) error {
		return tx.exec(ctx, deleteDocument, collection, id)
	})
	if err != nil {
		return fmt.Errorf("delete document %s/%s: %w", collection, id, err)
	}
	return nil
}
