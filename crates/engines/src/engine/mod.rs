/*!
The engines by name and options, and how each is made from rules.

[`Engine`] is an [`EngineKind`] with options: `propnet:propagation=forward`, `lanes:passes=1,0,2,3`,
`prover:cache=256`. `kind` is the one list: a new engine is one entry there and one arm in `build`,
and every command, test and benchmark finds it. [`Settings`] are limits and switches for
experiments that have no text form.
*/

mod build;
mod kind;
mod option_info;
mod settings;
mod text;

use std::sync::Arc;

use ludorum_ground::GroundError;
use ludorum_logic::Rules;
use ludorum_propnet::{CompileError, CompiledGame, PassList};
use ludorum_reasoner::{GameWalker, ReasonError, ReasonerWalker};
use thiserror::Error;

pub use kind::{EngineKind, EngineTraits, Propagation};
pub use option_info::EngineOptionInfo;
pub use settings::Settings;
pub use text::{EngineTextError, split_list, split_options};

use crate::any_reasoner::AnyReasoner;

/// An engine with its options, as it is chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Engine {
    /// Which engine.
    pub kind: EngineKind,
    /// How the network is propagated; only `propnet` takes it.
    pub propagation: Propagation,
    /// The optimising passes over the network; engines without a network ignore them.
    pub passes: PassList,
    /// The size of a cache of answers in MiB; 0 for none.
    pub cache_mib: u32,
}

/// Why an engine could not be made for a game.
#[derive(Clone, Debug, Error)]
pub enum BuildError {
    /// The engine itself says why.
    #[error("{engine}: {source}")]
    Reason {
        /// The engine.
        engine: Engine,
        /// What it says.
        source: ReasonError,
    },
    /// The rules cannot be grounded within the budget.
    #[error("{engine}: {verdict}")]
    Ground {
        /// The engine.
        engine: Engine,
        /// What grounding says.
        verdict: GroundError,
    },
    /// The game is beyond what the engine takes.
    #[error("{engine}: {reason}")]
    Unsupported {
        /// The engine.
        engine: Engine,
        /// What it says.
        reason: String,
    },
    /// The deadline came first.
    #[error("{engine}: out of the time allowed while {while_at}")]
    Late {
        /// The engine.
        engine: Engine,
        /// The stage that was being made.
        while_at: &'static str,
    },
    /// The cancel flag was set.
    #[error("{engine}: cancelled")]
    Cancelled {
        /// The engine.
        engine: Engine,
    },
}

impl BuildError {
    fn from_compile(engine: Engine, error: CompileError) -> Self {
        match error {
            CompileError::Ground(verdict) => Self::Ground { engine, verdict },
            CompileError::Late { while_at } => Self::Late { engine, while_at },
            CompileError::Cancelled => Self::Cancelled { engine },
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
    /// The best engine for the game.
    pub const AUTO: Self = Self::plain(EngineKind::Auto);

    /// All engines without options, the reference first.
    pub const ALL: [Self; 6] = [
        Self::PROVER,
        Self::ORAND,
        Self::CHAIN,
        Self::PROPNET,
        Self::LANES,
        Self::AUTO,
    ];

    /// The size of a cache in MiB where nothing else is said.
    pub const DEFAULT_CACHE_MIB: u32 = 256;

    /// An engine without options.
    pub const fn plain(kind: EngineKind) -> Self {
        Self {
            kind,
            propagation: Propagation::Differential,
            passes: PassList::FULL,
            cache_mib: 0,
        }
    }

    /// The same with a cache of answers.
    #[must_use]
    pub const fn with_cache(self, mib: u32) -> Self {
        Self {
            cache_mib: mib,
            ..self
        }
    }

    /// The same with another way of propagation.
    #[must_use]
    pub const fn with_propagation(self, propagation: Propagation) -> Self {
        Self {
            propagation,
            ..self
        }
    }

    /// The same with other passes over the network.
    #[must_use]
    pub const fn with_passes(self, passes: PassList) -> Self {
        Self { passes, ..self }
    }

    /// Every engine with every way of propagation, without a cache and with one: what tests of
    /// agreement run over.
    pub fn variants() -> Vec<Self> {
        let plain = Self::ALL.into_iter().flat_map(|engine| {
            let ways = match engine.kind {
                EngineKind::Propnet => &Propagation::ALL[..],
                _ => &Propagation::ALL[..1],
            };
            ways.iter().map(move |way| engine.with_propagation(*way))
        });
        let plain: Vec<Self> = plain.collect();
        let is_cacheable =
            |engine: &Self| !matches!(engine.kind, EngineKind::Lanes | EngineKind::Auto);
        let cached: Vec<Self> = plain
            .iter()
            .filter(|engine| is_cacheable(engine))
            .map(|engine| engine.with_cache(Self::DEFAULT_CACHE_MIB))
            .collect();
        [plain, cached].concat()
    }

    /// The name of the engine, without options. [`Display`](std::fmt::Display) prints all of it.
    pub const fn name(self) -> &'static str {
        self.kind.traits().name
    }

    /// One line of help.
    pub const fn about(self) -> &'static str {
        self.kind.traits().about
    }

    /// What can be expected of it.
    pub const fn traits(self) -> EngineTraits {
        self.kind.traits()
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

    /// The game of some rules, to be compiled as this engine wants it.
    pub fn compiled_game(self, rules: &Arc<Rules>) -> Arc<CompiledGame> {
        let passes = self.passes.to_vec();
        Arc::new(CompiledGame::with_passes(Arc::clone(rules), &passes))
    }

    /// Makes the engine for a game.
    pub fn build(self, rules: &Arc<Rules>) -> Result<AnyReasoner, BuildError> {
        self.build_with(rules, &Settings::default())
    }

    /// The same with settings.
    pub fn build_with(
        self,
        rules: &Arc<Rules>,
        settings: &Settings,
    ) -> Result<AnyReasoner, BuildError> {
        self.build_for(&self.compiled_game(rules), settings)
    }

    /// The same for a game of which some stages may be compiled already. Its passes count, not
    /// those of the engine.
    pub fn build_for(
        self,
        game: &Arc<CompiledGame>,
        settings: &Settings,
    ) -> Result<AnyReasoner, BuildError> {
        build::build(self, game, settings)
    }

    /// A walker on the engine, at the initial state.
    pub fn walker(self, rules: &Arc<Rules>) -> Result<Box<dyn GameWalker>, BuildError> {
        self.walker_with(rules, &Settings::default())
    }

    /// The same with settings.
    pub fn walker_with(
        self,
        rules: &Arc<Rules>,
        settings: &Settings,
    ) -> Result<Box<dyn GameWalker>, BuildError> {
        let reasoner = self.build_with(rules, settings)?;
        let walk = ReasonerWalker::new(reasoner).map_err(|source| BuildError::Reason {
            engine: self,
            source,
        })?;
        Ok(Box::new(walk))
    }
}
