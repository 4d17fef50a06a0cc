//! What may be said about the making of engines.

use crate::cache;
use ludorum_chain::ChainSettings;
use ludorum_orand::OrandSettings;
use ludorum_propnet::limits::Limits;
use ludorum_propnet::{Pass, pass};

/// How engines are made. Each takes from it what concerns it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The passes over the network.
    pub passes: Vec<Pass>,
    /// What making the engine may use.
    pub limits: Limits,
    /// The most bytes that a memory of answers may take.
    pub cache_bytes: usize,
    /// The switches of the OR-AND interpreter.
    pub orand: OrandSettings,
    /// For forward chaining.
    pub chain: ChainSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            passes: pass::FULL.to_vec(),
            limits: Limits::default(),
            cache_bytes: cache::DEFAULT_BYTES,
            orand: OrandSettings::default(),
            chain: ChainSettings::default(),
        }
    }
}

impl Settings {
    /// The usual settings with a choice of passes over the network.
    pub fn with_passes(passes: &[Pass]) -> Self {
        Self {
            passes: passes.to_vec(),
            ..Self::default()
        }
    }
}
