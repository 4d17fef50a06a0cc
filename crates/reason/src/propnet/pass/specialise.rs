//! Compiles known values of fluents into a network: what it computes is right in states where they have these values.

use super::super::network::{FALSE, Kind, Network, Rewrite, TRUE};
use super::{opt0, opt3};

/// The network for states in which the given fluents have the given values. Their next values are still computed.
pub(in super::super) fn specialise(network: &Network, values: &[(u32, bool)]) -> Network {
    let mut rewrite = Rewrite::new(network);
    for node in network.nodes() {
        if network.kind(node) == Kind::Base {
            let label = network.label(node);
            if let Some((_, value)) = values.iter().find(|(fluent, _)| *fluent == label) {
                rewrite.replace(node, if *value { TRUE } else { FALSE });
            }
        }
    }
    opt3::run(&opt0::fold(&network.rewrite(&rewrite), Keep::Transitions))
}

/// What folding constants may not remove.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Transitions without a base: somebody else looks at them.
    Transitions,
    /// Nothing in particular.
    Nothing,
}
