//! What a game looks like from inside: its rules, its network, its engine.

mod engine;
mod network;
mod rules;
mod study;

pub(crate) use engine::engine;
pub(crate) use network::{Lit, network};
pub(crate) use rules::rules;
pub(crate) use study::Studies;
