//! Tournaments in an archive and their results.

use std::collections::BTreeSet;

use rusqlite::{OptionalExtension as _, Row, params};
use serde::Serialize;
use serde_json::Value;

use super::error::ArchiveError;
use super::lock::TournamentLock;
use super::summaries::{MatchFilter, MatchStatus, MatchSummary, PlayedRole};
use super::{Archive, now_ms, signed, unsigned};
use crate::rating::{Comparison, Rating};
use crate::tournament::{MatchResult, Results, Standings, TournamentPlan, share};

/// Identifies a tournament in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TournamentId(i64);

impl TournamentId {
    pub(super) fn key(self) -> i64 {
        self.0
    }
}

/// A tournament without its plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TournamentSummary {
    /// Its name.
    pub name: String,
    /// Its seed.
    #[serde(serialize_with = "crate::seed::text::serialize")]
    pub seed: u64,
    /// The format: round-robin, swiss, knock-out or ladder.
    pub kind: String,
    /// When it began, in milliseconds since 1970.
    pub began_at_ms: u64,
    /// When it ended.
    pub ended_at_ms: Option<u64>,
    /// The number of finished matches.
    pub matches: u32,
    /// The number of matches that have begun and are not over.
    pub unfinished: u32,
}

impl Archive {
    /// Takes the exclusive right to play a tournament until the lock is dropped.
    pub fn lock(&self, plan: &TournamentPlan) -> Result<TournamentLock, ArchiveError> {
        TournamentLock::new(self.path(), &plan.name, plan.seed)
    }

    /// Adds a tournament, or finds it if it exists with the same plan.
    pub fn register_tournament(&self, plan: &TournamentPlan) -> Result<TournamentId, ArchiveError> {
        if let Some(found) = self.find_tournament(plan)? {
            return Ok(found);
        }
        let (name, seed, text) = (plan.name.clone(), signed(plan.seed), plan.canonical());
        let path = self.path().to_owned();
        self.writer().write(move |connection| {
            let insert = "INSERT OR IGNORE INTO tournaments (name, seed, plan, began_at_ms)
                 VALUES (?, ?, ?, ?)";
            let inserted = connection.execute(insert, params![name, seed, text, now_ms()]);
            inserted
                .map(|_| ())
                .map_err(|error| ArchiveError::database(&path, error))
        })?;
        let found = self.find_tournament(plan)?;
        found.ok_or_else(|| ArchiveError::damaged(self.path(), "a tournament was lost"))
    }

    /// Finds a tournament; none if it does not exist. The same name and seed with another plan is
    /// an error.
    pub fn find_tournament(
        &self,
        plan: &TournamentPlan,
    ) -> Result<Option<TournamentId>, ArchiveError> {
        let reader = self.reader();
        let query = "SELECT key, plan FROM tournaments WHERE name = ? AND seed = ?";
        let found = reader
            .query_row(query, params![plan.name, signed(plan.seed)], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
            })
            .optional()
            .map_err(self.failed())?;
        let Some((key, kept)) = found else {
            return Ok(None);
        };
        let own = plan.canonical();
        if own == kept {
            return Ok(Some(TournamentId(key)));
        }
        Err(ArchiveError::OtherPlan {
            name: plan.name.clone(),
            seed: plan.seed,
            differs: differences(&kept, &own),
        })
    }

    /// All tournaments, in the order in which they began.
    pub fn tournaments(&self) -> Result<Vec<TournamentSummary>, ArchiveError> {
        let reader = self.reader();
        let query = "SELECT name, seed, plan, began_at_ms, ended_at_ms,
                (SELECT count(*) FROM matches WHERE tournament = t.key AND completed IS NOT NULL),
                (SELECT count(*) FROM matches WHERE tournament = t.key AND completed IS NULL)
             FROM tournaments t ORDER BY began_at_ms, key";
        let read = |row: &Row<'_>| {
            let plan: String = row.get(2)?;
            let plan: Value = serde_json::from_str(&plan).unwrap_or_default();
            let ended: Option<i64> = row.get(4)?;
            Ok(TournamentSummary {
                name: row.get(0)?,
                seed: unsigned(row.get(1)?),
                kind: plan["kind"].as_str().unwrap_or_default().to_owned(),
                began_at_ms: unsigned(row.get(3)?),
                ended_at_ms: ended.map(unsigned),
                matches: row.get(5)?,
                unfinished: row.get(6)?,
            })
        };
        let list = || -> rusqlite::Result<Vec<_>> {
            let mut statement = reader.prepare(query)?;
            statement.query_map([], read)?.collect()
        };
        list().map_err(self.failed())
    }

    /// The results of the finished matches of a tournament, and the ids of those that have begun
    /// and are not over.
    pub fn results(
        &self,
        tournament: TournamentId,
    ) -> Result<(Results, BTreeSet<String>), ArchiveError> {
        let reader = self.reader();
        let query = "SELECT id, completed, goal, forfeited,
                (SELECT count(*) FROM errors e WHERE e.match = m.key AND e.role = s.role), s.role
             FROM matches m JOIN seats s ON s.match = m.key WHERE tournament = ?
             ORDER BY m.key, s.role";
        let mut results = Results::new();
        let mut begun = BTreeSet::new();
        let mut read = || -> rusqlite::Result<()> {
            let mut statement = reader.prepare(query)?;
            let mut rows = statement.query([tournament.key()])?;
            while let Some(row) = rows.next()? {
                let id: String = row.get(0)?;
                let Some(completed) = row.get::<_, Option<bool>>(1)? else {
                    begun.insert(id);
                    continue;
                };
                let result = results.entry(id).or_insert_with(|| MatchResult {
                    completed,
                    goals: Vec::new(),
                    forfeited: Vec::new(),
                    errors: Vec::new(),
                });
                if row.get(3)? {
                    result.forfeited.push(result.goals.len());
                }
                result.goals.push(row.get(2)?);
                result.errors.push(row.get(4)?);
            }
            Ok(())
        };
        read().map_err(self.failed())?;
        Ok((results, begun))
    }

    /// Replaces the stored ratings of a tournament, and stores its end time if it is finished.
    pub fn store_ratings(
        &self,
        tournament: TournamentId,
        table: &Standings,
    ) -> Result<(), ArchiveError> {
        let all = table.rows.iter().filter_map(|row| row.rating.clone());
        let mut ratings: Vec<(i32, Option<String>, Rating)> =
            all.map(|rating| (-1, None, rating)).collect();
        for (number, game) in (0..).zip(&table.games) {
            let name = &game.game;
            let of_game = game.ratings.iter().cloned();
            ratings.extend(of_game.map(|r| (number, Some(name.clone()), r)));
        }
        let (key, finished) = (tournament.key(), table.finished);
        let path = self.path().to_owned();
        self.writer().write(move |connection| {
            let write = || -> rusqlite::Result<()> {
                connection.execute("DELETE FROM ratings WHERE tournament = ?", [key])?;
                let mut statement = connection.prepare_cached(
                    "INSERT INTO ratings (tournament, game, game_name, player, elo, low, high,
                        comparisons, points)
                     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                )?;
                for (game, name, r) in &ratings {
                    let count = r.comparisons as u32;
                    statement.execute(params![
                        key, game, name, r.player, r.elo, r.low, r.high, count, r.points
                    ])?;
                }
                if finished {
                    let update = "UPDATE tournaments SET ended_at_ms = ?
                         WHERE key = ? AND ended_at_ms IS NULL";
                    connection.execute(update, params![now_ms(), key])?;
                }
                Ok(())
            };
            write().map_err(|error| ArchiveError::database(&path, error))
        })
    }

    /// The stored ratings of a tournament; those over all games have no game.
    pub fn ratings(
        &self,
        tournament: TournamentId,
    ) -> Result<Vec<(Option<String>, Rating)>, ArchiveError> {
        let reader = self.reader();
        let query = "SELECT game_name, player, elo, low, high, comparisons, points FROM ratings
             WHERE tournament = ? ORDER BY game, elo DESC, player";
        let read = |row: &Row<'_>| {
            let count: u32 = row.get(5)?;
            let rating = Rating {
                player: row.get(1)?,
                elo: row.get(2)?,
                low: row.get(3)?,
                high: row.get(4)?,
                comparisons: count as usize,
                points: row.get(6)?,
            };
            Ok((row.get(0)?, rating))
        };
        let list = || -> rusqlite::Result<Vec<_>> {
            let mut statement = reader.prepare(query)?;
            statement.query_map([tournament.key()], read)?.collect()
        };
        list().map_err(self.failed())
    }

    /// The stored ratings of the only finished tournament of a name, over all games or in one.
    pub fn tournament_ratings(
        &self,
        name: &str,
        game: Option<&str>,
    ) -> Result<Option<Vec<Rating>>, ArchiveError> {
        let key = {
            let reader = self.reader();
            let query = "SELECT key FROM tournaments WHERE name = ?1 AND ended_at_ms IS NOT NULL
                 AND (SELECT count(*) FROM tournaments WHERE name = ?1) = 1
                 AND (SELECT count(DISTINCT game) FROM ratings
                      WHERE tournament = key AND game_name IS ?2) = 1";
            let key = reader.query_row(query, params![name, game], |row| row.get(0));
            key.optional().map_err(self.failed())?
        };
        let Some(key) = key else {
            return Ok(None);
        };
        let ratings = self.ratings(TournamentId(key))?.into_iter();
        let ratings = ratings.filter(|(of, _)| of.as_deref() == game);
        Ok(Some(ratings.map(|(_, rating)| rating).collect()))
    }

    /// Pairwise results of finished matches, for ratings over an archive. Matches of a single
    /// player are ignored; in matches of more than two players every pair is compared.
    pub fn comparisons(&self, filter: &MatchFilter) -> Result<Vec<Comparison>, ArchiveError> {
        let filter = MatchFilter {
            finished: Some(true),
            ..filter.clone()
        };
        let matches = self.matches(&filter)?;
        Ok(matches.iter().flat_map(compare).collect())
    }
}

/// Every pair of players of a match.
fn compare(summary: &MatchSummary) -> Vec<Comparison> {
    #[allow(clippy::cast_precision_loss)] // numbers of roles
    let goal = |name: &str| {
        let own: Vec<&PlayedRole> = summary.roles.iter().filter(|s| s.name == name).collect();
        let sum: f64 = own.iter().map(|s| f64::from(s.goal.unwrap_or(0))).sum();
        (sum / own.len() as f64, own.iter().any(|s| s.forfeited))
    };
    let names: BTreeSet<&str> = summary.roles.iter().map(|s| s.name.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut comparisons = Vec::new();
    for (i, a) in names.iter().enumerate() {
        for b in &names[i + 1..] {
            let share = match (goal(a), goal(b)) {
                ((_, true), (_, false)) => 0.0,
                ((_, false), (_, true)) => 1.0,
                ((a, false), (b, false)) if summary.state == MatchStatus::Completed => share(a, b),
                _ => 0.5,
            };
            comparisons.push(Comparison {
                a: (*a).to_owned(),
                b: (*b).to_owned(),
                share,
            });
        }
    }
    comparisons
}

/// The keys in which two plans differ.
fn differences(kept: &str, own: &str) -> String {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let (kept, own) = (read(kept), read(own));
    let keys = own.as_object().into_iter().flat_map(|plan| plan.keys());
    let differing: Vec<&str> = keys
        .filter(|key| kept[key.as_str()] != own[key.as_str()])
        .map(String::as_str)
        .collect();
    if differing.is_empty() {
        return "settings".to_owned();
    }
    differing.join(", ")
}
