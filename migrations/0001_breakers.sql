-- +goose Up

-- "OHMR": the file is a database of ohmroute.
PRAGMA application_id = 0x4f484d52;

-- What each breaker has learned. Times are Unix ms and NULL where there is none.
CREATE TABLE breakers (
    name              TEXT    NOT NULL PRIMARY KEY, -- provider:<id>, key:<id>/<key>, target:<id>/<model>
    scope             TEXT    GENERATED ALWAYS AS (substr(name, 1, instr(name, ':') - 1)) VIRTUAL,
    state             TEXT    NOT NULL CHECK (state IN ('CLOSED', 'DEGRADED', 'OPEN', 'HALF_OPEN', 'ISOLATED')),
    reason            TEXT    NOT NULL,          -- of the last transition
    kind              TEXT    NOT NULL,          -- of the failure that opened it
    version           INTEGER NOT NULL,
    measure           TEXT    NOT NULL,          -- under which the counts were taken
    window_ns         INTEGER NOT NULL,
    failure_count     INTEGER NOT NULL,
    kind_counts       TEXT    NOT NULL,          -- {"<kind>": count}
    buckets           TEXT    NOT NULL,          -- [{"start": Unix ms, "total", "failed", "kinds": {"<kind>": count}}]
    last_failure_kind TEXT    NOT NULL,
    last_failure_at   INTEGER,
    opened_at         INTEGER,
    retry_at          INTEGER,                   -- the deadline of OPEN
    open_cycle        INTEGER NOT NULL,          -- failed recoveries since it last closed
    probe_successes   INTEGER NOT NULL,
    cooldown_until    INTEGER,
    cooldown_hinted   INTEGER NOT NULL CHECK (cooldown_hinted IN (0, 1)), -- a Retry-After set it
    isolated_at       INTEGER,
    isolated_by       TEXT,
    isolated_reason   TEXT,
    fingerprint       TEXT    NOT NULL,          -- of the key's secret under which this was learned
    updated_at        INTEGER
) STRICT, WITHOUT ROWID;

-- The last transitions of each breaker; seq is the breaker's version after it.
CREATE TABLE breaker_transitions (
    name       TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    at         INTEGER,
    from_state TEXT    NOT NULL CHECK (from_state IN ('CLOSED', 'DEGRADED', 'OPEN', 'HALF_OPEN', 'ISOLATED')),
    to_state   TEXT    NOT NULL CHECK (to_state IN ('CLOSED', 'DEGRADED', 'OPEN', 'HALF_OPEN', 'ISOLATED')),
    reason     TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    measure    REAL    NOT NULL,                 -- failures, or a share
    wait_ms    INTEGER NOT NULL,                 -- from at to the deadline, rounded up
    enforce    INTEGER NOT NULL CHECK (enforce IN (0, 1)),
    PRIMARY KEY (name, seq)
) STRICT, WITHOUT ROWID;

-- The highest version among rows that were deleted: versions are never given twice.
CREATE TABLE breaker_versions (
    id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    deleted INTEGER NOT NULL
) STRICT;

INSERT INTO breaker_versions (id, deleted) VALUES (1, 0);
