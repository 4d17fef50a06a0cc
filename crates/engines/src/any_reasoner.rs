//! Any engine, as one type.
//!
//! Players, referees and benchmarks are generic over [`Reasoner`], but a program compiles them for
//! one type only: [`AnyReasoner`], an enum with a variant for each engine. A call costs a `match`
//! and then a direct call, about a nanosecond. Compiling the search for every engine type took
//! minutes.

use std::borrow::Borrow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ludorum_chain::Chain;
use ludorum_lanes::{Lanes, StagedLanes};
use ludorum_orand::Orand;
use ludorum_propnet::{Backward, Differential, Forward, Propnet};
use ludorum_prover::Prover;
use ludorum_reasoner::{
    CacheReport, EngineChoice, FluentId, Goal, GuidedRequest, GuidedResult, MoveId, Playout,
    PlayoutRecord, PlayoutTotals, ReasonError, Reasoner, Rng, Role, StateSummary,
};

use crate::any_state::{AnyState, EngineState, state_of};
use crate::auto::Auto;
use crate::cache::Cached;

/// A reasoner on any engine.
#[derive(Debug)]
pub enum AnyReasoner {
    /// Backward chaining.
    Prover(Box<Prover>),
    /// The OR-AND interpreter.
    Orand(Box<Orand>),
    /// Forward chaining.
    Chain(Box<Chain>),
    /// The network with forward propagation.
    Forward(Box<Propnet<Forward>>),
    /// The network with backward propagation.
    Backward(Box<Propnet<Backward>>),
    /// The network with differential propagation.
    Differential(Box<Propnet<Differential>>),
    /// Bit-sliced playouts.
    Lanes(Box<Lanes>),
    /// Bit-sliced playouts in stages.
    Staged(Box<StagedLanes>),
    /// The engine that chooses among the others.
    Auto(Box<Auto>),
    /// A cache around another engine.
    Cached(Box<Cached<AnyReasoner>>),
}

/// Implements the conversion of each engine type into an [`AnyReasoner`].
macro_rules! from_engines {
    ($($variant:ident: $engine:ty),+ $(,)?) => {
        $(impl From<$engine> for AnyReasoner {
            fn from(engine: $engine) -> Self {
                Self::$variant(Box::new(engine))
            }
        })+
    };
}

from_engines! {
    Prover: Prover,
    Orand: Orand,
    Chain: Chain,
    Forward: Propnet<Forward>,
    Backward: Propnet<Backward>,
    Differential: Propnet<Differential>,
    Lanes: Lanes,
    Staged: StagedLanes,
    Auto: Auto,
    Cached: Cached<AnyReasoner>,
}

/// Evaluates an expression on the wrapped engine.
macro_rules! dispatch {
    ($any:expr, $reasoner:ident => $answer:expr) => {
        match $any {
            AnyReasoner::Prover($reasoner) => $answer,
            AnyReasoner::Orand($reasoner) => $answer,
            AnyReasoner::Chain($reasoner) => $answer,
            AnyReasoner::Forward($reasoner) => $answer,
            AnyReasoner::Backward($reasoner) => $answer,
            AnyReasoner::Differential($reasoner) => $answer,
            AnyReasoner::Lanes($reasoner) => $answer,
            AnyReasoner::Staged($reasoner) => $answer,
            AnyReasoner::Auto($reasoner) => $answer,
            AnyReasoner::Cached($reasoner) => $answer,
        }
    };
}

/// A list of states in the representation of an engine.
fn states_of<'s, S: EngineState>(states: &[&'s AnyState]) -> Result<Vec<&'s S>, ReasonError> {
    states.iter().map(|state| state_of(state)).collect()
}

fn into_any<S: EngineState>(states: Vec<S>) -> Vec<AnyState> {
    states.into_iter().map(EngineState::into_any).collect()
}

/// The successors of several states, on one engine.
fn next_states<R: Reasoner<State: EngineState>>(
    reasoner: &mut R,
    moves: &[(&AnyState, &[MoveId])],
) -> Result<Vec<AnyState>, ReasonError> {
    let moves = moves
        .iter()
        .map(|(state, joint_move)| Ok((state_of(state)?, *joint_move)))
        .collect::<Result<Vec<(&R::State, &[MoveId])>, ReasonError>>()?;
    reasoner.next_states(&moves).map(into_any)
}

/// References to states that are owned or borrowed.
fn references<B: Borrow<AnyState>>(states: &[B]) -> Vec<&AnyState> {
    states.iter().map(Borrow::borrow).collect()
}

/// The generic methods of [`Reasoner`] for references. They are functions of this crate, so that
/// crates that use them do not compile the playouts of all engines once more.
impl AnyReasoner {
    fn play(
        &mut self,
        starts: &[&AnyState],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        dispatch!(self, reasoner => reasoner.playouts(&states_of(starts)?, each, rng, limit))
    }

    fn record(
        &mut self,
        starts: &[&AnyState],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<Vec<PlayoutRecord>>, ReasonError> {
        dispatch!(self, reasoner => {
            reasoner.recorded_playouts(&states_of(starts)?, each, rng, limit)
        })
    }

    fn play_guided(
        &mut self,
        request: &GuidedRequest<'_, &AnyState>,
        rng: &mut Rng,
    ) -> Result<GuidedResult, ReasonError> {
        dispatch!(self, reasoner => {
            let starts = states_of(request.starts)?;
            reasoner.guided_playouts(&request.with(&starts, request.policy), rng)
        })
    }

    fn summarise(&mut self, states: &[&AnyState]) -> Result<Vec<StateSummary>, ReasonError> {
        dispatch!(self, reasoner => reasoner.summaries(&states_of(states)?))
    }
}

impl Reasoner for AnyReasoner {
    type State = AnyState;

    #[inline]
    fn roles(&self) -> &[String] {
        dispatch!(self, reasoner => reasoner.roles())
    }

    #[inline]
    fn initial(&mut self) -> Result<AnyState, ReasonError> {
        dispatch!(self, reasoner => reasoner.initial().map(EngineState::into_any))
    }

    #[inline]
    fn is_terminal(&mut self, state: &AnyState) -> Result<bool, ReasonError> {
        dispatch!(self, reasoner => reasoner.is_terminal(state_of(state)?))
    }

    #[inline]
    fn goal(&mut self, state: &AnyState, role: Role) -> Result<Goal, ReasonError> {
        dispatch!(self, reasoner => reasoner.goal(state_of(state)?, role))
    }

    #[inline]
    fn legal_moves(
        &mut self,
        state: &AnyState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        dispatch!(self, reasoner => reasoner.legal_moves(state_of(state)?, role, moves))
    }

    #[inline]
    fn next(&mut self, state: &AnyState, joint_move: &[MoveId]) -> Result<AnyState, ReasonError> {
        dispatch!(self, reasoner => {
            reasoner.next(state_of(state)?, joint_move).map(EngineState::into_any)
        })
    }

    fn move_text(&mut self, role: Role, id: MoveId) -> String {
        dispatch!(self, reasoner => reasoner.move_text(role, id))
    }

    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId> {
        dispatch!(self, reasoner => reasoner.find_move(role, text))
    }

    fn facts(&mut self, state: &AnyState) -> Vec<String> {
        dispatch!(self, reasoner => {
            EngineState::from_any(state).map_or_else(Vec::new, |state| reasoner.facts(state))
        })
    }

    #[inline]
    fn fluents(&mut self, state: &AnyState, fluents: &mut Vec<FluentId>) {
        dispatch!(self, reasoner => match EngineState::from_any(state) {
            Some(state) => reasoner.fluents(state, fluents),
            None => fluents.clear(),
        });
    }

    fn fluent_text(&mut self, id: FluentId) -> String {
        dispatch!(self, reasoner => reasoner.fluent_text(id))
    }

    fn state_from_facts(&mut self, facts: &[String]) -> Result<AnyState, ReasonError> {
        dispatch!(self, reasoner => reasoner.state_from_facts(facts).map(EngineState::into_any))
    }

    #[inline]
    fn key(&self, state: &AnyState) -> u128 {
        dispatch!(self, reasoner => {
            EngineState::from_any(state).map_or(0, |state| reasoner.key(state))
        })
    }

    fn fork(&self) -> Self {
        match self {
            Self::Prover(reasoner) => Self::Prover(Box::new(reasoner.fork())),
            Self::Orand(reasoner) => Self::Orand(Box::new(reasoner.fork())),
            Self::Chain(reasoner) => Self::Chain(Box::new(reasoner.fork())),
            Self::Forward(reasoner) => Self::Forward(Box::new(reasoner.fork())),
            Self::Backward(reasoner) => Self::Backward(Box::new(reasoner.fork())),
            Self::Differential(reasoner) => Self::Differential(Box::new(reasoner.fork())),
            Self::Lanes(reasoner) => Self::Lanes(Box::new(reasoner.fork())),
            Self::Staged(reasoner) => Self::Staged(Box::new(reasoner.fork())),
            Self::Auto(reasoner) => Self::Auto(Box::new(reasoner.fork())),
            Self::Cached(reasoner) => Self::Cached(Box::new(reasoner.fork())),
        }
    }

    #[inline]
    fn set_deadline(&mut self, deadline: Option<Instant>) {
        dispatch!(self, reasoner => reasoner.set_deadline(deadline));
    }

    #[inline]
    fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        dispatch!(self, reasoner => reasoner.set_cancel(cancel));
    }

    #[inline]
    fn is_stopped(&self) -> bool {
        dispatch!(self, reasoner => reasoner.is_stopped())
    }

    fn wait_until_ready(&mut self) {
        dispatch!(self, reasoner => reasoner.wait_until_ready());
    }

    fn set_reproducible(&mut self, reproducible: bool) {
        dispatch!(self, reasoner => reasoner.set_reproducible(reproducible));
    }

    fn engine_choice(&self) -> Option<EngineChoice> {
        dispatch!(self, reasoner => reasoner.engine_choice())
    }

    fn cache_report(&self) -> Option<CacheReport> {
        dispatch!(self, reasoner => reasoner.cache_report())
    }

    fn fluent_difference(&mut self, first: &AnyState, second: &AnyState) -> (usize, usize) {
        dispatch!(self, reasoner => {
            match (EngineState::from_any(first), EngineState::from_any(second)) {
                (Some(first), Some(second)) => reasoner.fluent_difference(first, second),
                _ => (0, 0),
            }
        })
    }

    fn components(&self) -> Option<usize> {
        dispatch!(self, reasoner => reasoner.components())
    }

    #[inline]
    fn playout(
        &mut self,
        state: &AnyState,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        dispatch!(self, reasoner => reasoner.playout(state_of(state)?, rng, limit))
    }

    fn playouts<B: Borrow<AnyState>>(
        &mut self,
        starts: &[B],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        self.play(&references(starts), each, rng, limit)
    }

    fn recorded_playouts<B: Borrow<AnyState>>(
        &mut self,
        starts: &[B],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<Vec<PlayoutRecord>>, ReasonError> {
        self.record(&references(starts), each, rng, limit)
    }

    fn is_ready_for_guided_playouts(&mut self) -> bool {
        dispatch!(self, reasoner => reasoner.is_ready_for_guided_playouts())
    }

    fn guided_playouts<B: Borrow<AnyState>>(
        &mut self,
        request: &GuidedRequest<'_, B>,
        rng: &mut Rng,
    ) -> Result<GuidedResult, ReasonError> {
        let starts = references(request.starts);
        self.play_guided(&request.with(&starts, request.policy), rng)
    }

    fn summaries<B: Borrow<AnyState>>(
        &mut self,
        states: &[B],
    ) -> Result<Vec<StateSummary>, ReasonError> {
        self.summarise(&references(states))
    }

    fn next_states(
        &mut self,
        moves: &[(&AnyState, &[MoveId])],
    ) -> Result<Vec<AnyState>, ReasonError> {
        dispatch!(self, reasoner => next_states(&mut **reasoner, moves))
    }

    fn state_bytes(&self, state: &AnyState) -> usize {
        // The engine counts the size of its own state type, which is part of `AnyState`.
        dispatch!(self, reasoner => {
            EngineState::from_any(state).map_or(0, |state| {
                reasoner.state_bytes(state).saturating_sub(size_of_val(state))
            })
        }) + size_of::<AnyState>()
    }

    fn preferred_batch(&self) -> u32 {
        dispatch!(self, reasoner => reasoner.preferred_batch())
    }
}
