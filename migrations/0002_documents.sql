-- +goose Up

-- Configuration that was made over HTTP: providers, combos, client keys, settings. What a body
-- means belongs to the collection's owner; SQL only keeps it.
CREATE TABLE documents (
    collection TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    body       BLOB    NOT NULL,
    updated_at INTEGER NOT NULL, -- Unix ms
    PRIMARY KEY (collection, id)
) STRICT, WITHOUT ROWID;
