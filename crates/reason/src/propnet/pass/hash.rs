//! Structural hashing: equal gates become one.
//!
//! Inputs are put in order, repeated and neutral ones go; a gate over an input and its negation is a constant, one over a single input is
//! that input, two NOTs in a row are nothing, and an OR is recognised as the AND it is by De Morgan. Gates of cycles are
//! merged too when kind and inputs are the same.

use super::super::network::Network;
use super::emit;
use super::gates::{Gates, moved};

pub(super) fn run(network: &Network) -> Network {
    emit::network(&hash(&Gates::new(network)))
}

pub(super) fn hash(gates: &Gates) -> Gates {
    let mut inputs = Vec::new();
    gates.map(|new, edges, signal| {
        inputs.clear();
        inputs.extend(gates.inputs(signal).iter().map(|edge| moved(edges, *edge)));
        new.and(&mut inputs)
    })
}
