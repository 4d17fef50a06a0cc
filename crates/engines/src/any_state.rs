//! A state of whichever engine.

use std::fmt;
use std::hash::{Hash, Hasher};

use ludorum_chain::ChainState;
use ludorum_orand::OrandState;
use ludorum_propnet::BitState;
use ludorum_prover::ProverState;
use ludorum_reasoner::{HeapSize, ReasonError};

use crate::auto::AutoState;

/// A state of an [`AnyReasoner`](crate::AnyReasoner), in the form of the engine that made it.
#[derive(Clone, PartialEq, Eq)]
pub enum AnyState {
    /// Of the prover.
    Prover(ProverState),
    /// Of the OR-AND interpreter.
    Orand(OrandState),
    /// Of forward chaining.
    Chain(ChainState),
    /// Of a network, or of lanes.
    Bits(BitState),
    /// Of the automatic choice.
    Auto(AutoState),
}

/// The state type of an engine, as a variant of [`AnyState`].
pub(crate) trait EngineState: Sized {
    /// The variant.
    fn into_any(self) -> AnyState;
    /// The state inside, if it is of this type.
    fn from_any(state: &AnyState) -> Option<&Self>;
}

/// Connects state types with their variants.
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
    Auto: AutoState,
}

/// A cache around an engine has the states of the engine inside.
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

/// The state in the form of an engine; an error if another engine made it.
#[inline]
pub(crate) fn own<S: EngineState>(state: &AnyState) -> Result<&S, ReasonError> {
    S::from_any(state).ok_or_else(foreign)
}

/// The error for a state that another reasoner made.
#[cold]
pub(crate) fn foreign() -> ReasonError {
    ReasonError::BadText {
        text: "state".to_owned(),
        reason: "it was made by another reasoner".to_owned(),
    }
}
