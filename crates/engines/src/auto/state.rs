//! A state of `auto`: one of the prover or one of the network.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use ludorum_propnet::ground_game::BitState;
use ludorum_propnet::{Differential, Propnet};
use ludorum_prover::{Prover, ProverState};
use ludorum_reasoner::{HeapSize, ReasonError, Reasoner, allocation};

/// A state in the representation of the engine that made it.
///
/// Two states of one engine are compared by their fluents. A state of the prover and a state of the
/// network are compared by their 128-bit keys. They occur together only around the moment when the
/// network takes over. Among a billion states, the probability that two different ones have the
/// same key is below 10⁻²⁰.
#[derive(Clone)]
pub struct AutoState {
    /// The Zobrist key, the same in all engines. For states of the network it is updated
    /// incrementally, from the fluents that change.
    pub(super) key: u128,
    pub(super) form: Form,
}

#[derive(Clone)]
pub(super) enum Form {
    Network(BitState),
    Rules(Arc<RulesState>),
}

/// A state that the prover made.
pub(super) struct RulesState {
    pub(super) state: ProverState,
    /// Its conversion to the network; `None` inside if the network cannot represent it.
    bits: OnceLock<Option<BitState>>,
}

impl RulesState {
    /// The state in the representation of the network.
    pub(super) fn bits(
        &self,
        prover: &mut Prover,
        network: &mut Propnet<Differential>,
    ) -> Option<&BitState> {
        let convert = || {
            let facts = prover.facts(&self.state);
            network.state_from_facts(&facts).ok()
        };
        self.bits.get_or_init(convert).as_ref()
    }

    /// The bytes that it takes, including its conversion to the network.
    pub(super) fn heap_bytes(&self) -> usize {
        let bits = match self.bits.get() {
            Some(Some(bits)) => bits.heap_bytes(),
            _ => 0,
        };
        allocation(2 * size_of::<usize>() + size_of::<Self>()) + self.state.heap_bytes() + bits
    }
}

impl AutoState {
    /// A state of the prover.
    pub(super) fn of_prover(state: ProverState) -> Self {
        Self {
            key: state.key(),
            form: Form::Rules(Arc::new(RulesState {
                state,
                bits: OnceLock::new(),
            })),
        }
    }
}

impl HeapSize for AutoState {
    fn heap_bytes(&self) -> usize {
        match &self.form {
            Form::Network(bits) => bits.heap_bytes(),
            Form::Rules(rules_state) => rules_state.heap_bytes(),
        }
    }
}

impl PartialEq for AutoState {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
            && match (&self.form, &other.form) {
                (Form::Network(a), Form::Network(b)) => a == b,
                (Form::Rules(a), Form::Rules(b)) => Arc::ptr_eq(a, b) || a.state == b.state,
                (Form::Rules(rules_state), Form::Network(bits))
                | (Form::Network(bits), Form::Rules(rules_state)) => match rules_state.bits.get() {
                    Some(known) => known.as_ref() == Some(bits),
                    None => true,
                },
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
            Form::Network(bits) => bits.fmt(f),
            Form::Rules(rules_state) => rules_state.state.fmt(f),
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
