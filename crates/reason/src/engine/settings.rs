//! What may be said about the making of engines.

use ludorum_ground::Budget;

use crate::cache;
use crate::propnet::{Pass, pass};

/// How engines are made. Each takes from it what concerns it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The passes over the network.
    pub passes: Vec<Pass>,
    /// What grounding may use.
    pub budget: Budget,
    /// The most bytes that a memory of answers may take.
    pub cache_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            passes: pass::FULL.to_vec(),
            budget: Budget::default(),
            cache_bytes: cache::DEFAULT_BYTES,
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
