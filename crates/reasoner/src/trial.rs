//! Trying a game out: random playouts that look for faults no reading of the rules can find.
//!
//! GDL asks of every game that it is *playable*: each role has a legal move until the game ends,
//! and it ends at some time; and that each role has exactly one goal when it has ended, and never
//! several. Whether that holds cannot be decided by looking at the rules, but a few random games
//! find most violations.

use std::time::{Duration, Instant};

use crate::contract::{Goal, MoveId, NoGoal, ReasonError, Reasoner, Role};
use crate::dice::Dice;

/// How much to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How many playouts.
    pub playouts: u32,
    /// A playout is given up after so many joint moves.
    pub steps: u32,
    /// No more time than this is spent.
    pub time: Duration,
    /// The seed of the playouts.
    pub seed: u64,
}

/// What can be wrong with a state.
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
    /// The role has a goal in a terminal state that is no number from 0 to 100.
    BadGoal(Role, String),
    /// The role has several goals in a state that is not terminal.
    SeveralGoalsEarly(Role, Vec<String>),
    /// The game did not end within the limit of steps.
    Endless,
}

impl FaultKind {
    /// Whether two faults are the same one, met in different states.
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

/// A fault, and how to get there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The joint moves from the initial state, each with one move in KIF for each role: the fewest
    /// that were met.
    pub moves: Vec<Vec<String>>,
    /// The facts of the state in KIF.
    pub state: Vec<String>,
    /// In how many playouts it was met.
    pub playouts: u32,
}

/// What a trial has found.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// The faults, each once.
    pub faults: Vec<Fault>,
    /// How many playouts were finished.
    pub playouts: u32,
    /// How many joint moves were made in them.
    pub steps: u64,
    /// Why there are fewer playouts than asked for: the time was up, or the engine gave up.
    pub stopped: Option<ReasonError>,
}

impl Trial {
    /// Tries a game out.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// use ludorum_prover::Prover;
    /// use ludorum_reasoner::{Effort, FaultKind, Trial};
    /// let rules = "(role robot) (init (on 1)) (<= (legal robot (go 2)) (true (on 1)))
    ///     (<= (next (on ?x)) (does robot (go ?x))) (<= terminal (true (on 3))) (goal robot 100)";
    /// let rules = ludorum_logic::Rules::from_text(rules).unwrap();
    /// let prover = Prover::new(Arc::new(rules)).unwrap();
    /// let effort = Effort { playouts: 3, steps: 100, time: Duration::from_secs(5), seed: 1 };
    /// let trial = Trial::run(prover, &effort);
    /// assert_eq!(trial.faults[0].kind, FaultKind::NoLegalMove(0));
    /// assert_eq!(trial.faults[0].moves, [["(go 2)"]]);
    /// ```
    pub fn run<R: Reasoner>(reasoner: R, effort: &Effort) -> Self {
        let mut tester = Tester {
            reasoner,
            dice: Dice::new(effort.seed),
            found: Vec::new(),
            playouts: 0,
            steps: 0,
        };
        let deadline = Instant::now().checked_add(effort.time);
        tester.reasoner.set_deadline(deadline);
        let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let mut stopped = None;
        while tester.playouts < effort.playouts {
            match tester.playout(effort.steps, &is_late) {
                Ok(()) => tester.playouts += 1,
                Err(error) => {
                    stopped = Some(error);
                    break;
                }
            }
        }
        tester.reasoner.set_deadline(None);
        tester.finish(stopped)
    }
}

/// A fault as it is kept while playing: turning moves into text can wait.
struct Found<S> {
    kind: FaultKind,
    path: Vec<MoveId>,
    state: S,
    playouts: u32,
    /// The playout in which it was last met.
    last: u32,
}

struct Tester<R: Reasoner> {
    reasoner: R,
    dice: Dice,
    found: Vec<Found<R::State>>,
    playouts: u32,
    steps: u64,
}

impl<R: Reasoner> Tester<R> {
    /// One random game; faults met on the way are noted.
    fn playout(&mut self, limit: u32, is_late: &impl Fn() -> bool) -> Result<(), ReasonError> {
        let roles = self.reasoner.roles().len();
        let mut state = self.reasoner.initial()?;
        // All moves of the playout, those of a step one role after the other.
        let mut path: Vec<MoveId> = Vec::new();
        let mut legal = Vec::new();
        for step in 0.. {
            if is_late() {
                return Err(ReasonError::Late);
            }
            let ended = self.reasoner.is_terminal(&state)?;
            self.look_at_goals(&state, ended, &path)?;
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
                    path.push(legal[self.dice.below(legal.len())]);
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

    fn look_at_goals(
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

    /// Notes a fault, or a shorter way to one that is known.
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

    fn finish(mut self, stopped: Option<ReasonError>) -> Trial {
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
            faults.push(Fault {
                kind: found.kind,
                moves,
                state: self.reasoner.facts(&found.state),
                playouts: found.playouts,
            });
        }
        Trial {
            faults,
            playouts: self.playouts,
            steps: self.steps,
            stopped,
        }
    }
}
