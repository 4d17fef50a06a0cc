//! A state of `auto`: fluents by their public ids, or a bit set of the network.

use std::fmt;
use std::hash::{Hash, Hasher};

use ludorum_propnet::BitState;
use ludorum_prover::ProverState;
use ludorum_reasoner::{HeapSize, ReasonError};

/// A state in one of two forms.
///
/// Two states of one form are compared by their fluents, and two of different forms by their
/// 128-bit keys. Both forms occur together only around the moment when the network takes over.
/// Among a billion states, the probability that two different ones have the same key is below
/// 10⁻²⁰.
#[derive(Clone)]
pub struct AutoState {
    /// The Zobrist key, the same in all engines. For states of the network it is updated
    /// incrementally, from the fluents that change.
    pub(super) key: u128,
    pub(super) form: Form,
}

#[derive(Clone)]
pub(super) enum Form {
    /// The fluents by their public ids, which are the prover's. The form that all engines on the
    /// rules give and take.
    Rules(ProverState),
    /// The form of the engines on the network.
    Network(BitState),
}

impl AutoState {
    /// A state by its fluents.
    pub(super) fn of_rules(state: ProverState) -> Self {
        Self {
            key: state.key(),
            form: Form::Rules(state),
        }
    }
}

impl HeapSize for AutoState {
    fn heap_bytes(&self) -> usize {
        match &self.form {
            Form::Rules(state) => state.heap_bytes(),
            Form::Network(bits) => bits.heap_bytes(),
        }
    }
}

impl PartialEq for AutoState {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
            && match (&self.form, &other.form) {
                (Form::Network(a), Form::Network(b)) => a == b,
                (Form::Rules(a), Form::Rules(b)) => a == b,
                _ => true,
            }
    }
}

impl Eq for AutoState {}

impl Hash for AutoState {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.key as u64);
    }
}

impl fmt::Debug for AutoState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Rules(state) => state.fmt(f),
            Form::Network(bits) => bits.fmt(f),
        }
    }
}

/// The error for a state that another reasoner made.
#[cold]
pub(crate) fn foreign_state_error() -> ReasonError {
    ReasonError::BadText {
        text: "state".to_owned(),
        reason: "it was made by another reasoner".to_owned(),
    }
}
