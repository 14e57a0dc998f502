-- +goose Up

-- The log of finished requests. What a body means belongs to its owner; SQL only keeps it.
CREATE TABLE requests (
    seq     INTEGER NOT NULL PRIMARY KEY, -- the order in which they ended
    id      TEXT    NOT NULL UNIQUE,
    at      INTEGER NOT NULL,             -- when it began, Unix ms
    combo   TEXT    NOT NULL,             -- '' for none
    outcome TEXT    NOT NULL,
    status  INTEGER NOT NULL,             -- what the client was told
    body    BLOB    NOT NULL
) STRICT;

CREATE INDEX requests_by_age ON requests (at);
CREATE INDEX requests_by_combo ON requests (combo, seq, outcome);
CREATE INDEX requests_by_outcome ON requests (outcome, seq);

-- How many rows there are and how many bytes their bodies have, changed in the same transactions, so
-- that nobody has to read the whole table.
CREATE TABLE requests_size (
    id     INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    number INTEGER NOT NULL,
    bytes  INTEGER NOT NULL
) STRICT;

INSERT INTO requests_size (id, number, bytes) VALUES (1, 0, 0);
