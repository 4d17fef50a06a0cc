/*!
Matches between two players, and what they prove.

A [`Duel`] is two [specs](PlayerSpec) and how often and how fast they play. [`Duel::run`] plays a game
until every [`schedule`] of who takes which role has come equally often, each [`game`] with seeds of its
own, several at once if asked to, and counts in a [`tally`] what comes of it. The score is that of
Equation 3.13 of the thesis: a win counts 100, a draw 50. A match is won by the side whose roles get
more on average; where there is one role, both sides play it alone and the goals are compared.

DuelEngines are made before the clocks start and shared by all matches; those that remember answers are
made anew for each match, so that nobody profits from an earlier one. The sides are asked one after
the other and never think at the same time, unless pondering is asked for. A referee with an engine
of its own knows what is legal: an illegal move or none at all is replaced by a random one, and
counted.

With a [`Sprt`] the duel ends as soon as the result is clear enough. Games count in the order of
their numbers, whichever end first, so that short games get no weight that they should not have.
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

/// One of the two that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    A,
    B,
}

/// Two players, how often they play and by which clock.
#[derive(Clone, Debug)]
pub struct Duel {
    /// The player from whose view the score is told.
    pub a: PlayerSpec,
    /// The other one.
    pub b: PlayerSpec,
    /// The fewest games; as many more are played as it takes for every schedule of roles to come
    /// equally often.
    pub games: usize,
    /// The time for a move.
    pub clock: Duration,
    /// The time before the first move.
    pub start_clock: Duration,
    /// How many matches are played at once.
    pub parallel: usize,
    /// Where all chance comes from: every player of every match gets a seed of its own from it.
    pub seed: u64,
    /// The steps after which a match is cut and counts as a draw.
    pub limit: u32,
    /// Whether players think in each other's time.
    pub ponder: bool,
    /// When to stop early.
    pub sprt: Option<Sprt>,
    /// The memory of all players of all matches that are played at once, in MiB; players that say
    /// how much they want get that.
    pub memory: u64,
    /// Set from outside to end the duel with the games played so far.
    pub stop: Arc<AtomicBool>,
}

impl Duel {
    /// A hundred games at a second a move, one at a time.
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

    /// A side's player with a seed and its share of the memory.
    fn player_spec(
        &self,
        side: Side,
        seed: u64,
        roles: usize,
    ) -> Result<PlayerSpec, PlayerSpecError> {
        let seats = (roles.max(1) as u64).saturating_mul(self.parallel.max(1) as u64);
        let spec = self.spec(side).with("seed", &seed.to_string())?;
        Ok(spec.unless_written("memory", (self.memory / seats).clamp(1, 1024)))
    }

    /// Plays. The callback hears after each game how things stand.
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
                    // Only between rounds: within one, somebody has had the better role more often.
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

/// Why a duel could not be fought.
#[derive(Debug, Error)]
pub enum DuelError {
    /// An engine could not be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The referee has no answer.
    #[error("the referee: {0}")]
    Referee(#[from] ReasonError),
    /// A player could not be made.
    #[error(transparent)]
    Player(#[from] PlayError),
    /// A player takes no seed.
    #[error(transparent)]
    PlayerSpec(#[from] PlayerSpecError),
    /// The system gave no thread.
    #[error("no thread could be started: {0}")]
    Thread(std::io::Error),
}

/// A thread that plays one match after the other.
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
            // None if it was stopped on the way; nobody listens any more when sending fails.
            if let Some(game) = game.transpose()
                && self.results.send((number, game)).is_err()
            {
                break;
            }
        }
    }
}
