//! The contract of all engines: the trait [`Reasoner`].

mod defaults;
mod guided_playouts;
mod playouts;

pub use defaults::{count_differences, state_summaries};
pub use guided_playouts::{guided_playout, guided_playouts};
pub use playouts::{playout_totals, random_playout, recorded_playout, recorded_playouts};

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::cache_report::CacheReport;
use crate::engine_choice::EngineChoice;
use crate::error::ReasonError;
use crate::goal::Goal;
use crate::ids::{FluentId, MoveId, Role};
use crate::playout::{GuidedRequest, GuidedResult, Playout, PlayoutRecord, PlayoutTotals};
use crate::rng::Rng;
use crate::summary::StateSummary;

/// An engine that answers queries about a game.
///
/// # The contract
/// - Roles are numbered in the order of the `role` facts of the rule sheet. A joint move has one
///   move for each role, in that order.
/// - States are values. They are cheap to clone, compare and hash. A query never changes a state.
///   A state can be used with every fork of the reasoner that made it. Two states are equal if and
///   only if they hold the same fluents.
/// - All queries are allowed in every state, including terminal ones. In a terminal state the lists
///   of legal moves may be empty, and [`next`](Self::next) applies the rules all the same. The
///   caller decides not to play on.
/// - Legal moves are sorted by their KIF text, byte by byte, without duplicates. Every engine
///   therefore gives the same list.
/// - [`next`](Self::next) checks the joint move. An illegal one gives an error, never a panic and
///   never a wrong state.
/// - A goal is a value or the reason why there is none. The query is allowed in every state.
/// - All engines give the same answers. They differ in speed only.
pub trait Reasoner: Send + Sized {
    /// A state of the game: a set of fluents.
    type State: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;

    /// The names of the roles in KIF, in the order of the rule sheet.
    fn roles(&self) -> &[String];

    /// The state given by the `init` facts.
    fn initial(&mut self) -> Result<Self::State, ReasonError>;

    /// Whether the state is terminal.
    fn is_terminal(&mut self, state: &Self::State) -> Result<bool, ReasonError>;

    /// The goal of a role.
    fn goal(&mut self, state: &Self::State, role: Role) -> Result<Goal, ReasonError>;

    /// Replaces the contents of `moves` by the legal moves of a role. After
    /// [`ReasonError::Stopped`] the list may be incomplete, but every move in it is legal.
    fn legal_moves(
        &mut self,
        state: &Self::State,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError>;

    /// The successor state under a joint move.
    fn next(
        &mut self,
        state: &Self::State,
        joint_move: &[MoveId],
    ) -> Result<Self::State, ReasonError>;

    /// The KIF text of a move. The id must come from this reasoner or a fork of it.
    fn move_text(&mut self, role: Role, id: MoveId) -> String;

    /// The move with a KIF text. `None` if the engine can tell that no state makes it legal.
    /// Whitespace is normalised.
    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId>;

    /// The fluents of a state in KIF, sorted by text.
    fn facts(&mut self, state: &Self::State) -> Vec<String>;

    /// Replaces the contents of `fluents` by the fluents of a state, in ascending order. It is the
    /// fast form of [`facts`](Self::facts).
    fn fluents(&mut self, state: &Self::State, fluents: &mut Vec<FluentId>);

    /// The KIF text of a fluent. The id must come from this reasoner or a fork of it.
    fn fluent_text(&mut self, id: FluentId) -> String;

    /// The state with exactly the given fluents.
    fn state_from_facts(&mut self, facts: &[String]) -> Result<Self::State, ReasonError>;

    /// The 128-bit Zobrist key of a state (Zobrist 1970). Equal states have equal keys. Different
    /// states practically never do. All engines compute the same key.
    fn key(&self, state: &Self::State) -> u128;

    /// A reasoner for another thread. It shares what was compiled and has scratch memory of its
    /// own.
    #[must_use]
    fn fork(&self) -> Self;

    /// Queries that are running at this moment end with [`ReasonError::Stopped`]. Engines whose
    /// answers are always quick ignore the deadline.
    fn set_deadline(&mut self, _deadline: Option<Instant>) {}

    /// Queries end with [`ReasonError::Stopped`] once any thread has set this flag. Forks start
    /// without a flag. Engines whose answers are always quick ignore it.
    fn set_cancel(&mut self, _cancel: Option<Arc<AtomicBool>>) {}

    /// Whether the deadline has passed or the cancel flag is set. Callers that send many quick
    /// queries check it between them. Engines that check for themselves may always return false.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Waits until everything that the engine prepares in the background is ready. Calling it is
    /// optional. It returns at once in engines that prepare nothing.
    fn wait_until_ready(&mut self) {}

    /// Makes playouts reproducible: with it, which playouts are made depends on the seed and never
    /// on the clock. An engine that chooses among others by their speed waits until all are ready,
    /// for at most half of the time until the deadline, and then plays on a fixed one. For callers
    /// with a budget of simulations. Forks inherit it.
    fn set_reproducible(&mut self, _reproducible: bool) {}

    /// Which engine answers and why, for an engine that chooses among others.
    fn engine_choice(&self) -> Option<EngineChoice> {
        None
    }

    /// The statistics of the cache of answers, if the engine has one.
    fn cache_report(&self) -> Option<CacheReport> {
        None
    }

    // Wrappers (`Cached`, `Auto`, `AnyReasoner`) forward every method that has a default body here.
    // Without the forwarding they would hide the faster implementation of the wrapped engine.

    /// How many fluents hold only in the first state, and how many only in the second.
    fn fluent_difference(&mut self, first: &Self::State, second: &Self::State) -> (usize, usize) {
        let (first, second) = (self.facts(first), self.facts(second));
        count_differences(&first, &second)
    }

    /// The number of components of the compiled game, for engines that compile one.
    fn components(&self) -> Option<usize> {
        None
    }

    /// Plays uniformly random moves, independent for each role, until the state is terminal, a role
    /// has no legal move, or `limit` steps are made.
    ///
    /// The playout depends on the state of `rng` alone. Engines override this with something
    /// faster.
    fn playout(
        &mut self,
        state: &Self::State,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        random_playout(self, state, rng, limit)
    }

    /// Plays `each` random playouts from every start and sums up the results for each start.
    ///
    /// The totals depend on the state of `rng` alone. Engines that play many playouts at once
    /// override this.
    fn playouts<B: Borrow<Self::State>>(
        &mut self,
        starts: &[B],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        playout_totals(self, starts, each, rng, limit)
    }

    /// Plays `each` random playouts from every start and returns every single one with its moves,
    /// grouped by start.
    fn recorded_playouts<B: Borrow<Self::State>>(
        &mut self,
        starts: &[B],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<Vec<PlayoutRecord>>, ReasonError> {
        recorded_playouts(self, starts, each, rng, limit)
    }

    /// Whether guided playouts are available at once. Engines that have to prepare something for
    /// them start to do so in the background and return false until then.
    fn is_ready_for_guided_playouts(&mut self) -> bool {
        true
    }

    /// Plays playouts under a policy. [`GuidedRequest::wait_until_ready`] says what happens while
    /// the engine is not [ready](Self::is_ready_for_guided_playouts).
    fn guided_playouts<B: Borrow<Self::State>>(
        &mut self,
        request: &GuidedRequest<'_, B>,
        rng: &mut Rng,
    ) -> Result<GuidedResult, ReasonError> {
        guided_playouts(self, request, rng)
    }

    /// The summaries of some states. Engines that evaluate many states at once override this.
    fn summaries<B: Borrow<Self::State>>(
        &mut self,
        states: &[B],
    ) -> Result<Vec<StateSummary>, ReasonError> {
        state_summaries(self, states)
    }

    /// The successors of several states, each under a joint move of its own.
    fn next_states(
        &mut self,
        moves: &[(&Self::State, &[MoveId])],
    ) -> Result<Vec<Self::State>, ReasonError> {
        let one = |(state, joint_move): &(&Self::State, &[MoveId])| self.next(state, joint_move);
        moves.iter().map(one).collect()
    }

    /// The bytes that a state takes, for callers that keep many states within a memory bound.
    fn state_bytes(&self, _state: &Self::State) -> usize {
        size_of::<Self::State>()
    }

    /// The number of playouts per call at which the engine is fastest. 1 for engines that play one
    /// at a time.
    fn preferred_batch(&self) -> u32 {
        1
    }
}
