/*!
Duels: series of matches between two players, and the statistics of their results.

A [`Duel`] is two [specs](PlayerSpec), a number of games and clocks. [`Duel::run`] plays games in
rounds, in which every role assignment of the [`schedule`] comes once. Each game ([`played_game`])
has seeds of its own; several games may run in parallel. [`statistics`] collects the results. The
score is that of Świechowski 2015, equation 3.13: a win counts 100, a draw 50. A match is won by the
side whose roles have the higher mean goal. In a game of one role both sides play alone and their
goals are compared.

Engines are made before the clocks start and shared by all matches. An engine with a cache is made
for each match, so that no match profits from an earlier one. The players of a match search one
after the other, unless pondering is on. A referee with an engine of its own checks the moves: an
illegal or missing move is replaced by a random one, and counted.

With a [`Sprt`] the duel ends as soon as the test decides. Results are added in the order of game
numbers, whichever game ends first, so that short games have no extra weight.
*/

mod engines;
mod interval;
mod played_game;
mod schedule;
mod sprt;
mod statistics;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use ludorum_engines::engine::BuildError;
use ludorum_logic::Rules;
use ludorum_reasoner::ReasonError;
use thiserror::Error;

use crate::spec::{PlayerSpec, PlayerSpecError};
use engines::DuelEngines;
use ludorum_player::PlayError;
use played_game::PlayedGame;
pub use played_game::{GameEnd, GameRecord};
use schedule::DuelSchedule;
pub use sprt::{Sprt, SprtReport, SprtVerdict, score_of_elo};
use statistics::DuelTally;
pub use statistics::{DuelProgress, DuelResult, MeanEstimate, SideStatistics};

/// One of the two players that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    A,
    B,
}

/// A series of matches between two players.
#[derive(Clone, Debug)]
pub struct Duel {
    /// The first player; the score is its score.
    pub a: PlayerSpec,
    /// The second player.
    pub b: PlayerSpec,
    /// The minimum number of games, rounded up to whole rounds of role assignments.
    pub games: usize,
    /// The time for a move.
    pub clock: Duration,
    /// The time before the first move.
    pub start_clock: Duration,
    /// How many games run in parallel.
    pub parallel: usize,
    /// The seed from which the seeds of all players in all games are derived.
    pub seed: u64,
    /// The step limit of a match, which is a draw then.
    pub limit: u32,
    /// Whether players ponder.
    pub ponder: bool,
    /// The test that may end the duel early.
    pub sprt: Option<Sprt>,
    /// The memory of all players of all parallel games, in MiB; specs with an option `memory` keep
    /// theirs.
    pub memory: u64,
    /// Ends the duel with the games so far when it is set.
    pub stop: Arc<AtomicBool>,
}

impl Duel {
    /// A hundred games at one second a move, one at a time.
    pub fn new(a: PlayerSpec, b: PlayerSpec) -> Self {
        Self {
            a,
            b,
            games: 100,
            clock: Duration::from_secs(1),
            start_clock: Duration::ZERO,
            parallel: 1,
            seed: 1,
            limit: 1000,
            ponder: false,
            sprt: None,
            memory: 2048,
            stop: Arc::default(),
        }
    }

    fn spec(&self, side: Side) -> &PlayerSpec {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }

    /// The spec of a side with a seed and its share of the memory.
    fn player_spec(
        &self,
        side: Side,
        seed: u64,
        roles: usize,
    ) -> Result<PlayerSpec, PlayerSpecError> {
        let player_count = (roles.max(1) as u64).saturating_mul(self.parallel.max(1) as u64);
        let spec = self.spec(side).with("seed", &seed.to_string())?;
        Ok(spec.unless_written("memory", (self.memory / player_count).clamp(1, 1024)))
    }

    /// Plays the duel, and reports the progress after each game.
    pub fn run(
        &self,
        rules: &Arc<Rules>,
        mut on_game: impl FnMut(&DuelProgress),
    ) -> Result<DuelResult, DuelError> {
        let engines = DuelEngines::new(rules, self)?;
        let roles = engines.referee()?.roles();
        let schedule = DuelSchedule::new(roles.len(), self.seed);
        let total = schedule.games(self.games);
        let mut tally = DuelTally::new(self, roles, total);
        let next = AtomicUsize::new(0);
        let stop = &*self.stop;
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.parallel.clamp(1, total) {
                let worker = Worker {
                    duel: self,
                    engines: &engines,
                    schedule: &schedule,
                    total,
                    next: &next,
                    stop,
                    results: sender.clone(),
                };
                let started = std::thread::Builder::new()
                    .name("match".to_owned())
                    .spawn_scoped(scope, move || worker.run());
                if let Err(error) = started {
                    stop.store(true, Ordering::Release);
                    return Err(DuelError::Thread(error));
                }
            }
            drop(sender);
            let mut early = BTreeMap::new();
            for (number, result) in &receiver {
                early.insert(number, result);
                while let Some(result) = early.remove(&tally.games()) {
                    let game = result.inspect_err(|_| stop.store(true, Ordering::Release))?;
                    tally.add(game);
                    on_game(&tally.progress());
                    // The test is evaluated only after whole rounds: within one, a side may have
                    // had the better role more often.
                    if tally.games().is_multiple_of(schedule.round()) && tally.is_decided() {
                        stop.store(true, Ordering::Release);
                        return Ok(());
                    }
                }
            }
            Ok(())
        })?;
        Ok(tally.result())
    }
}

/// Why a duel could not be played.
#[derive(Debug, Error)]
pub enum DuelError {
    /// An engine could not be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The referee's engine failed.
    #[error("the referee: {0}")]
    Referee(#[from] ReasonError),
    /// A player could not be made.
    #[error(transparent)]
    Player(#[from] PlayError),
    /// A spec does not take a seed.
    #[error(transparent)]
    PlayerSpec(#[from] PlayerSpecError),
    /// The operating system gave no thread.
    #[error("no thread could be started: {0}")]
    Thread(std::io::Error),
}

/// A thread that plays one game after the other.
struct Worker<'a> {
    duel: &'a Duel,
    engines: &'a DuelEngines,
    schedule: &'a DuelSchedule,
    total: usize,
    next: &'a AtomicUsize,
    stop: &'a AtomicBool,
    results: Sender<(usize, Result<PlayedGame, DuelError>)>,
}

impl Worker<'_> {
    fn run(&self) {
        while !self.stop.load(Ordering::Acquire) {
            let number = self.next.fetch_add(1, Ordering::AcqRel);
            if number >= self.total {
                break;
            }
            let game = PlayedGame::play(self.duel, self.engines, self.schedule, number, self.stop);
            // None if it was stopped. Sending fails when the receiver is gone.
            if let Some(game) = game.transpose()
                && self.results.send((number, game)).is_err()
            {
                break;
            }
        }
    }
}
