//! A state of any engine.

use std::fmt;
use std::hash::{Hash, Hasher};

use ludorum_chain::ChainState;
use ludorum_lanes::StagedState;
use ludorum_orand::OrandState;
use ludorum_propnet::BitState;
use ludorum_prover::ProverState;
use ludorum_reasoner::{HeapSize, ReasonError};

use crate::auto::{AutoState, foreign_state_error};

/// A state of an [`AnyReasoner`](crate::AnyReasoner), in the representation of the engine that made
/// it.
#[derive(Clone, PartialEq, Eq)]
pub enum AnyState {
    /// A state of the prover.
    Prover(ProverState),
    /// A state of the OR-AND interpreter.
    Orand(OrandState),
    /// A state of forward chaining.
    Chain(ChainState),
    /// A state of a network or of lanes.
    Bits(BitState),
    /// A state of a staged game.
    Staged(StagedState),
    /// A state of `auto`.
    Auto(AutoState),
}

/// The state type of an engine, as a variant of [`AnyState`].
pub(crate) trait EngineState: Sized {
    /// Wraps the state in its variant.
    fn into_any(self) -> AnyState;
    /// The wrapped state, if it is of this type.
    fn from_any(state: &AnyState) -> Option<&Self>;
}

/// Maps the state types to their variants.
macro_rules! engine_states {
    ($($variant:ident: $state:ty),+ $(,)?) => {
        $(impl EngineState for $state {
            #[inline]
            fn into_any(self) -> AnyState {
                AnyState::$variant(self)
            }

            #[inline]
            fn from_any(state: &AnyState) -> Option<&Self> {
                match state {
                    AnyState::$variant(state) => Some(state),
                    _ => None,
                }
            }
        })+

        impl Hash for AnyState {
            #[inline]
            fn hash<H: Hasher>(&self, hasher: &mut H) {
                match self {
                    $(Self::$variant(state) => state.hash(hasher),)+
                }
            }
        }

        impl fmt::Debug for AnyState {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant(state) => state.fmt(f),)+
                }
            }
        }

        impl HeapSize for AnyState {
            fn heap_bytes(&self) -> usize {
                match self {
                    $(Self::$variant(state) => state.heap_bytes(),)+
                }
            }
        }
    };
}

engine_states! {
    Prover: ProverState,
    Orand: OrandState,
    Chain: ChainState,
    Bits: BitState,
    Staged: StagedState,
    Auto: AutoState,
}

/// A cache around an `AnyReasoner` has the states of that reasoner.
impl EngineState for AnyState {
    #[inline]
    fn into_any(self) -> AnyState {
        self
    }

    #[inline]
    fn from_any(state: &AnyState) -> Option<&Self> {
        Some(state)
    }
}

/// The state in the representation of an engine; an error if another engine made it.
#[inline]
pub(crate) fn state_of<S: EngineState>(state: &AnyState) -> Result<&S, ReasonError> {
    S::from_any(state).ok_or_else(foreign_state_error)
}
