//! The contract that every engine keeps: [`Reasoner`].

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde::Serialize;
use thiserror::Error;

use crate::CacheReport;
use crate::Choice;
use crate::dice::Dice;
use crate::playout;
use crate::playout::{Guided, Playout, Record, Tally, Wanted};

/// A role, by its place among the `role` facts of the sheet.
pub type Role = usize;

/// A move of one role, dense from 0. The same number means another move for another role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MoveId(pub u32);

impl MoveId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A fluent, by a number that all forks of a reasoner share. Numbers are small, but need not be
/// dense.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FluentId(pub u32);

impl FluentId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a role gets in a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Goal {
    /// Exactly one value, 0 to 255 (the language asks for 0 to 100).
    Value(u8),
    /// No usable value, with the reason. Legal outside terminal states, a fault of the sheet in
    /// them.
    Missing(NoGoal),
}

impl Goal {
    /// The value if there is one.
    pub fn value(&self) -> Option<u8> {
        match self {
            Self::Value(value) => Some(*value),
            Self::Missing(_) => None,
        }
    }

    /// The goal that a set of `goal` facts gives, each as printed KIF.
    pub fn from_texts(mut texts: Vec<String>) -> Self {
        texts.sort_unstable_by_key(|text| (text.parse::<i64>().ok(), text.clone()));
        texts.dedup();
        match &texts[..] {
            [] => Self::Missing(NoGoal::None),
            [text] => text.parse().map_or_else(
                |_| Self::Missing(NoGoal::NotANumber(text.clone())),
                Self::Value,
            ),
            _ => Self::Missing(NoGoal::Several(texts)),
        }
    }
}

/// Why a role has no goal value in a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoGoal {
    /// The rules give none.
    None,
    /// The rules give several; they are listed in order.
    Several(Vec<String>),
    /// The rules give one that is not a number from 0 to 255.
    NotANumber(String),
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => write!(f, "{value}"),
            Self::Missing(NoGoal::None) => write!(f, "none"),
            Self::Missing(NoGoal::Several(all)) => write!(f, "several: {}", all.join(", ")),
            Self::Missing(NoGoal::NotANumber(text)) => write!(f, "not a number: {text}"),
        }
    }
}

/// Why a question got no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReasonError {
    /// The joint move has not one move for each role.
    #[error("a joint move needs {expected} moves, one for each role, and got {got}")]
    WrongMoveCount {
        /// How many roles there are.
        expected: usize,
        /// How many moves were given.
        got: usize,
    },
    /// A move that the role may not make in this state.
    #[error("`{text}` is not a legal move of {role} in this state")]
    IllegalMove {
        /// The role's name.
        role: String,
        /// The move as KIF.
        text: String,
    },
    /// There is no such role.
    #[error("there is no role number {role}: the game has {count}")]
    UnknownRole {
        /// The number asked for.
        role: Role,
        /// How many there are.
        count: usize,
    },
    /// A text that is no ground term, or none that the engine can place.
    #[error("cannot read `{text}`: {reason}")]
    BadText {
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An engine's budget of work or memory is used up; the sheet may recurse without end.
    #[error("over budget: {0}")]
    Budget(String),
    /// The deadline of [`Reasoner::set_deadline`] has passed, or the flag of
    /// [`Reasoner::set_cancel`] was set.
    #[error("out of time")]
    Late,
}

/// All that can be asked about a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// Whether the game is over.
    pub terminal: bool,
    /// What each role gets.
    pub goals: Vec<Goal>,
    /// The legal moves of each role.
    pub legal: Vec<Vec<MoveId>>,
}

/// An engine that answers questions about a game.
///
/// # The contract
/// - Roles are numbered in the order of the sheet's `role` facts; a joint move has one move for
///   each, in that order.
/// - States are values: cheap to clone, compare and hash, usable with every fork of the reasoner
///   that made them, and never changed by a question. Two states are equal exactly if they hold the
///   same fluents.
/// - All questions may be asked of every state, terminal ones included. In a terminal state legal
///   moves may be empty, and [`next`](Self::next) answers as the rules do; that nobody plays on is
///   the caller's business.
/// - Legal moves come sorted by their KIF text, byte by byte, each once, so every engine gives the
///   same list.
/// - [`next`](Self::next) checks its joint move and answers an illegal one with an error, never
///   with a panic or a wrong state.
/// - A goal is a value, or the reason why there is none; asking for it is allowed in every state.
/// - Every engine answers alike. Speed is the only difference that may be seen.
pub trait Reasoner: Send + Sized {
    /// A position of the game.
    type State: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;

    /// The names of the roles in KIF, in the order of the sheet.
    fn roles(&self) -> &[String];

    /// The state that the `init` facts describe.
    fn initial(&mut self) -> Result<Self::State, ReasonError>;

    /// Whether the game is over.
    fn is_terminal(&mut self, state: &Self::State) -> Result<bool, ReasonError>;

    /// What a role gets.
    fn goal(&mut self, state: &Self::State, role: Role) -> Result<Goal, ReasonError>;

    /// Puts the legal moves of a role into `moves`, replacing what was there. After
    /// [`ReasonError::Late`] some of them may be there: each is legal, but there may be more.
    fn legal_moves(
        &mut self,
        state: &Self::State,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError>;

    /// The state after a joint move.
    fn next(
        &mut self,
        state: &Self::State,
        joint_move: &[MoveId],
    ) -> Result<Self::State, ReasonError>;

    /// The KIF text of a move; the id must come from this reasoner or a fork of it.
    fn move_text(&mut self, role: Role, id: MoveId) -> String;

    /// The move with a KIF text, if the role can ever make it as far as is known. Spacing does not
    /// matter.
    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId>;

    /// The fluents of a state in KIF, sorted by text.
    fn facts(&mut self, state: &Self::State) -> Vec<String>;

    /// Puts the fluents of a state into `fluents` by number, ascending, replacing what was there:
    /// what [`facts`](Self::facts) says in words, for whoever looks at very many states.
    fn fluents(&mut self, state: &Self::State, fluents: &mut Vec<FluentId>);

    /// The KIF text of a fluent; the id must come from this reasoner or a fork of it.
    fn fluent_text(&mut self, id: FluentId) -> String;

    /// The state with exactly the given fluents.
    fn state_from_facts(&mut self, facts: &[String]) -> Result<Self::State, ReasonError>;

    /// A key of 128 bits that equal states share and different ones practically never do. All
    /// engines give the same.
    fn key(&self, state: &Self::State) -> u128;

    /// A reasoner for another thread: what was compiled is shared, scratch memory is its own.
    #[must_use]
    fn fork(&self) -> Self;

    /// Questions still open at this moment end with [`ReasonError::Late`]. Engines whose every
    /// answer is quick ignore it.
    fn set_deadline(&mut self, _deadline: Option<Instant>) {}

    /// Questions end with [`ReasonError::Late`] once somebody, in whatever thread, has set this
    /// flag. Forks have none. Engines whose every answer is quick ignore it.
    fn set_cancel(&mut self, _cancel: Option<Arc<AtomicBool>>) {}

    /// Whether one of both has happened, for whoever asks an engine many quick questions in a row.
    /// Engines that look for themselves may say no.
    fn is_late(&self) -> bool {
        false
    }

    /// Waits until what the engine prepares in the background is ready. Most prepare nothing and
    /// return at once; nobody has to call this.
    fn settle(&mut self) {}

    /// Which engine answers and why, for an engine that chooses among others.
    fn choice(&self) -> Option<Choice> {
        None
    }

    /// What the engine's memory of answers has been good for, if it has one.
    fn cache(&self) -> Option<CacheReport> {
        None
    }

    // Whatever is answered here, and not by engines, has to be passed on by those that wrap
    // another: `Cached`, `Auto` and `AnyReasoner`.

    /// How many fluents the first state has and the second has not, and how many the other way
    /// round.
    fn difference(&mut self, first: &Self::State, second: &Self::State) -> (usize, usize) {
        let (first, second) = (self.facts(first), self.facts(second));
        difference(&first, &second)
    }

    /// How many components the compiled form of the game has, for engines that have one.
    fn components(&self) -> Option<usize> {
        None
    }

    /// Plays random moves, uniform and independent for each role, until the game ends, a role has
    /// no legal move, or `limit` steps are made.
    ///
    /// The same dice give the same playout on every run. Engines replace this by something faster.
    fn playout(
        &mut self,
        state: &Self::State,
        dice: &mut Dice,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        playout::random(self, state, dice, limit)
    }

    /// Plays `each` random playouts from every one of some states and adds up what comes out, start
    /// by start.
    ///
    /// The same dice give the same tallies on every run. Engines that play many at once replace
    /// this.
    fn playouts<B: Borrow<Self::State>>(
        &mut self,
        starts: &[B],
        each: u32,
        dice: &mut Dice,
        limit: u32,
    ) -> Result<Vec<Tally>, ReasonError> {
        playout::tallies(self, starts, each, dice, limit)
    }

    /// The same with every playout for itself and with the moves that were played in it, start by
    /// start.
    fn records<B: Borrow<Self::State>>(
        &mut self,
        starts: &[B],
        each: u32,
        dice: &mut Dice,
        limit: u32,
    ) -> Result<Vec<Vec<Record>>, ReasonError> {
        playout::records(self, starts, each, dice, limit)
    }

    /// Whether guided playouts can be had at once. Engines that have to make something ready for
    /// them begin with it and go on answering.
    fn is_ready_to_guide(&mut self) -> bool {
        true
    }

    /// Plays guided playouts; gives the tallies, start by start, and what was played, group by
    /// group. [`Wanted::waits`] says what happens while the engine is not
    /// [ready](Self::is_ready_to_guide).
    fn guided_playouts<B: Borrow<Self::State>>(
        &mut self,
        wanted: &Wanted<'_, B>,
        dice: &mut Dice,
    ) -> Result<Guided, ReasonError> {
        playout::guided_tallies(self, wanted, dice)
    }

    /// All about some states. Engines that look at many states at once replace this.
    fn survey<B: Borrow<Self::State>>(&mut self, states: &[B]) -> Result<Vec<Survey>, ReasonError> {
        survey(self, states)
    }

    /// The states after several joint moves, each from a state of its own: pairs of a state and a
    /// joint move.
    fn next_states(
        &mut self,
        moves: &[(&Self::State, &[MoveId])],
    ) -> Result<Vec<Self::State>, ReasonError> {
        let one = |(state, joint_move): &(&Self::State, &[MoveId])| self.next(state, joint_move);
        moves.iter().map(one).collect()
    }

    /// The bytes that a state takes, so that whoever keeps many can keep within a bound.
    fn state_bytes(&self, _state: &Self::State) -> usize {
        size_of::<Self::State>()
    }

    /// How many playouts the engine likes to be asked for at once.
    fn batch(&self) -> u32 {
        1
    }
}

/// Checks the size of a joint move.
pub fn check_move_count(roles: usize, joint_move: &[MoveId]) -> Result<(), ReasonError> {
    if joint_move.len() == roles {
        Ok(())
    } else {
        Err(ReasonError::WrongMoveCount {
            expected: roles,
            got: joint_move.len(),
        })
    }
}

/// How many texts are in the first list only and in the second only; both are sorted.
pub fn difference(first: &[String], second: &[String]) -> (usize, usize) {
    let (mut a, mut b) = (first.iter().peekable(), second.iter().peekable());
    let mut only = (0, 0);
    while let (Some(left), Some(right)) = (a.peek(), b.peek()) {
        match left.cmp(right) {
            Ordering::Less => only.0 += usize::from(a.next().is_some()),
            Ordering::Greater => only.1 += usize::from(b.next().is_some()),
            Ordering::Equal => {
                a.next();
                b.next();
            }
        }
    }
    (only.0 + a.count(), only.1 + b.count())
}

/// All about some states, one question after the other.
pub fn survey<R: Reasoner, B: Borrow<R::State>>(
    reasoner: &mut R,
    states: &[B],
) -> Result<Vec<Survey>, ReasonError> {
    let roles = 0..reasoner.roles().len();
    states
        .iter()
        .map(|state| {
            let state = state.borrow();
            Ok(Survey {
                terminal: reasoner.is_terminal(state)?,
                goals: roles
                    .clone()
                    .map(|role| reasoner.goal(state, role))
                    .collect::<Result<_, _>>()?,
                legal: roles
                    .clone()
                    .map(|role| {
                        let mut moves = Vec::new();
                        reasoner.legal_moves(state, role, &mut moves)?;
                        Ok(moves)
                    })
                    .collect::<Result<_, ReasonError>>()?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn what_only_one_list_has_is_counted() {
        let list = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(difference(&list("a b c"), &list("b d e f")), (2, 3));
        assert_eq!(difference(&list("a b"), &list("a b")), (0, 0));
        assert_eq!(difference(&[], &list("a b")), (0, 2));
    }
}
