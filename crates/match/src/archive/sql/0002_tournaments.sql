-- Tournaments, which matches belong to them, and ratings.

CREATE TABLE tournaments (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    seed INTEGER NOT NULL,
    -- What decides about results; a tournament goes on only with the same plan.
    plan TEXT NOT NULL,
    began_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER,
    UNIQUE (name, seed)
) STRICT;

ALTER TABLE matches ADD COLUMN tournament INTEGER REFERENCES tournaments (key);

CREATE INDEX matches_by_tournament ON matches (tournament);

CREATE TABLE ratings (
    tournament INTEGER NOT NULL REFERENCES tournaments (key),
    -- The number of the game in the plan; -1 for all games together.
    game INTEGER NOT NULL,
    game_name TEXT,
    player TEXT NOT NULL,
    elo REAL NOT NULL,
    low REAL NOT NULL,
    high REAL NOT NULL,
    comparisons INTEGER NOT NULL,
    points REAL NOT NULL,
    PRIMARY KEY (tournament, game, player)
) STRICT, WITHOUT ROWID;
