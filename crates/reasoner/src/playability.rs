//! A test of playability: random playouts that look for errors of a rule sheet.
//!
//! GDL requires that a game is playable (Love et al. 2008, section 4). Each role has a legal move
//! until the game ends, the game ends eventually, and each role has exactly one goal in a terminal
//! state. These properties are undecidable, but a few random playouts find most violations.

use std::time::{Duration, Instant};

use crate::error::ReasonError;
use crate::goal::{Goal, NoGoal};
use crate::ids::{MoveId, Role};
use crate::reasoner::Reasoner;
use crate::rng::Rng;

/// A test of playability by random playouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayabilityTest {
    /// The number of playouts.
    pub playouts: u32,
    /// The step limit of a playout.
    pub steps: u32,
    /// The time limit of the whole test.
    pub time: Duration,
    /// The seed of the playouts.
    pub seed: u64,
}

/// What is wrong with a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// The initial state is terminal.
    EndedAtStart,
    /// The role has no legal move in a state that is not terminal.
    NoLegalMove(Role),
    /// The role has no goal in a terminal state.
    NoGoal(Role),
    /// The role has several goals in a terminal state.
    SeveralGoals(Role, Vec<String>),
    /// The goal of the role in a terminal state is not a number from 0 to 100.
    BadGoal(Role, String),
    /// The role has several goals in a state that is not terminal.
    SeveralGoalsEarly(Role, Vec<String>),
    /// The game did not end within the limit of steps.
    Endless,
}

impl FaultKind {
    /// Whether two faults are of the same kind and role.
    fn is_like(&self, other: &Self) -> bool {
        let key = |kind: &Self| match kind {
            Self::EndedAtStart => (0, 0),
            Self::NoLegalMove(role) => (1, *role),
            Self::NoGoal(role) => (2, *role),
            Self::SeveralGoals(role, _) => (3, *role),
            Self::BadGoal(role, _) => (4, *role),
            Self::SeveralGoalsEarly(role, _) => (5, *role),
            Self::Endless => (6, 0),
        };
        key(self) == key(other)
    }
}

/// An error of the rule sheet and the moves that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayabilityFault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The joint moves from the initial state, each with one move in KIF for each role. Of all
    /// playouts with this fault, the shortest sequence.
    pub moves: Vec<Vec<String>>,
    /// The facts of the state in KIF.
    pub state: Vec<String>,
    /// The number of playouts with this fault.
    pub playouts: u32,
}

/// The result of a [`PlayabilityTest`].
#[derive(Clone, Debug, Default)]
pub struct PlayabilityReport {
    /// The faults, one for each kind and role.
    pub faults: Vec<PlayabilityFault>,
    /// The number of finished playouts.
    pub playouts: u32,
    /// The number of joint moves made.
    pub steps: u64,
    /// The error that ended the test before its last playout.
    pub stopped: Option<ReasonError>,
}

impl PlayabilityTest {
    /// Runs the test on an engine.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// use ludorum_prover::Prover;
    /// use ludorum_reasoner::{FaultKind, PlayabilityTest};
    /// let rules = "(role robot) (init (on 1)) (<= (legal robot (go 2)) (true (on 1)))
    ///     (<= (next (on ?x)) (does robot (go ?x))) (<= terminal (true (on 3))) (goal robot 100)";
    /// let rules = ludorum_logic::Rules::from_text(rules).unwrap();
    /// let prover = Prover::new(Arc::new(rules)).unwrap();
    /// let time = Duration::from_secs(5);
    /// let test = PlayabilityTest { playouts: 3, steps: 100, time, seed: 1 };
    /// let report = test.run(prover);
    /// assert_eq!(report.faults[0].kind, FaultKind::NoLegalMove(0));
    /// assert_eq!(report.faults[0].moves, [["(go 2)"]]);
    /// ```
    pub fn run<R: Reasoner>(&self, reasoner: R) -> PlayabilityReport {
        let mut tester = Tester {
            reasoner,
            rng: Rng::new(self.seed),
            found: Vec::new(),
            playouts: 0,
            steps: 0,
        };
        let deadline = Instant::now().checked_add(self.time);
        tester.reasoner.set_deadline(deadline);
        let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let mut stopped = None;
        while tester.playouts < self.playouts {
            match tester.playout(self.steps, &is_late) {
                Ok(()) => tester.playouts += 1,
                Err(error) => {
                    stopped = Some(error);
                    break;
                }
            }
        }
        tester.reasoner.set_deadline(None);
        tester.report(stopped)
    }
}

/// A fault in ids. It is turned into text after the last playout.
struct Found<S> {
    kind: FaultKind,
    path: Vec<MoveId>,
    state: S,
    playouts: u32,
    /// The last playout with this fault.
    last: u32,
}

struct Tester<R: Reasoner> {
    reasoner: R,
    rng: Rng,
    found: Vec<Found<R::State>>,
    playouts: u32,
    steps: u64,
}

impl<R: Reasoner> Tester<R> {
    /// Plays one random playout and notes its faults.
    fn playout(&mut self, limit: u32, is_late: &impl Fn() -> bool) -> Result<(), ReasonError> {
        let roles = self.reasoner.roles().len();
        let mut state = self.reasoner.initial()?;
        // All joint moves of the playout, concatenated.
        let mut path: Vec<MoveId> = Vec::new();
        let mut legal = Vec::new();
        for step in 0.. {
            if is_late() {
                return Err(ReasonError::Stopped);
            }
            let ended = self.reasoner.is_terminal(&state)?;
            self.check_goals(&state, ended, &path)?;
            if ended {
                if step == 0 {
                    self.note(FaultKind::EndedAtStart, &path, &state);
                }
                break;
            }
            if step >= limit {
                self.note(FaultKind::Endless, &path, &state);
                break;
            }
            let mut stuck = false;
            let before = path.len();
            for role in 0..roles {
                self.reasoner.legal_moves(&state, role, &mut legal)?;
                if legal.is_empty() {
                    stuck = true;
                    self.note(FaultKind::NoLegalMove(role), &path[..before], &state);
                } else {
                    path.push(legal[self.rng.below(legal.len())]);
                }
            }
            if stuck {
                break;
            }
            state = self.reasoner.next(&state, &path[before..])?;
            self.steps += 1;
        }
        Ok(())
    }

    fn check_goals(
        &mut self,
        state: &R::State,
        ended: bool,
        path: &[MoveId],
    ) -> Result<(), ReasonError> {
        for role in 0..self.reasoner.roles().len() {
            let kind = match self.reasoner.goal(state, role)? {
                Goal::Missing(NoGoal::Several(all)) if ended => FaultKind::SeveralGoals(role, all),
                Goal::Missing(NoGoal::Several(all)) => FaultKind::SeveralGoalsEarly(role, all),
                Goal::Missing(NoGoal::None) if ended => FaultKind::NoGoal(role),
                Goal::Missing(NoGoal::NotANumber(text)) if ended => FaultKind::BadGoal(role, text),
                Goal::Value(value) if ended && value > 100 => {
                    FaultKind::BadGoal(role, value.to_string())
                }
                _ => continue,
            };
            self.note(kind, path, state);
        }
        Ok(())
    }

    /// Adds a fault, or a shorter path to a known one.
    fn note(&mut self, kind: FaultKind, path: &[MoveId], state: &R::State) {
        let now = self.playouts;
        if let Some(known) = self.found.iter_mut().find(|f| f.kind.is_like(&kind)) {
            if known.last != now {
                known.last = now;
                known.playouts += 1;
            }
            if path.len() < known.path.len() {
                known.kind = kind;
                known.path = path.to_vec();
                known.state = state.clone();
            }
            return;
        }
        self.found.push(Found {
            kind,
            path: path.to_vec(),
            state: state.clone(),
            playouts: 1,
            last: now,
        });
    }

    fn report(mut self, stopped: Option<ReasonError>) -> PlayabilityReport {
        let roles = self.reasoner.roles().len().max(1);
        let mut faults = Vec::with_capacity(self.found.len());
        for found in std::mem::take(&mut self.found) {
            let mut moves = Vec::with_capacity(found.path.len() / roles);
            for joint in found.path.chunks(roles) {
                let texts = joint.iter().enumerate();
                moves.push(
                    texts
                        .map(|(role, id)| self.reasoner.move_text(role, *id))
                        .collect(),
                );
            }
            faults.push(PlayabilityFault {
                kind: found.kind,
                moves,
                state: self.reasoner.facts(&found.state),
                playouts: found.playouts,
            });
        }
        PlayabilityReport {
            faults,
            playouts: self.playouts,
            steps: self.steps,
            stopped,
        }
    }
}
