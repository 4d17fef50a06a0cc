//! A state that the prover or the network has made.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use super::compiled::Compiled;
use ludorum_propnet::ground_game::BitState;
use ludorum_prover::{Prover, ProverState};
use ludorum_reasoner::{HeapSize, Reasoner, allocation};

/// A position, in the form of the engine that made it.
///
/// Two states of one engine are compared whole. One of the prover's and one of the network's, which
/// meet only around the moment when the network takes over, are the same if their keys of 128 bits
/// are: among a billion states, two different ones have the same key with a chance below 10⁻²⁰.
#[derive(Clone)]
pub struct AutoState {
    /// The same in all engines; the network's states get it from the state before by the fluents
    /// that change.
    pub(super) key: u128,
    pub(super) form: Form,
}

#[derive(Clone)]
pub(super) enum Form {
    Network(BitState),
    Rules(Arc<Early>),
}

/// A state that the prover made.
pub(super) struct Early {
    pub(super) state: ProverState,
    /// What it is for the network; `None` inside if the network does not know it.
    bits: OnceLock<Option<BitState>>,
}

impl Early {
    /// The state as the network has it.
    pub(super) fn bits(&self, prover: &mut Prover, compiled: &mut Compiled) -> Option<&BitState> {
        let convert = || {
            let facts = prover.facts(&self.state);
            compiled.network.state_from_facts(&facts).ok()
        };
        self.bits.get_or_init(convert).as_ref()
    }
}

impl Early {
    /// The bytes it takes, with what the network makes of it later.
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
    pub(super) fn early(state: ProverState) -> Self {
        Self {
            key: state.key(),
            form: Form::Rules(Arc::new(Early {
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
            Form::Rules(early) => early.heap_bytes(),
        }
    }
}

impl PartialEq for AutoState {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
            && match (&self.form, &other.form) {
                (Form::Network(a), Form::Network(b)) => a == b,
                (Form::Rules(a), Form::Rules(b)) => Arc::ptr_eq(a, b) || a.state == b.state,
                (Form::Rules(early), Form::Network(bits))
                | (Form::Network(bits), Form::Rules(early)) => match early.bits.get() {
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
            Form::Rules(early) => early.state.fmt(f),
        }
    }
}
