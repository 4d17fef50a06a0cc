-- Matches and everything that happened in them. Times are milliseconds, points in time count from 1970.

CREATE TABLE sheets (
    fingerprint INTEGER PRIMARY KEY,
    text TEXT NOT NULL
) STRICT;

CREATE TABLE matches (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    game TEXT NOT NULL,
    sheet INTEGER NOT NULL REFERENCES sheets (fingerprint),
    start_clock_ms INTEGER NOT NULL,
    play_clock_ms INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    began_at_ms INTEGER NOT NULL,
    initial TEXT NOT NULL,
    -- What follows is null until the match is over.
    ended_at_ms INTEGER,
    completed INTEGER CHECK (completed IN (0, 1)),
    reason TEXT,
    CHECK ((ended_at_ms IS NULL) = (completed IS NULL))
) STRICT;

CREATE INDEX matches_by_time ON matches (began_at_ms);

CREATE TABLE seats (
    match INTEGER NOT NULL REFERENCES matches (key),
    role INTEGER NOT NULL,
    role_name TEXT NOT NULL,
    -- Who it is, as the record has it, and what it is called in its tournament.
    player TEXT NOT NULL,
    name TEXT NOT NULL,
    goal INTEGER,
    forfeited INTEGER NOT NULL DEFAULT 0 CHECK (forfeited IN (0, 1)),
    PRIMARY KEY (match, role)
) STRICT, WITHOUT ROWID;

CREATE INDEX seats_by_name ON seats (name);

CREATE TABLE steps (
    match INTEGER NOT NULL REFERENCES matches (key),
    number INTEGER NOT NULL,
    state TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (match, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE moves (
    match INTEGER NOT NULL,
    step INTEGER NOT NULL,
    role INTEGER NOT NULL,
    move TEXT NOT NULL,
    took_ms INTEGER,
    PRIMARY KEY (match, step, role),
    FOREIGN KEY (match, step) REFERENCES steps (match, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE errors (
    key INTEGER PRIMARY KEY,
    match INTEGER NOT NULL REFERENCES matches (key),
    -- Null for errors before the first step.
    step INTEGER,
    role INTEGER NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;

CREATE INDEX errors_by_match ON errors (match, step);
