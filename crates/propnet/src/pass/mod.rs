//! The passes over a network, one file each. Every pass keeps behaviour.

mod and_inverter_graph;
pub mod budget;
mod case_analysis;
mod cone;
mod context;
mod equal;
mod exclude;
mod factor;
mod flatten;
mod hash;
mod latch;
mod one_hot;
mod opt0;
mod opt1;
mod opt2;
mod opt3;
mod pass_list;
pub mod pipeline;
mod random_simulation;
pub mod specialise;
#[cfg(test)]
mod testing;
mod write_network;

pub use budget::PassBudget;
pub use latch::{Latch, latches};
pub use pass_list::{PassList, PassListError};
pub use pipeline::{PassOutcome, PassReport, optimise, optimise_with_reports};

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use self::and_inverter_graph::AndInverterGraph;
use super::network::Network;

/// A pass over a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pass {
    /// Constant components, as far as constants reach.
    Opt0,
    /// Propositions without a meaning of their own.
    Opt1,
    /// Components with one value in all reachable states.
    Opt2,
    /// Components that nothing looks at.
    Opt3,
    /// Equal gates.
    Hash,
    /// Gates within gates of the same kind.
    Flatten,
    /// Inputs that the terms of a sum share.
    Factor,
    /// Signals of which exactly one holds.
    Exclude,
    /// What other inputs already imply.
    Context,
    /// Fluents that always equal others, or never change.
    Equal,
    /// Fluents of which exactly one holds, for the passes after it to use.
    OneHot,
    /// Everything that no question depends on.
    Cone,
}

/// The sequence that the paper found best.
pub const SIRONI_WINANDS: [Pass; 4] = [Pass::Opt1, Pass::Opt0, Pass::Opt2, Pass::Opt3];

/// The sequence for play.
pub const FULL: &[Pass] = &[
    Pass::Opt1,
    Pass::Opt0,
    Pass::Opt2,
    Pass::Opt3,
    Pass::Hash,
    Pass::Flatten,
    Pass::Factor,
    Pass::Exclude,
    Pass::OneHot,
    Pass::Equal,
    Pass::Exclude,
    Pass::Context,
    Pass::Flatten,
];

impl Pass {
    /// All passes.
    pub const ALL: [Self; 12] = [
        Self::Opt0,
        Self::Opt1,
        Self::Opt2,
        Self::Opt3,
        Self::Hash,
        Self::Flatten,
        Self::Factor,
        Self::Exclude,
        Self::Context,
        Self::Equal,
        Self::OneHot,
        Self::Cone,
    ];

    /// The name to choose it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opt0 => "0",
            Self::Opt1 => "1",
            Self::Opt2 => "2",
            Self::Opt3 => "3",
            Self::Hash => "hash",
            Self::Flatten => "flatten",
            Self::Factor => "factor",
            Self::Exclude => "exclude",
            Self::Context => "context",
            Self::Equal => "equal",
            Self::OneHot => "onehot",
            Self::Cone => "cone",
        }
    }

    /// What the pass does to gates, if it is one of those beyond the paper that work on them.
    fn over_gates(self) -> Option<fn(&AndInverterGraph) -> AndInverterGraph> {
        Some(match self {
            Self::Hash => hash::hash,
            Self::Flatten => flatten::flatten,
            Self::Factor => factor::factor,
            Self::Exclude => exclude::exclude,
            Self::Context => context::context,
            Self::Equal => equal::merge,
            Self::OneHot => one_hot::note,
            Self::Opt0 | Self::Opt1 | Self::Opt2 | Self::Opt3 | Self::Cone => return None,
        })
    }

    /// Applies the pass.
    pub fn run(self, network: &Network) -> Network {
        match self {
            Self::Opt0 => opt0::run(network),
            Self::Opt1 => opt1::run(network),
            Self::Opt2 => opt2::run(network),
            Self::Opt3 => opt3::run(network),
            Self::Hash => hash::run(network),
            Self::Flatten => flatten::run(network),
            Self::Factor => factor::run(network),
            Self::Exclude => exclude::run(network),
            Self::Context => context::run(network),
            Self::Equal => equal::run(network),
            Self::OneHot => one_hot::run(network),
            Self::Cone => cone::run(network),
        }
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no pass has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no pass `{name}`; there are {}", all_names())]
pub struct UnknownPass {
    name: String,
}

fn all_names() -> String {
    Pass::ALL.map(Pass::name).join(", ")
}

impl FromStr for Pass {
    type Err = UnknownPass;

    fn from_str(name: &str) -> Result<Self, UnknownPass> {
        Self::ALL
            .into_iter()
            .find(|pass| pass.name() == name)
            .ok_or_else(|| UnknownPass {
                name: name.to_owned(),
            })
    }
}
