/*!
The game manager: it tells players of a match, asks them for moves, sees to it that they are legal
and in time, and writes down what happens.

[`GameManager::run_match`] plays one match; section 2.2 of the thesis is what it goes by. All players are
asked at the same time. One that does not answer in time, or not with a legal move, is given a
random legal move, and a [`PlayerError`](crate::PlayerError) is written down; with
[`forfeit_after`](crate::MatchSetup::forfeit_after) a player that makes too many is asked no more and
gets 0.

# How it is put together
- `table`: a match that is being played; `attendance`: whether all are there; `ending`: how it ends.
- `player`: a place at it. [`Participant::Local`](crate::Participant) is a thread (`local`),
  [`Participant::Remote`](crate::Participant) an address that is asked over HTTP (`client`),
  [`Participant::Custom`](crate::Participant) somebody who is asked in a way of its own.
- `kept`: the record that it begins or goes on with.
- `referee`: who knows the rules.
- `wire`: the sheet as players are sent it.
- `spectator`: whoever watches.
*/

mod availability;
mod local_player;
mod match_run;
mod outcome;
mod player_link;
mod referee;
mod resume;
mod spectator;
mod start_sheet;

use std::sync::Arc;
use std::time::Duration;

use ludorum_engines::Engine;
use ludorum_logic::Rules;
use ludorum_players::GameEngine;
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::engine_cache::{EngineCache, EngineError, RulesError};
use crate::match_log::{MatchLog, MatchLogError};
use crate::record::MatchRecord;
use crate::setup::MatchSetup;
use match_run::MatchRun;
pub use spectator::Spectator;

/// The engines of so many sheets are kept.
const SHEETS: usize = 8;

/// Conducts matches. Clones share the engines of the sheets that were used last, so many matches of
/// one game compile it once.
#[derive(Clone, Debug)]
pub struct GameManager {
    /// What players are given beyond the play clock: those elsewhere for the way of their answers,
    /// those in this process because the machine may be busy.
    pub grace: Duration,
    /// For how long players elsewhere are waited for before a match; whoever is not there then, or
    /// refuses the match, puts it off with [`GameManagerError::Absent`]. If none, a match is played
    /// without them: they get random moves.
    pub availability_timeout: Option<Duration>,
    tables: EngineCache,
}

impl Default for GameManager {
    fn default() -> Self {
        Self::new()
    }
}

/// Why a match could not be played.
#[derive(Debug, Error)]
pub enum GameManagerError {
    /// The sheet cannot be used.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// A name that the protocol cannot carry.
    #[error("`{0}` cannot be the name of a match: it must be one word without parentheses")]
    Id(String),
    /// An address that is none.
    #[error("`{0}` is no address of a player; write it like http://localhost:9147")]
    Address(String),
    /// Not as many players as roles.
    #[error(
        "the game has {} ({}), and {given} were named",
        count(roles.len(), "role"),
        roles.join(", ")
    )]
    ParticipantCount {
        /// The roles.
        roles: Vec<String>,
        /// How many players there are.
        given: usize,
    },
    /// The rules give no answer before the first move.
    #[error("the match cannot begin: {0}")]
    Referee(String),
    /// The record of a match that was to be taken up again does not fit.
    #[error("the match cannot be taken up again: {0}")]
    Replay(String),
    /// A position that cannot be reached.
    #[error("the match cannot begin with these moves: in step {}, {detail}", step + 1)]
    Opening {
        /// The step, from 0.
        step: usize,
        /// What is wrong there.
        detail: String,
    },
    /// What happened could not be written down.
    #[error(transparent)]
    Log(#[from] MatchLogError),
    /// A player that cannot be reached or has no room for the match, which can be played later; see
    /// [`GameManager::availability_timeout`].
    #[error("{player} is not ready to play: {detail}")]
    Absent {
        /// Its role, by its number.
        role: usize,
        /// Where it should be.
        player: String,
        /// What went wrong.
        detail: String,
    },
    /// The system gave no thread.
    #[error("no thread could be started: {0}")]
    Thread(#[source] std::io::Error),
    /// Somebody wanted it to end; it can be taken up again.
    #[error("the match was interrupted after {}", count(record.steps.len(), "step"))]
    Cancelled {
        /// What was played.
        record: Box<MatchRecord>,
    },
}

fn count(number: usize, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{s}")
}

impl GameManager {
    /// A manager that allows half a second for the way of an answer.
    pub fn new() -> Self {
        Self {
            grace: Duration::from_millis(500),
            availability_timeout: None,
            tables: EngineCache::new(SHEETS),
        }
    }

    /// The rules of a sheet, read once for all who ask. This may take long.
    pub fn rules(&self, sheet: &Arc<str>) -> Result<Arc<Rules>, RulesError> {
        self.tables.rules(sheet)
    }

    /// An engine for a sheet, the one that matches share. This may take long.
    pub fn engine(&self, sheet: &Arc<str>, engine: Engine) -> Result<GameEngine, EngineError> {
        self.tables.table(sheet, engine)
    }

    /// The record of a match that begins with some joint moves, to be taken up by
    /// [`conduct`](Self::conduct).
    pub async fn opening_record(
        &self,
        setup: &MatchSetup,
        moves: Vec<Vec<String>>,
    ) -> Result<MatchRecord, GameManagerError> {
        let mut table = MatchRun::new(self, setup, None).await?;
        for joint_move in moves {
            table.apply_opening_move(joint_move).await?;
        }
        Ok(table.into_record())
    }

    /// Plays a match to its end, or takes up one of which some was played already.
    ///
    /// Every step is in the log before a player or a spectator hears of it. [`MatchLog::begin`] is
    /// called once in the life of a match, when the players had their start clock; not again when
    /// it is taken up. Local players are told what was played; remote ones get a START whose
    /// initial state is the one that was reached. A match that is cancelled is not ended in the
    /// log. One that is over already is checked, shown to the spectator and given back.
    ///
    /// Needs a tokio runtime with its timer and network.
    pub async fn run_match(
        &self,
        setup: &MatchSetup,
        played: Option<MatchRecord>,
        log: &mut dyn MatchLog,
        spectator: &mut dyn Spectator,
        cancel: CancellationToken,
    ) -> Result<MatchRecord, GameManagerError> {
        let mut table = MatchRun::new(self, setup, played).await?;
        if table.is_over() {
            table.show_finished(spectator);
            return Ok(table.into_record());
        }
        let result = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            result = table.play(log, spectator) => Some(result),
        };
        match result {
            Some(Ok(())) => {
                table.finish(true).await;
                Ok(table.into_record())
            }
            Some(Err(error)) => {
                table.finish(false).await;
                Err(error)
            }
            None => {
                table.finish(false).await;
                let record = Box::new(table.into_record());
                Err(GameManagerError::Cancelled { record })
            }
        }
    }
}

/// Plays a match with a manager of its own: see [`GameManager::run_match`].
pub async fn run_match(
    setup: &MatchSetup,
    played: Option<MatchRecord>,
    log: &mut dyn MatchLog,
    spectator: &mut dyn Spectator,
    cancel: CancellationToken,
) -> Result<MatchRecord, GameManagerError> {
    let manager = GameManager::new();
    manager
        .run_match(setup, played, log, spectator, cancel)
        .await
}

#[cfg(test)]
mod custom_player_tests;
#[cfg(test)]
mod tests;
