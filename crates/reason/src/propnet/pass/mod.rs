//! The passes over a network, one file each. Every pass keeps behaviour.

mod opt0;
mod opt1;
mod opt2;
mod opt3;
pub(super) mod specialise;

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::network::{Counts, Network};

/// A pass over a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Constant components, as far as constants reach.
    Opt0,
    /// Propositions without a meaning of their own.
    Opt1,
    /// Components with one value in all reachable states.
    Opt2,
    /// Components that nothing looks at.
    Opt3,
}

/// The sequence that the paper found best.
pub const PAPER: [Pass; 4] = [Pass::Opt1, Pass::Opt0, Pass::Opt2, Pass::Opt3];

impl Pass {
    /// All passes.
    pub const ALL: [Self; 4] = [Self::Opt0, Self::Opt1, Self::Opt2, Self::Opt3];

    /// The name to choose it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opt0 => "0",
            Self::Opt1 => "1",
            Self::Opt2 => "2",
            Self::Opt3 => "3",
        }
    }

    /// Applies the pass.
    pub fn run(self, network: &Network) -> Network {
        match self {
            Self::Opt0 => opt0::run(network),
            Self::Opt1 => opt1::run(network),
            Self::Opt2 => opt2::run(network),
            Self::Opt3 => opt3::run(network),
        }
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no pass has.
#[derive(Clone, Debug, Error)]
#[error("there is no pass `{0}`; there are 0, 1, 2 and 3")]
pub struct UnknownPass(String);

impl FromStr for Pass {
    type Err = UnknownPass;

    fn from_str(name: &str) -> Result<Self, UnknownPass> {
        Self::ALL
            .into_iter()
            .find(|pass| pass.name() == name)
            .ok_or_else(|| UnknownPass(name.to_owned()))
    }
}

/// What a pass did.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    /// The pass.
    pub pass: Pass,
    /// The components after it.
    pub after: Counts,
    /// How long it took.
    pub time: Duration,
}

/// Applies passes in order.
pub fn apply(mut network: Network, passes: &[Pass]) -> (Network, Vec<Effect>) {
    let mut effects = Vec::with_capacity(passes.len());
    for pass in passes {
        let start = Instant::now();
        network = pass.run(&network);
        effects.push(Effect {
            pass: *pass,
            after: network.counts(),
            time: start.elapsed(),
        });
    }
    (network, effects)
}
