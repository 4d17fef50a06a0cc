/*!
The engines by name and options, and how each is built from rules.

[`Engine`] is an [`EngineKind`] with options: `propnet:propagation=forward`, `lanes:passes=1,0,2,3`,
`staged:turns=off`, `prover:cache=256`. The list of engines is in `kind`. A new engine is an entry there, an arm in
`build`, and variants of [`AnyReasoner`] and [`AnyState`](crate::AnyState). All commands, tests and
benchmarks take the engines from that list. [`EngineSettings`] holds limits, and switches for
experiments that have no text form.
*/

mod build;
mod kind;
mod option_info;
mod text;

use std::sync::Arc;

use ludorum_factor::StageOptions;
use ludorum_logic::Rules;
use ludorum_propnet::{CompileError, CompiledGame, PassList};
use ludorum_reasoner::{GameWalker, ReasonError, ReasonerWalker};
use thiserror::Error;

pub use kind::{EngineKind, EngineProperties, Propagation};
pub use option_info::EngineOptionInfo;
pub use text::{EngineTextError, split_list, split_options};

use crate::any_reasoner::AnyReasoner;
pub use crate::settings::EngineSettings;

/// An engine with its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Engine {
    /// Which engine.
    pub kind: EngineKind,
    /// How values are propagated through the network. An option of `propnet` only.
    pub propagation: Propagation,
    /// The optimisation passes over the network. Engines without a network ignore them.
    pub passes: PassList,
    /// How rules are rewritten. Options of `staged` only.
    pub stages: StageOptions,
    /// The size of the cache of answers in MiB; 0 for no cache.
    pub cache_mib: u32,
}

/// Why an engine could not be built for a game.
#[derive(Clone, Debug, Error)]
pub enum BuildError {
    /// The engine cannot answer queries about the game.
    #[error("{engine}: {source}")]
    Reason {
        /// The engine.
        engine: Engine,
        /// The error of the engine.
        source: ReasonError,
    },
    /// A stage of the compiled game failed or exceeded its limits. The tables of `chain` count as
    /// such a stage.
    #[error("{engine}: {source}")]
    Compile {
        /// The engine.
        engine: Engine,
        /// Which limit, and at which stage.
        source: CompileError,
    },
    /// The engine does not support the game.
    #[error("{engine}: {reason}")]
    Unsupported {
        /// The engine.
        engine: Engine,
        /// Why not.
        reason: String,
    },
}

impl BuildError {
    /// Whether an engine declines a game that its method does not cover.
    pub const fn is_declined(&self) -> bool {
        match self {
            Self::Unsupported { engine, .. } => engine.properties().declines,
            _ => false,
        }
    }
}

impl Engine {
    /// Backward chaining over the rules: the reference.
    pub const PROVER: Self = Self::plain(EngineKind::Prover);
    /// The OR-AND interpreter.
    pub const ORAND: Self = Self::plain(EngineKind::Orand);
    /// Forward chaining with reference tables.
    pub const CHAIN: Self = Self::plain(EngineKind::Chain);
    /// The optimised network with differential propagation.
    pub const PROPNET: Self = Self::plain(EngineKind::Propnet);
    /// Bit-sliced playouts.
    pub const LANES: Self = Self::plain(EngineKind::Lanes);
    /// Bit-sliced playouts in which moves are drawn in stages.
    pub const STAGED: Self = Self::plain(EngineKind::Staged);
    /// The best engine for the game.
    pub const AUTO: Self = Self::plain(EngineKind::Auto);

    /// All engines without options, in the order of [`EngineKind::ALL`]: the reference first.
    pub const ALL: [Self; EngineKind::ALL.len()] = {
        let mut all = [Self::PROVER; EngineKind::ALL.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = Self::plain(EngineKind::ALL[i]);
            i += 1;
        }
        all
    };

    /// The default size of a cache in MiB.
    pub const DEFAULT_CACHE_MIB: u32 = 256;

    /// An engine without options.
    pub const fn plain(kind: EngineKind) -> Self {
        Self {
            kind,
            propagation: Propagation::Differential,
            passes: PassList::FULL,
            stages: StageOptions::DEFAULT,
            cache_mib: 0,
        }
    }

    /// The engine with a cache of answers.
    #[must_use]
    pub const fn with_cache(self, mib: u32) -> Self {
        Self {
            cache_mib: mib,
            ..self
        }
    }

    /// The engine with a propagation.
    #[must_use]
    pub const fn with_propagation(self, propagation: Propagation) -> Self {
        Self {
            propagation,
            ..self
        }
    }

    /// The engine with other passes over the network.
    #[must_use]
    pub const fn with_passes(self, passes: PassList) -> Self {
        Self { passes, ..self }
    }

    /// The engine with options of the rewriting to stages.
    #[must_use]
    pub const fn with_stages(self, stages: StageOptions) -> Self {
        Self { stages, ..self }
    }

    /// Every engine with every propagation, with and without a cache. Agreement tests run over this
    /// list.
    pub fn variants() -> Vec<Self> {
        let plain = Self::ALL.into_iter().flat_map(|engine| {
            let propagations = match engine.kind {
                EngineKind::Propnet => &Propagation::ALL[..],
                _ => &Propagation::ALL[..1],
            };
            propagations
                .iter()
                .map(move |propagation| engine.with_propagation(*propagation))
        });
        let plain: Vec<Self> = plain.collect();
        let is_cacheable = |engine: &Self| {
            !matches!(
                engine.kind,
                EngineKind::Lanes | EngineKind::Staged | EngineKind::Auto
            )
        };
        let cached: Vec<Self> = plain
            .iter()
            .filter(|engine| is_cacheable(engine))
            .map(|engine| engine.with_cache(Self::DEFAULT_CACHE_MIB))
            .collect();
        [plain, cached].concat()
    }

    /// The name of the engine, without options. [`Display`](std::fmt::Display) prints the options
    /// as well.
    pub const fn name(self) -> &'static str {
        self.kind.properties().name
    }

    /// One line of help.
    pub const fn about(self) -> &'static str {
        self.kind.properties().about
    }

    /// Its properties.
    pub const fn properties(self) -> EngineProperties {
        self.kind.properties()
    }

    /// Whether it has a cache of answers.
    pub const fn is_cached(self) -> bool {
        self.cache_mib > 0
    }

    /// A line of help for each engine.
    pub fn help() -> String {
        let width = Self::ALL.iter().map(|engine| engine.name().len()).max();
        let width = width.unwrap_or(0);
        let line = |engine: Self| format!("  {:<width$}  {}\n", engine.name(), engine.about());
        Self::ALL.map(line).concat()
    }

    /// A game that will be compiled with the passes of this engine.
    pub fn compiled_game(self, rules: &Arc<Rules>) -> Arc<CompiledGame> {
        let passes = self.passes.to_vec();
        Arc::new(CompiledGame::with_passes(Arc::clone(rules), &passes))
    }

    /// Builds the engine for a game.
    pub fn build(self, rules: &Arc<Rules>) -> Result<AnyReasoner, BuildError> {
        self.build_with(rules, &EngineSettings::default())
    }

    /// Builds the engine with settings.
    pub fn build_with(
        self,
        rules: &Arc<Rules>,
        settings: &EngineSettings,
    ) -> Result<AnyReasoner, BuildError> {
        self.build_for(&self.compiled_game(rules), settings)
    }

    /// Builds the engine from a [`CompiledGame`], some stages of which may be compiled already. The
    /// passes are those of the game, not those of the engine.
    pub fn build_for(
        self,
        game: &Arc<CompiledGame>,
        settings: &EngineSettings,
    ) -> Result<AnyReasoner, BuildError> {
        build::build(self, game, settings)
    }

    /// A walker on the engine at the initial state.
    pub fn walker(self, rules: &Arc<Rules>) -> Result<Box<dyn GameWalker>, BuildError> {
        self.walker_with(rules, &EngineSettings::default())
    }

    /// A walker on the engine, built with settings.
    pub fn walker_with(
        self,
        rules: &Arc<Rules>,
        settings: &EngineSettings,
    ) -> Result<Box<dyn GameWalker>, BuildError> {
        let reasoner = self.build_with(rules, settings)?;
        let walker = ReasonerWalker::new(reasoner).map_err(|source| BuildError::Reason {
            engine: self,
            source,
        })?;
        Ok(Box::new(walker))
    }
}
