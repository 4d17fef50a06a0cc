//! The engine of a game, from which players and walkers are made.

use std::sync::{Arc, Mutex, PoisonError};

use ludorum_engines::engine::{BuildError, EngineSettings};
use ludorum_engines::{AnyReasoner, Engine};
use ludorum_logic::Rules;
use ludorum_player::{PlayError, Player};
use ludorum_propnet::{CompileLimits, CompiledGame};
use ludorum_reasoner::{EngineChoice, GameWalker, ReasonError, Reasoner, ReasonerWalker, Role};

use crate::spec::PlayerSpec;

/// The engine of a game, made once for many players. Players and walkers get forks of its reasoner,
/// so what was compiled or cached is shared by all.
#[derive(Clone)]
pub struct GameEngine {
    engine: Engine,
    game: Arc<CompiledGame>,
    reasoner: Arc<Mutex<AnyReasoner>>,
}

impl std::fmt::Debug for GameEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("GameEngine").field(&self.engine).finish()
    }
}

impl GameEngine {
    /// Makes an engine. What it prepares in the background may not be ready yet.
    pub fn new(rules: &Arc<Rules>, engine: Engine) -> Result<Self, BuildError> {
        Self::within(rules, engine, &CompileLimits::default())
    }

    /// Makes an engine within limits.
    pub fn within(
        rules: &Arc<Rules>,
        engine: Engine,
        limits: &CompileLimits,
    ) -> Result<Self, BuildError> {
        let game = engine.compiled_game(rules);
        let reasoner = engine.build_for(&game, &EngineSettings::within(limits.clone()))?;
        Ok(Self {
            engine,
            game,
            reasoner: Arc::new(Mutex::new(reasoner)),
        })
    }

    /// The engine.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The game in its compiled forms; each is made when it is first needed.
    pub fn game(&self) -> &Arc<CompiledGame> {
        &self.game
    }

    /// A fork of the reasoner.
    pub fn reasoner(&self) -> AnyReasoner {
        let reasoner = self.reasoner.lock();
        reasoner.unwrap_or_else(PoisonError::into_inner).fork()
    }

    /// Which engine answers and why, for an engine that chooses among others.
    pub fn choice(&self) -> Option<EngineChoice> {
        let reasoner = self.reasoner.lock();
        reasoner
            .unwrap_or_else(PoisonError::into_inner)
            .engine_choice()
    }

    /// Whether the engine still prepares something in the background.
    pub fn is_compiling(&self) -> bool {
        self.choice().is_some_and(|choice| choice.is_compiling())
    }

    /// Waits until what the engine prepares in the background is ready.
    pub fn settle(&self) {
        // A fork shares what is prepared, and leaves the lock free meanwhile.
        self.reasoner().wait_until_ready();
    }

    /// A player on the engine; the option `engine` of the spec is ignored.
    pub fn player(&self, spec: &PlayerSpec, role: Role) -> Result<Box<dyn Player>, PlayError> {
        spec.player_for(&self.game, self.reasoner(), role)
    }

    /// A walker on the engine, at the initial state.
    pub fn walker(&self) -> Result<Box<dyn GameWalker>, ReasonError> {
        Ok(Box::new(ReasonerWalker::new(self.reasoner())?))
    }
}
