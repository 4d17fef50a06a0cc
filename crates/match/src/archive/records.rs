//! Reading whole matches from an archive.

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::error::ArchiveError;
use super::{Archive, unsigned};
use crate::record::{MatchRecord, MatchStep, Outcome, PlayerError, PlayerErrorKind};

impl Archive {
    /// The record of a match; none if there is no match of this id.
    pub fn record(&self, id: &str) -> Result<Option<MatchRecord>, ArchiveError> {
        let mut reader = self.reader();
        // One transaction, so that a running match is read consistently.
        let transaction = reader.transaction().map_err(self.failed())?;
        let found = begun(&transaction, id).map_err(self.failed())?;
        let Some((key, mut record, ended)) = found else {
            return Ok(None);
        };
        let damaged = |what: &str| {
            let detail = format!("match `{id}` has {what}");
            ArchiveError::damaged(self.path(), detail)
        };
        let texts = |json: &str| {
            let texts: Result<Vec<String>, _> = serde_json::from_str(json);
            texts.map_err(|_| damaged("a state that cannot be read"))
        };
        let (initial, completed) = ended;
        record.initial = texts(&initial)?;
        let roles = role_rows(&transaction, key).map_err(self.failed())?;
        record.steps = steps(&transaction, key)
            .map_err(self.failed())?
            .into_iter()
            .map(|(number, state, at_ms)| {
                Ok(MatchStep {
                    number,
                    moves: vec![String::new(); roles.len()],
                    state: texts(&state)?,
                    player_errors: Vec::new(),
                    took_ms: Vec::new(),
                    at_ms: unsigned(at_ms),
                })
            })
            .collect::<Result<_, ArchiveError>>()?;
        for (step, role, text, took) in moves(&transaction, key).map_err(self.failed())? {
            let step = record.steps.get_mut(step);
            let step = step.ok_or_else(|| damaged("a move without a step"))?;
            let place = step.moves.get_mut(role);
            *place.ok_or_else(|| damaged("a move without a role"))? = text;
            // Moves are sorted by role, and times exist for all of them or for none.
            step.took_ms.extend(took.map(unsigned));
        }
        for (step, player_error) in errors(&transaction, key).map_err(self.failed())? {
            let player_error =
                player_error.ok_or_else(|| damaged("an error of an unknown kind"))?;
            match step {
                None => record.start_errors.push(player_error),
                Some(step) => {
                    let step = record.steps.get_mut(step);
                    let step = step.ok_or_else(|| damaged("an error without a step"))?;
                    step.player_errors.push(player_error);
                }
            }
        }
        if let Some((completed, reason)) = completed {
            let mut outcome = Outcome {
                completed,
                goals: Vec::new(),
                forfeited: Vec::new(),
                reason,
            };
            for (role, row) in roles.iter().enumerate() {
                outcome.goals.push(row.goal);
                if row.forfeited {
                    outcome.forfeited.push(role);
                }
            }
            record.outcome = Some(outcome);
        }
        if roles.iter().any(|row| row.name != row.player) {
            record.names = roles.iter().map(|row| row.name.clone()).collect();
        }
        for row in roles {
            record.roles.push(row.role);
            record.players.push(row.player);
        }
        Ok(Some(record))
    }

    /// The rule sheet of a match.
    pub fn sheet(&self, id: &str) -> Result<Option<String>, ArchiveError> {
        let reader = self.reader();
        let query = "SELECT text FROM sheets JOIN matches ON sheet = fingerprint WHERE id = ?";
        let sheet = reader.query_row(query, [id], |row| row.get(0));
        sheet.optional().map_err(self.failed())
    }
}

/// The serialised initial state, and how the match ended if it did.
type Ends = (String, Option<(bool, Option<String>)>);

fn begun(connection: &Connection, id: &str) -> rusqlite::Result<Option<(i64, MatchRecord, Ends)>> {
    let read = |row: &Row<'_>| {
        let number = |place: usize| row.get(place).map(unsigned);
        let record = MatchRecord {
            id: row.get(1)?,
            game: row.get(2)?,
            roles: Vec::new(),
            players: Vec::new(),
            names: Vec::new(),
            start_clock_ms: number(3)?,
            play_clock_ms: number(4)?,
            seed: number(5)?,
            began_at_ms: number(6)?,
            initial: Vec::new(),
            start_errors: Vec::new(),
            steps: Vec::new(),
            outcome: None,
        };
        let completed: Option<bool> = row.get(8)?;
        let reason: Option<String> = row.get(9)?;
        let ended = completed.map(|completed| (completed, reason));
        Ok((row.get(0)?, record, (row.get(7)?, ended)))
    };
    let query = "SELECT key, id, game, start_clock_ms, play_clock_ms, seed, began_at_ms, initial,
            completed, reason
         FROM matches WHERE id = ?";
    connection
        .prepare_cached(query)?
        .query_row([id], read)
        .optional()
}

struct RoleRow {
    role: String,
    player: String,
    name: String,
    goal: Option<u8>,
    forfeited: bool,
}

fn role_rows(connection: &Connection, key: i64) -> rusqlite::Result<Vec<RoleRow>> {
    let query =
        "SELECT role_name, player, goal, forfeited, name FROM seats WHERE match = ? ORDER BY role";
    let read = |row: &Row<'_>| {
        Ok(RoleRow {
            role: row.get(0)?,
            player: row.get(1)?,
            goal: row.get(2)?,
            forfeited: row.get(3)?,
            name: row.get(4)?,
        })
    };
    connection
        .prepare_cached(query)?
        .query_map([key], read)?
        .collect()
}

fn steps(connection: &Connection, key: i64) -> rusqlite::Result<Vec<(u32, String, i64)>> {
    let query = "SELECT number, state, at_ms FROM steps WHERE match = ? ORDER BY number";
    connection
        .prepare_cached(query)?
        .query_map([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect()
}

/// Step, role, move and response time.
type MoveRow = (usize, usize, String, Option<i64>);

fn moves(connection: &Connection, key: i64) -> rusqlite::Result<Vec<MoveRow>> {
    let query = "SELECT step, role, move, took_ms FROM moves WHERE match = ? ORDER BY step, role";
    let read = |row: &Row<'_>| {
        let (step, role): (u32, u32) = (row.get(0)?, row.get(1)?);
        Ok((step as usize, role as usize, row.get(2)?, row.get(3)?))
    };
    connection
        .prepare_cached(query)?
        .query_map([key], read)?
        .collect()
}

/// Step and error; the error is none if its kind is unknown.
type ErrorRow = (Option<usize>, Option<PlayerError>);

fn errors(connection: &Connection, key: i64) -> rusqlite::Result<Vec<ErrorRow>> {
    let query = "SELECT step, role, kind, detail FROM errors WHERE match = ? ORDER BY key";
    let read = |row: &Row<'_>| {
        let step: Option<u32> = row.get(0)?;
        let role: u32 = row.get(1)?;
        let kind: String = row.get(2)?;
        let detail: String = row.get(3)?;
        let kind = PlayerErrorKind::from_name(&kind);
        let player_error = kind.map(|kind| PlayerError {
            role: role as usize,
            kind,
            detail,
        });
        Ok((step.map(|step| step as usize), player_error))
    };
    connection
        .prepare_cached(query)?
        .query_map([key], read)?
        .collect()
}
