//! Listing the matches of an archive without their moves: [`MatchSummary`].

use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};
use serde::Serialize;

use super::error::ArchiveError;
use super::{Archive, unsigned};

/// A match without its moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchSummary {
    /// The match id.
    pub id: String,
    /// The game.
    pub game: String,
    /// The name of its tournament.
    pub tournament: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub began_at_ms: u64,
    /// When it ended.
    pub ended_at_ms: Option<u64>,
    /// The start clock in milliseconds.
    pub start_clock_ms: u64,
    /// The play clock in milliseconds.
    pub play_clock_ms: u64,
    /// Its status.
    pub state: MatchStatus,
    /// The number of steps so far.
    pub steps: u32,
    /// The number of errors of all players.
    pub errors: u32,
    /// Who plays each role.
    #[serde(rename = "seats")]
    pub roles: Vec<PlayedRole>,
}

/// The status of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatchStatus {
    /// It is not over.
    Unfinished,
    /// It reached a terminal state.
    Completed,
    /// It ended without a terminal state.
    Ended,
}

/// Who plays a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayedRole {
    /// The role.
    pub role: String,
    /// The name of the player.
    pub name: String,
    /// Its spec or address.
    pub player: String,
    /// The goal value.
    pub goal: Option<u8>,
    /// Whether it forfeited.
    pub forfeited: bool,
    /// The number of its errors.
    pub errors: u32,
}

/// Which matches to list; all conditions must hold.
#[derive(Clone, Debug, Default)]
pub struct MatchFilter {
    /// The name of the game.
    pub game: Option<String>,
    /// The name, spec or address of a player.
    pub player: Option<String>,
    /// The name of the tournament.
    pub tournament: Option<String>,
    /// Finished or unfinished matches.
    pub finished: Option<bool>,
    /// Matches with or without errors.
    pub errors: Option<bool>,
    /// The match id or its beginning.
    pub id: Option<String>,
    /// Matches that began before this one.
    pub before: Option<String>,
    /// Only the latest matches.
    pub limit: Option<u32>,
}

impl MatchFilter {
    /// The WHERE clause and its parameters.
    fn conditions(&self) -> (String, Vec<Value>) {
        let mut parts = Vec::new();
        let mut values = Vec::new();
        let mut add = |part: &str, value: &Option<String>| {
            if let Some(value) = value {
                parts.push(part.to_owned());
                values.push(Value::Text(value.clone()));
            }
        };
        add("m.game = ?", &self.game);
        add(
            "EXISTS (SELECT 1 FROM seats s WHERE s.match = m.key AND ? IN (s.name, s.player))",
            &self.player,
        );
        add("t.name = ?", &self.tournament);
        // Ids are compared bytewise: LIKE would treat some characters as wildcards.
        add("instr(m.id, ?) = 1", &self.id);
        add(
            "(m.began_at_ms, m.key) < (SELECT began_at_ms, key FROM matches WHERE id = ?)",
            &self.before,
        );
        match self.finished {
            Some(true) => parts.push("m.completed IS NOT NULL".to_owned()),
            Some(false) => parts.push("m.completed IS NULL".to_owned()),
            None => {}
        }
        let some = "EXISTS (SELECT 1 FROM errors e WHERE e.match = m.key)";
        match self.errors {
            Some(true) => parts.push(some.to_owned()),
            Some(false) => parts.push(format!("NOT {some}")),
            None => {}
        }
        let text = if parts.is_empty() {
            String::new()
        } else {
            format!("WHERE {}", parts.join(" AND "))
        };
        (text, values)
    }
}

impl Archive {
    /// The matching matches, in the order in which they began.
    pub fn matches(&self, filter: &MatchFilter) -> Result<Vec<MatchSummary>, ArchiveError> {
        let mut reader = self.reader();
        let transaction = reader.transaction().map_err(self.failed())?;
        let (conditions, mut values) = filter.conditions();
        let limit = filter.limit.map_or(-1, i64::from);
        values.push(Value::Integer(limit));
        let query = format!(
            "SELECT * FROM (
                SELECT m.key, m.id, m.game, t.name, m.began_at_ms, m.ended_at_ms, m.start_clock_ms,
                    m.play_clock_ms, m.completed,
                    (SELECT count(*) FROM steps WHERE match = m.key)
                FROM matches m LEFT JOIN tournaments t ON t.key = m.tournament {conditions}
                ORDER BY m.began_at_ms DESC, m.key DESC LIMIT ?
            ) ORDER BY 5, 1"
        );
        let list = || -> rusqlite::Result<Vec<MatchSummary>> {
            let mut statement = transaction.prepare_cached(&query)?;
            let rows = statement.query_map(params_from_iter(&values), summary)?;
            let mut select_roles = transaction.prepare_cached(
                "SELECT role_name, name, player, goal, forfeited,
                    (SELECT count(*) FROM errors e WHERE e.match = s.match AND e.role = s.role)
                 FROM seats s WHERE match = ? ORDER BY role",
            )?;
            let mut summaries = Vec::new();
            for row in rows {
                let (key, mut summary) = row?;
                let found: rusqlite::Result<Vec<PlayedRole>> =
                    select_roles.query_map([key], played_role)?.collect();
                summary.roles = found?;
                summary.errors = summary.roles.iter().map(|role| role.errors).sum();
                summaries.push(summary);
            }
            Ok(summaries)
        };
        list().map_err(self.failed())
    }

    /// One match; none if there is no match of this id.
    pub fn summary(&self, id: &str) -> Result<Option<MatchSummary>, ArchiveError> {
        let filter = MatchFilter {
            id: Some(id.to_owned()),
            ..MatchFilter::default()
        };
        let mut found = self.matches(&filter)?.into_iter();
        Ok(found.find(|summary| summary.id == id))
    }
}

fn summary(row: &Row<'_>) -> rusqlite::Result<(i64, MatchSummary)> {
    let completed: Option<bool> = row.get(8)?;
    let ended: Option<i64> = row.get(5)?;
    let summary = MatchSummary {
        id: row.get(1)?,
        game: row.get(2)?,
        tournament: row.get(3)?,
        began_at_ms: unsigned(row.get(4)?),
        ended_at_ms: ended.map(unsigned),
        start_clock_ms: unsigned(row.get(6)?),
        play_clock_ms: unsigned(row.get(7)?),
        state: match completed {
            None => MatchStatus::Unfinished,
            Some(true) => MatchStatus::Completed,
            Some(false) => MatchStatus::Ended,
        },
        steps: row.get(9)?,
        errors: 0,
        roles: Vec::new(),
    };
    Ok((row.get(0)?, summary))
}

fn played_role(row: &Row<'_>) -> rusqlite::Result<PlayedRole> {
    Ok(PlayedRole {
        role: row.get(0)?,
        name: row.get(1)?,
        player: row.get(2)?,
        goal: row.get(3)?,
        forfeited: row.get(4)?,
        errors: row.get(5)?,
    })
}
