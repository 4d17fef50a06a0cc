//! One game of a duel: a match of both sides or, in a game of one role, a match of each.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ludorum_reasoner::{GameWalker, Rng, Role};
use serde::Serialize;

use super::engines::DuelEngines;
use super::schedule::DuelSchedule;
use super::statistics::SideTally;
use super::{Duel, DuelError, Side};
use ludorum_player::Player;

/// The time limit of a query to the referee.
const REFEREE_TIMEOUT: Duration = Duration::from_mins(1);

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameEnd {
    /// In a terminal state.
    Terminal,
    /// By the step limit: a draw.
    Cut,
    /// A role had no legal move: a draw.
    Stuck,
}

/// The record of a game.
#[derive(Clone, Debug, Serialize)]
pub struct GameRecord {
    /// The names of the roles that A played.
    pub a_roles: Vec<String>,
    /// The mean goal of A's roles.
    pub a: f64,
    /// The mean goal of B's roles.
    pub b: f64,
    /// The goal of each role, none where the rules give none; in a game of one role, A's goal and
    /// B's goal.
    pub goals: Vec<Option<u8>>,
    /// The number of joint moves.
    pub steps: u32,
    /// How it ended.
    pub end: GameEnd,
}

impl GameRecord {
    /// The score of A, 0 to 100.
    pub fn score(&self) -> f64 {
        match self.a.partial_cmp(&self.b) {
            Some(std::cmp::Ordering::Greater) => 100.0,
            Some(std::cmp::Ordering::Less) => 0.0,
            _ => 50.0,
        }
    }
}

/// A finished game.
pub(super) struct PlayedGame {
    pub(super) record: GameRecord,
    pub(super) a: SideTally,
    pub(super) b: SideTally,
}

impl PlayedGame {
    /// Plays a game; none if it was stopped.
    pub(super) fn play(
        duel: &Duel,
        engines: &DuelEngines,
        schedule: &DuelSchedule,
        number: usize,
        stop: &AtomicBool,
    ) -> Result<Option<Self>, DuelError> {
        let play = |sides: &[Side], seeds: usize| {
            let seeds: Vec<u64> = (0..sides.len())
                .map(|role| schedule.seed(number, seeds + role))
                .collect();
            RunningMatch::new(duel, engines, sides, &seeds)?.play(stop)
        };
        let Some(sides) = schedule.sides(number) else {
            // The same seed for both, so that only the players differ.
            let (Some(first), Some(second)) = (play(&[Side::A], 0)?, play(&[Side::B], 0)?) else {
                return Ok(None);
            };
            return Ok(Some(Self::of_two(first, second)));
        };
        Ok(play(&sides, 0)?.map(|played| Self::of_one(played, &sides)))
    }

    fn of_one(played: FinishedMatch, sides: &[Side]) -> Self {
        let FinishedMatch {
            roles,
            goals,
            steps,
            end,
            tallies: [a, b],
        } = played;
        let mean = |side: Side| {
            let own = sides.iter().zip(&goals).filter(|(one, _)| **one == side);
            mean(own.map(|(_, goal)| *goal))
        };
        let named = sides.iter().zip(roles);
        let a_roles = named.filter(|(side, _)| **side == Side::A);
        // A match without a terminal state is a draw.
        let decided = end == GameEnd::Terminal;
        let record = GameRecord {
            a_roles: a_roles.map(|(_, name)| name).collect(),
            a: if decided { mean(Side::A) } else { 50.0 },
            b: if decided { mean(Side::B) } else { 50.0 },
            goals,
            steps,
            end,
        };
        Self { record, a, b }
    }

    /// In a game of one role both play alone; a match without a terminal state has no goal.
    fn of_two(first: FinishedMatch, second: FinishedMatch) -> Self {
        let goal = |played: &FinishedMatch| {
            let is_over = played.end == GameEnd::Terminal;
            is_over
                .then(|| played.goals.first().copied().flatten())
                .flatten()
        };
        let goals = vec![goal(&first), goal(&second)];
        let end = match first.end {
            GameEnd::Terminal => second.end,
            other => other,
        };
        let [a, _] = first.tallies;
        let [_, b] = second.tallies;
        let record = GameRecord {
            a_roles: first.roles,
            a: mean(std::iter::once(goals[0])),
            b: mean(std::iter::once(goals[1])),
            goals,
            steps: first.steps.max(second.steps),
            end,
        };
        Self { record, a, b }
    }
}

/// The mean of goals; a missing one counts 0.
fn mean(goals: impl Iterator<Item = Option<u8>>) -> f64 {
    let (sum, count) = goals.fold((0.0, 0.0), |(sum, count), goal| {
        (sum + f64::from(goal.unwrap_or(0)), count + 1.0)
    });
    if count > 0.0 { sum / count } else { 0.0 }
}

/// A finished match.
struct FinishedMatch {
    roles: Vec<String>,
    goals: Vec<Option<u8>>,
    steps: u32,
    end: GameEnd,
    /// The statistics of A and of B.
    tallies: [SideTally; 2],
}

/// A match in progress.
struct RunningMatch<'a> {
    duel: &'a Duel,
    sides: &'a [Side],
    referee: Box<dyn GameWalker>,
    players: Vec<Box<dyn Player>>,
    /// Draws moves in place of illegal or missing ones.
    rng: Rng,
    tallies: [SideTally; 2],
}

impl<'a> RunningMatch<'a> {
    fn new(
        duel: &'a Duel,
        engines: &DuelEngines,
        sides: &'a [Side],
        seeds: &[u64],
    ) -> Result<Self, DuelError> {
        let (a, b) = (engines.engine_for(Side::A)?, engines.engine_for(Side::B)?);
        let mut players = Vec::with_capacity(sides.len());
        for (role, side) in sides.iter().enumerate() {
            let spec = duel.player_spec(*side, seeds[role], sides.len())?;
            let engine = match side {
                Side::A => &a,
                Side::B => &b,
            };
            players.push(engine.player(&spec, role)?);
        }
        Ok(Self {
            duel,
            sides,
            referee: engines.referee()?,
            players,
            rng: Rng::new(seeds.first().copied().unwrap_or(0)),
            tallies: Default::default(),
        })
    }

    fn play(mut self, stop: &AtomicBool) -> Result<Option<FinishedMatch>, DuelError> {
        if !self.duel.start_clock.is_zero() {
            for role in 0..self.players.len() {
                let deadline = Instant::now() + self.duel.start_clock;
                if let Err(error) = self.players[role].start(deadline) {
                    self.tally(role).error(&error);
                }
            }
        }
        let mut steps = 0;
        let end = loop {
            if stop.load(Ordering::Acquire) {
                return Ok(None);
            }
            self.referee
                .set_deadline(Instant::now().checked_add(REFEREE_TIMEOUT));
            if self.referee.is_terminal()? {
                break GameEnd::Terminal;
            }
            if steps >= self.duel.limit {
                break GameEnd::Cut;
            }
            let mut legal = Vec::with_capacity(self.players.len());
            for role in 0..self.players.len() {
                legal.push(self.referee.legal(role)?);
            }
            if legal.iter().any(Vec::is_empty) {
                break GameEnd::Stuck;
            }
            let joint_move: Vec<String> = (0..self.players.len())
                .map(|role| self.request_move(role, &legal[role]))
                .collect();
            self.referee
                .set_deadline(Instant::now().checked_add(REFEREE_TIMEOUT));
            self.referee.step(&joint_move)?;
            steps += 1;
            for role in 0..self.players.len() {
                if let Err(error) = self.players[role].apply_joint_move(&joint_move) {
                    self.tally(role).error(&error);
                }
            }
        };
        let mut goals = Vec::with_capacity(self.players.len());
        for role in 0..self.players.len() {
            goals.push(self.referee.goal(role)?.value());
        }
        Ok(Some(FinishedMatch {
            roles: self.referee.roles(),
            goals,
            steps,
            end,
            tallies: self.tallies,
        }))
    }

    fn tally(&mut self, role: Role) -> &mut SideTally {
        match self.sides[role] {
            Side::A => &mut self.tallies[0],
            Side::B => &mut self.tallies[1],
        }
    }

    /// The move of a role; a random one if the player's is illegal or missing.
    fn request_move(&mut self, role: Role, legal: &[String]) -> String {
        let clock = self.duel.clock;
        let begin = Instant::now();
        let answer = self.players[role].play(begin + clock);
        let taken = begin.elapsed();
        let tally = self.tally(role);
        let text = match answer {
            Ok(answer) => {
                tally.answer(&answer.report, legal.len(), taken, clock);
                if legal.contains(&answer.text) {
                    Some(answer.text)
                } else {
                    tally.illegal(&answer.text);
                    None
                }
            }
            Err(error) => {
                tally.error(&error);
                None
            }
        };
        if self.duel.ponder {
            self.players[role].ponder();
        }
        text.unwrap_or_else(|| legal[self.rng.below(legal.len())].clone())
    }
}
