//! Limits and experimental switches for making engines.

use ludorum_chain::ChainSettings;
use ludorum_orand::OrandSettings;
use ludorum_propnet::CompileLimits;

/// How engines are made, beyond the options that an [`Engine`](super::Engine) has in its text.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What making the engine may use.
    pub limits: CompileLimits,
    /// The switches of the OR-AND interpreter.
    pub orand: OrandSettings,
    /// The switches of forward chaining.
    pub chain: ChainSettings,
}

impl Settings {
    /// The default settings with limits.
    pub fn within(limits: CompileLimits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }
}
