//! Following a match through PLAY messages: [`MatchTracker`].

use std::time::Instant;

use ludorum_reasoner::{GameWalker, ReasonError, Role};

use crate::protocol::{JointMove, find_legal};
use crate::seed;

/// Limit on joint moves that are tried to reconstruct one that was not received.
const MAX_CANDIDATES: usize = 2000;

/// How a PLAY message relates to the known state of the match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MoveUpdate {
    /// The message repeats what is known.
    Repeated,
    /// A legal joint move was played.
    Advanced(Vec<String>),
    /// The match is in another state than expected.
    Relocated {
        /// How the state was found, for the log.
        how: &'static str,
        /// Whether only one state fits the message.
        sure: bool,
    },
    /// A joint move was played, but there was no time to compute its successor.
    Deferred(Vec<String>),
    /// The message fits no known state; the tracker keeps its state.
    Unexplained(String),
}

/// Follows a match through its messages. Game managers repeat, correct and lose messages, so a
/// joint move that is not legal is tested against these explanations in turn.
pub(super) struct MatchTracker {
    walker: Box<dyn GameWalker>,
    roles: Vec<String>,
    role: Role,
    /// Joint moves whose successor could not be computed in time.
    deferred: Vec<Vec<String>>,
    /// The state before the last joint move, and that joint move.
    before: Option<(Vec<String>, Vec<String>)>,
    /// Our answer in the current state.
    answered: Option<String>,
}

impl MatchTracker {
    pub(super) fn new(walker: Box<dyn GameWalker>, role: Role) -> Self {
        Self {
            roles: walker.roles(),
            walker,
            role,
            deferred: Vec::new(),
            before: None,
            answered: None,
        }
    }

    /// Records our answer in the current state.
    pub(super) fn answer(&mut self, text: &str) {
        self.answered = Some(text.to_owned());
    }

    /// Our answer in the current state, if there is one.
    pub(super) fn answered(&self) -> Option<&str> {
        self.answered.as_deref()
    }

    /// The fluents of the current state.
    pub(super) fn facts(&mut self) -> Vec<String> {
        self.walker.facts()
    }

    /// A random legal move, for a player that has no answer.
    pub(super) fn any_move(&mut self, seed: u64, until: Instant) -> Option<String> {
        self.walker.set_deadline(Some(until));
        let legal = self.walker.legal(self.role).ok()?;
        (!legal.is_empty()).then(|| seed::substitute(seed, self.role, 0, &legal))
    }

    /// Applies the joint move of a PLAY message.
    pub(super) fn update(&mut self, moves: Option<&JointMove>, until: Instant) -> MoveUpdate {
        self.walker.set_deadline(Some(until));
        let Some(moves) = moves else {
            return self.begin();
        };
        let Some(joint_move) = moves.for_roles(self.roles.len()) else {
            let count = self.roles.len();
            return MoveUpdate::Unexplained(format!(
                "`{moves}` has not {count} moves, one for each role"
            ));
        };
        match self.follow(&joint_move, until) {
            Ok(update) => update,
            Err(ReasonError::Stopped) => {
                self.deferred.push(joint_move.clone());
                self.answered = None;
                MoveUpdate::Deferred(joint_move)
            }
            Err(error) => MoveUpdate::Unexplained(error.to_string()),
        }
    }

    /// A message without moves: the match is in its initial state.
    fn begin(&mut self) -> MoveUpdate {
        if self.before.is_none() && self.deferred.is_empty() {
            return MoveUpdate::Repeated;
        }
        self.deferred.clear();
        self.before = None;
        self.answered = None;
        match self.walker.restart() {
            Ok(()) => MoveUpdate::Relocated {
                how: "the match begins again",
                sure: true,
            },
            Err(error) => MoveUpdate::Unexplained(error.to_string()),
        }
    }

    fn follow(&mut self, received: &[String], until: Instant) -> Result<MoveUpdate, ReasonError> {
        while let Some(first) = self.deferred.first() {
            match self.walker.step(first) {
                Err(ReasonError::Stopped) => return Err(ReasonError::Stopped),
                // The joint move was not legal; the player has reported that.
                Ok(()) | Err(_) => self.deferred.remove(0),
            };
        }
        let equal_ignoring_case = |(a, b): (&String, &String)| a.eq_ignore_ascii_case(b);
        let last = self.before.as_ref().map(|(_, last)| last);
        let is_repeated =
            last.is_some_and(|last| last.iter().zip(received).all(equal_ignoring_case));
        // Where the same joint move is legal again, our own answer decides: if it differs from our
        // move in the message, the message is about the step before.
        let is_ours = match (&self.answered, received.get(self.role)) {
            (Some(answered), Some(own)) => answered.eq_ignore_ascii_case(own),
            _ => true,
        };
        if is_repeated && !is_ours {
            return Ok(MoveUpdate::Repeated);
        }
        if let Some(joint_move) = self.legal_joint(received)? {
            self.step(&joint_move)?;
            return Ok(MoveUpdate::Advanced(joint_move));
        }
        let Some((before, _)) = self.before.clone() else {
            return self.search(received, until);
        };
        if is_repeated {
            return Ok(MoveUpdate::Repeated);
        }
        let here = self.walker.facts();
        self.walker.go_to(&before)?;
        if let Some(joint_move) = self.legal_joint(received)? {
            self.step(&joint_move)?;
            return Ok(MoveUpdate::Relocated {
                how: "the last moves were corrected",
                sure: true,
            });
        }
        self.walker.go_to(&here)?;
        self.search(received, until)
    }

    fn step(&mut self, joint_move: &[String]) -> Result<(), ReasonError> {
        let before = self.walker.facts();
        self.walker.step(joint_move)?;
        self.before = Some((before, joint_move.to_vec()));
        self.answered = None;
        Ok(())
    }

    /// The legal joint move that the texts of a message denote in the current state.
    fn legal_joint(&mut self, received: &[String]) -> Result<Option<Vec<String>>, ReasonError> {
        let mut joint_move = Vec::with_capacity(received.len());
        for (role, text) in received.iter().enumerate() {
            let legal = self.walker.legal(role)?;
            match find_legal(&legal, text) {
                Some(text) => joint_move.push(text.clone()),
                None => return Ok(None),
            }
        }
        Ok(Some(joint_move))
    }

    /// Assumes that one message was lost: searches for a joint move after which the received one is
    /// legal. Our own answer usually leaves only one candidate.
    fn search(&mut self, received: &[String], until: Instant) -> Result<MoveUpdate, ReasonError> {
        let now = Instant::now();
        let until = now + until.saturating_duration_since(now) / 4;
        self.walker.set_deadline(Some(until));
        let here = self.walker.facts();
        let mut legal = Vec::with_capacity(self.roles.len());
        for role in 0..self.roles.len() {
            legal.push(self.walker.legal(role)?);
        }
        if let Some(own) = &self.answered
            && legal[self.role].contains(own)
        {
            legal[self.role] = vec![own.clone()];
        }
        let candidates = self.candidates(&here, &legal, received, until);
        let lost = "the moves that were received are not legal, here or a step later";
        match candidates.first() {
            None => {
                self.walker.set_deadline(None);
                self.walker.go_to(&here)?;
                Ok(MoveUpdate::Unexplained(lost.to_owned()))
            }
            Some((between, joint_move, after)) => {
                self.walker.set_deadline(None);
                self.walker.go_to(after)?;
                self.before = Some((between.clone(), joint_move.clone()));
                self.answered = None;
                Ok(MoveUpdate::Relocated {
                    how: "a message was missed",
                    sure: candidates.len() == 1,
                })
            }
        }
    }

    /// The distinct states that are reached by a lost joint move followed by the received one. Each
    /// comes with the state in between and the joint move as the engine prints it.
    fn candidates(
        &mut self,
        here: &[String],
        legal: &[Vec<String>],
        received: &[String],
        until: Instant,
    ) -> Vec<(Vec<String>, Vec<String>, Vec<String>)> {
        let mut candidates: Vec<(Vec<String>, Vec<String>, Vec<String>)> = Vec::new();
        let mut odometer = vec![0; legal.len()];
        if legal.iter().any(Vec::is_empty) {
            return candidates;
        }
        for _ in 0..MAX_CANDIDATES {
            if candidates.len() > 1 || Instant::now() >= until {
                break;
            }
            let missed: Vec<String> = odometer
                .iter()
                .zip(legal)
                .map(|(place, moves)| moves[*place].clone())
                .collect();
            let mut attempt = || -> Result<_, ReasonError> {
                self.walker.go_to(here)?;
                self.walker.step(&missed)?;
                if self.walker.is_terminal()? {
                    return Ok(None);
                }
                let between = self.walker.facts();
                let Some(joint_move) = self.legal_joint(received)? else {
                    return Ok(None);
                };
                self.walker.step(&joint_move)?;
                Ok(Some((between, joint_move, self.walker.facts())))
            };
            if let Ok(Some(one)) = attempt()
                && candidates.iter().all(|known| known.2 != one.2)
            {
                candidates.push(one);
            }
            // Next combination of moves, counted like an odometer.
            let next = odometer.iter_mut().zip(legal).find_map(|(place, moves)| {
                *place += 1;
                if *place < moves.len() {
                    return Some(());
                }
                *place = 0;
                None
            });
            if next.is_none() {
                break;
            }
        }
        candidates
    }
}

#[cfg(test)]
mod tests;
