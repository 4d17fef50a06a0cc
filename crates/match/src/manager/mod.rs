/*!
The game manager: it starts players, requests moves, checks that they are legal and in time, and
records the match.

[`GameManager::run_match`] plays one match, as Świechowski 2015, section 2.2, describes the role of
the Gamemaster. All players are asked at the same time. If a move is late or illegal, a random legal
move is played and a [`PlayerError`](crate::PlayerError) is recorded; with
[`forfeit_after`](crate::MatchSetup::forfeit_after), a player with too many errors is asked no more
and gets 0.

# Modules
- `match_run`: the course of a match; `availability`: whether remote players are reachable;
  `outcome`: how a match ends.
- `player_link`: the connection to a player. [`Participant::Local`](crate::Participant) is a thread
  (`local_player`), [`Participant::Remote`](crate::Participant) an address that is asked over HTTP,
  [`Participant::Custom`](crate::Participant) a [`MoveSource`](crate::MoveSource).
- `resume`: the record that a match starts from.
- `referee`: applies the rules.
- `start_sheet`: the rule sheet in START messages.
- `spectator`: the interface of spectators.
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

/// Capacity of the engine cache, in rule sheets.
const CACHED_SHEETS: usize = 8;

/// The game manager. Clones share a cache of engines, so many matches of one game compile it once.
#[derive(Clone, Debug)]
pub struct GameManager {
    /// Time beyond the play clock: remote players need it for the network, local ones for a loaded
    /// machine.
    pub grace: Duration,
    /// How long to wait for remote players before a match. If one stays unreachable or refuses the
    /// match, the match ends with [`GameManagerError::Absent`]. If none, the match is played
    /// without such players, with random moves in their place.
    pub availability_timeout: Option<Duration>,
    engines: EngineCache,
}

impl Default for GameManager {
    fn default() -> Self {
        Self::new()
    }
}

/// Why a match could not be played.
#[derive(Debug, Error)]
pub enum GameManagerError {
    /// The rule sheet cannot be used.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// A match id that the protocol cannot carry.
    #[error("`{0}` cannot be the name of a match: it must be one word without parentheses")]
    Id(String),
    /// An invalid address.
    #[error("`{0}` is not the address of a player; write it like http://localhost:9147")]
    Address(String),
    /// The number of participants differs from the number of roles.
    #[error(
        "the game has {} ({}), and {given} were named",
        count(roles.len(), "role"),
        roles.join(", ")
    )]
    ParticipantCount {
        /// The roles.
        roles: Vec<String>,
        /// The number of participants.
        given: usize,
    },
    /// The rules define no answer in the initial state.
    #[error("the match cannot begin: {0}")]
    Referee(String),
    /// The record of the match to be resumed does not fit.
    #[error("the match cannot be taken up again: {0}")]
    Replay(String),
    /// The moves of an opening cannot be played.
    #[error("the match cannot begin with these moves: in step {}, {detail}", step + 1)]
    Opening {
        /// The step, from 0.
        step: usize,
        /// What is wrong there.
        detail: String,
    },
    /// The match could not be recorded.
    #[error(transparent)]
    Log(#[from] MatchLogError),
    /// A player that is unreachable or busy, so that the match can be played later; see
    /// [`GameManager::availability_timeout`].
    #[error("{player} is not ready to play: {detail}")]
    Absent {
        /// The index of its role.
        role: usize,
        /// Its address.
        player: String,
        /// What went wrong.
        detail: String,
    },
    /// The system started no thread.
    #[error("no thread could be started: {0}")]
    Thread(#[source] std::io::Error),
    /// The match was cancelled; it can be resumed.
    #[error("the match was interrupted after {}", count(record.steps.len(), "step"))]
    Cancelled {
        /// The match so far.
        record: Box<MatchRecord>,
    },
}

fn count(number: usize, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{s}")
}

impl GameManager {
    /// A manager with a grace of half a second.
    pub fn new() -> Self {
        Self {
            grace: Duration::from_millis(500),
            availability_timeout: None,
            engines: EngineCache::new(CACHED_SHEETS),
        }
    }

    /// The rules of a sheet, parsed once and shared. This may take long.
    pub fn rules(&self, sheet: &Arc<str>) -> Result<Arc<Rules>, RulesError> {
        self.engines.rules(sheet)
    }

    /// An engine for a sheet, shared with matches. This may take long.
    pub fn engine(&self, sheet: &Arc<str>, engine: Engine) -> Result<GameEngine, EngineError> {
        self.engines.engine(sheet, engine)
    }

    /// The record of a match that starts with the given joint moves, to be resumed by
    /// [`run_match`](Self::run_match).
    pub async fn opening_record(
        &self,
        setup: &MatchSetup,
        moves: Vec<Vec<String>>,
    ) -> Result<MatchRecord, GameManagerError> {
        let mut run = MatchRun::new(self, setup, None).await?;
        for joint_move in moves {
            run.apply_opening_move(joint_move).await?;
        }
        Ok(run.into_record())
    }

    /// Plays a match to its end, or resumes one from its record.
    ///
    /// Every step is logged before a player or a spectator is notified. [`MatchLog::begin`] is
    /// called once in the life of a match, after the start clock, and not again when it is resumed.
    /// A resumed match replays its moves to local players; remote ones receive a START whose
    /// initial state is the state reached. A cancelled match is not ended in the log. A match that
    /// is over already is checked, shown to the spectator and returned.
    ///
    /// Requires a tokio runtime with time and network drivers.
    pub async fn run_match(
        &self,
        setup: &MatchSetup,
        played: Option<MatchRecord>,
        log: &mut dyn MatchLog,
        spectator: &mut dyn Spectator,
        cancel: CancellationToken,
    ) -> Result<MatchRecord, GameManagerError> {
        let mut run = MatchRun::new(self, setup, played).await?;
        if run.is_over() {
            run.show_finished(spectator);
            return Ok(run.into_record());
        }
        let result = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            result = run.play(log, spectator) => Some(result),
        };
        match result {
            Some(Ok(())) => {
                run.finish(true).await;
                Ok(run.into_record())
            }
            Some(Err(error)) => {
                run.finish(false).await;
                Err(error)
            }
            None => {
                run.finish(false).await;
                let record = Box::new(run.into_record());
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
