//! Limits and experimental switches for building engines.

use ludorum_chain::ChainSettings;
use ludorum_orand::OrandSettings;
use ludorum_propnet::CompileLimits;

/// How engines are built, beyond the options that an [`Engine`](crate::Engine) has in its text
/// form.
#[derive(Clone, Debug, Default)]
pub struct EngineSettings {
    /// Time and memory limits for building the engine.
    pub limits: CompileLimits,
    /// The switches of the OR-AND interpreter.
    pub orand: OrandSettings,
    /// The switches of forward chaining.
    pub chain: ChainSettings,
    /// When `auto` builds lanes on staged rules.
    pub stage: StageWhen,
}

/// When `auto` builds lanes on staged rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StageWhen {
    /// If the network is large, late or missing.
    #[default]
    Large,
    /// In every game that can be staged.
    Always,
    /// In no game.
    Never,
}

impl EngineSettings {
    /// The default settings with limits.
    pub fn within(limits: CompileLimits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }
}
