//! Inspecting a game: its rules, its network and its engine.

mod compiled_network;
mod engine;
mod network;
mod rules;

pub(crate) use compiled_network::InspectionCache;
pub(crate) use engine::engine;
pub(crate) use network::{Highlight, network};
pub(crate) use rules::rules;
