//! Passes: behaviour-preserving transformations of a network, one file each. [`Pass`] lists them,
//! [`optimise`] applies a sequence of them.

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
    /// Constant propagation (Opt0).
    Opt0,
    /// Removal of anonymous propositions (Opt1).
    Opt1,
    /// Components with one value in all reachable states (Opt2).
    Opt2,
    /// Dead gate elimination (Opt3).
    Opt3,
    /// Structural hashing: common subexpression elimination.
    Hash,
    /// Merging of nested gates with the same operation.
    Flatten,
    /// Factoring of sums of products.
    Factor,
    /// Simplification by mutually exclusive signals.
    Exclude,
    /// Redundancy removal: inputs that other inputs imply.
    Context,
    /// Equal, complementary and constant fluents.
    Equal,
    /// Proof of one-hot groups of fluents, for the passes that follow.
    OneHot,
    /// Cone of influence reduction: unused gates, cycles included.
    Cone,
}

/// The best sequence in Sironi and Winands 2016, section 5.3.
pub const SIRONI_WINANDS: [Pass; 4] = [Pass::Opt1, Pass::Opt0, Pass::Opt2, Pass::Opt3];

/// The sequence that engines and players use.
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

    /// The name in pass lists.
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

    /// The pass as a function on and-inverter graphs, if it is one of those beyond Sironi and
    /// Winands 2016 that work on them.
    fn over_gates(self) -> Option<fn(&AndInverterGraph) -> AndInverterGraph> {
        Some(match self {
            Self::Hash => hash::hash,
            Self::Flatten => flatten::flatten,
            Self::Factor => factor::factor,
            Self::Exclude => exclude::exclude,
            Self::Context => context::context,
            Self::Equal => equal::merge,
            Self::OneHot => one_hot::add_groups,
            Self::Opt0 | Self::Opt1 | Self::Opt2 | Self::Opt3 | Self::Cone => return None,
        })
    }

    /// Applies the pass alone.
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

/// A name that is not one of a pass.
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
