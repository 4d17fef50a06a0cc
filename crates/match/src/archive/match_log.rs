//! Writing a match to an archive while it is played: [`ArchiveMatchLog`].

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::error::ArchiveError;
use super::tournaments::TournamentId;
use super::{Archive, now_ms, signed, unsigned};
use crate::match_log::{MatchLog, MatchLogError};
use crate::record::{MatchRecord, MatchStep, Outcome, PlayerError};
use crate::tournament::fingerprint;

/// Writes a match to an archive. Each call returns after its transaction is on the disk.
#[derive(Debug)]
pub struct ArchiveMatchLog {
    archive: Archive,
    sheet: Arc<str>,
    /// The tournament of the match, and the names of its players there.
    tournament: Option<(TournamentId, Vec<String>)>,
    /// The match id, once the match has begun.
    id: Option<Arc<str>>,
}

impl ArchiveMatchLog {
    pub(super) fn new(archive: Archive, sheet: &str) -> Self {
        Self {
            archive,
            sheet: sheet.into(),
            tournament: None,
            id: None,
        }
    }

    /// Assigns the match to a tournament in which the players of its roles have these names.
    #[must_use]
    pub fn for_tournament(mut self, tournament: TournamentId, names: Vec<String>) -> Self {
        self.tournament = Some((tournament, names));
        self
    }

    /// Continues a match that is in the archive already.
    #[must_use]
    pub fn resumed(mut self, id: &str) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Deletes all steps from the given number on. A finished match cannot be changed.
    pub fn truncate(&self, steps: u32) -> Result<(), MatchLogError> {
        let id = self.id()?;
        self.write(move |connection, path| delete_steps(connection, path, &id, steps))
    }

    fn id(&self) -> Result<Arc<str>, MatchLogError> {
        let id = self.id.clone();
        id.ok_or_else(|| MatchLogError::new("it was not begun"))
    }

    fn write(
        &self,
        job: impl FnOnce(&Connection, &Path) -> Result<(), ArchiveError> + Send + 'static,
    ) -> Result<(), MatchLogError> {
        let path = self.archive.path().to_owned();
        let written = self.archive.writer().write(move |c| job(c, &path));
        written.map_err(MatchLogError::new)
    }
}

impl MatchLog for ArchiveMatchLog {
    fn begin(&mut self, record: &MatchRecord) -> Result<(), MatchLogError> {
        let (sheet, tournament) = (self.sheet.clone(), self.tournament.clone());
        let begun = record.clone();
        self.write(move |connection, path| {
            insert_match(connection, path, &begun, &sheet, tournament.as_ref())
        })?;
        self.id = Some(record.id.as_str().into());
        Ok(())
    }

    fn step(&mut self, step: &MatchStep) -> Result<(), MatchLogError> {
        let (id, step) = (self.id()?, step.clone());
        self.write(move |connection, path| insert_step(connection, path, &id, &step))
    }

    fn end(&mut self, outcome: &Outcome) -> Result<(), MatchLogError> {
        let (id, outcome) = (self.id()?, outcome.clone());
        self.write(move |connection, path| close(connection, path, &id, &outcome))
    }
}

fn insert_match(
    connection: &Connection,
    path: &Path,
    record: &MatchRecord,
    sheet: &str,
    tournament: Option<&(TournamentId, Vec<String>)>,
) -> Result<(), ArchiveError> {
    let failed = |error| ArchiveError::database(path, error);
    let known = connection
        .prepare_cached("SELECT 1 FROM matches WHERE id = ?")
        .and_then(|mut statement| statement.exists([&record.id]))
        .map_err(failed)?;
    if known {
        let problem = "the archive has a match of this name already";
        return Err(ArchiveError::of_match(&record.id, problem));
    }
    let sheet_key = keep_sheet(connection, path, sheet)?;
    let insert = || -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(
            "INSERT INTO matches (id, game, sheet, start_clock_ms, play_clock_ms, seed, began_at_ms,
                initial, tournament)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        let key = statement.insert(params![
            record.id,
            record.game,
            sheet_key,
            signed(record.start_clock_ms),
            signed(record.play_clock_ms),
            signed(record.seed),
            signed(record.began_at_ms),
            json(&record.initial),
            tournament.map(|(tournament, _)| tournament.key()),
        ])?;
        let mut statement = connection.prepare_cached(
            "INSERT INTO seats (match, role, role_name, player, name) VALUES (?, ?, ?, ?, ?)",
        )?;
        for (role, (name, player)) in record.roles.iter().zip(&record.players).enumerate() {
            let called = tournament.and_then(|(_, names)| names.get(role));
            let called = called.unwrap_or(player);
            statement.execute(params![key, role as u32, name, player, called])?;
        }
        insert_errors(connection, key, None, &record.start_errors)
    };
    insert().map_err(failed)?;
    // A match begins without steps, but a record that has some is stored whole.
    for step in &record.steps {
        insert_step(connection, path, &record.id, step)?;
    }
    Ok(())
}

/// Stores a rule sheet once for all its matches and returns its key.
fn keep_sheet(connection: &Connection, path: &Path, sheet: &str) -> Result<i64, ArchiveError> {
    let failed = |error| ArchiveError::database(path, error);
    let mut key = fingerprint(sheet.as_bytes());
    loop {
        let kept: Option<String> = connection
            .prepare_cached("SELECT text FROM sheets WHERE fingerprint = ?")
            .and_then(|mut s| s.query_row([signed(key)], |row| row.get(0)).optional())
            .map_err(failed)?;
        match kept {
            Some(kept) if kept == sheet => return Ok(signed(key)),
            // A hash collision: try the next key, which is free or belongs to this sheet.
            Some(_) => key = key.wrapping_add(1),
            None => break,
        }
    }
    connection
        .execute(
            "INSERT INTO sheets VALUES (?, ?)",
            params![signed(key), sheet],
        )
        .map_err(failed)?;
    Ok(signed(key))
}

fn insert_step(
    connection: &Connection,
    path: &Path,
    id: &str,
    step: &MatchStep,
) -> Result<(), ArchiveError> {
    let failed = |error| ArchiveError::database(path, error);
    let (key, ended) = find(connection, path, id)?;
    if ended {
        return Err(ArchiveError::of_match(
            id,
            "it is over, and nothing can follow",
        ));
    }
    let steps: i64 = connection
        .prepare_cached("SELECT count(*) FROM steps WHERE match = ?")
        .and_then(|mut statement| statement.query_row([key], |row| row.get(0)))
        .map_err(failed)?;
    if steps != i64::from(step.number) {
        let problem = format!(
            "step {} cannot follow after {} steps",
            step.number,
            unsigned(steps)
        );
        return Err(ArchiveError::of_match(id, problem));
    }
    let insert = || -> rusqlite::Result<()> {
        connection
            .prepare_cached("INSERT INTO steps (match, number, state, at_ms) VALUES (?, ?, ?, ?)")?
            .execute(params![
                key,
                step.number,
                json(&step.state),
                signed(step.at_ms)
            ])?;
        let mut statement = connection.prepare_cached(
            "INSERT INTO moves (match, step, role, move, took_ms) VALUES (?, ?, ?, ?, ?)",
        )?;
        for (role, text) in step.moves.iter().enumerate() {
            let took = step.took_ms.get(role).copied().map(signed);
            statement.execute(params![key, step.number, role as u32, text, took])?;
        }
        insert_errors(connection, key, Some(step.number), &step.player_errors)
    };
    insert().map_err(failed)
}

fn delete_steps(
    connection: &Connection,
    path: &Path,
    id: &str,
    steps: u32,
) -> Result<(), ArchiveError> {
    let (key, ended) = find(connection, path, id)?;
    if ended {
        let problem = "it is over, and nothing can be taken back";
        return Err(ArchiveError::of_match(id, problem));
    }
    let delete = || -> rusqlite::Result<()> {
        for query in [
            "DELETE FROM errors WHERE match = ? AND step >= ?",
            "DELETE FROM moves WHERE match = ? AND step >= ?",
            "DELETE FROM steps WHERE match = ? AND number >= ?",
        ] {
            connection.execute(query, params![key, steps])?;
        }
        Ok(())
    };
    delete().map_err(|error| ArchiveError::database(path, error))
}

fn insert_errors(
    connection: &Connection,
    key: i64,
    step: Option<u32>,
    player_errors: &[PlayerError],
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO errors (match, step, role, kind, detail) VALUES (?, ?, ?, ?, ?)",
    )?;
    for player_error in player_errors {
        let role = player_error.role as u32;
        statement.execute(params![
            key,
            step,
            role,
            player_error.kind.name(),
            player_error.detail
        ])?;
    }
    Ok(())
}

fn close(
    connection: &Connection,
    path: &Path,
    id: &str,
    outcome: &Outcome,
) -> Result<(), ArchiveError> {
    let failed = |error| ArchiveError::database(path, error);
    let (key, ended) = find(connection, path, id)?;
    if ended {
        return Err(ArchiveError::of_match(
            id,
            "it is over and cannot end again",
        ));
    }
    let update = || -> rusqlite::Result<()> {
        connection
            .prepare_cached(
                "UPDATE matches SET ended_at_ms = ?, completed = ?, reason = ? WHERE key = ?",
            )?
            .execute(params![now_ms(), outcome.completed, outcome.reason, key])?;
        let mut statement = connection.prepare_cached(
            "UPDATE seats SET goal = ?, forfeited = ? WHERE match = ? AND role = ?",
        )?;
        for (role, goal) in outcome.goals.iter().enumerate() {
            let forfeited = outcome.forfeited.contains(&role);
            statement.execute(params![goal, forfeited, key, role as u32])?;
        }
        Ok(())
    };
    update().map_err(failed)
}

/// The key of a match, and whether it is over.
fn find(connection: &Connection, path: &Path, id: &str) -> Result<(i64, bool), ArchiveError> {
    let found = connection
        .prepare_cached("SELECT key, completed IS NOT NULL FROM matches WHERE id = ?")
        .and_then(|mut statement| {
            let row = statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)));
            row.optional()
        })
        .map_err(|error| ArchiveError::database(path, error))?;
    found.ok_or_else(|| ArchiveError::of_match(id, "the archive does not have it"))
}

/// A list of strings in one column.
fn json(texts: &[String]) -> String {
    // A list of strings can always be serialised.
    serde_json::to_string(texts).unwrap_or_default()
}
