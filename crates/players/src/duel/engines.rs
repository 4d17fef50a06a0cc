//! The engines of a duel, made before its clocks start.

use std::sync::Arc;

use ludorum_engines::Engine;
use ludorum_engines::engine::BuildError;
use ludorum_logic::Rules;
use ludorum_reasoner::{GameWalker, ReasonError};

use super::{Duel, Side};
use crate::game_engine::GameEngine;
use crate::spec::PlayerSpec;

/// The engines of both sides and of the referee.
pub(super) struct DuelEngines {
    rules: Arc<Rules>,
    a: EngineSource,
    b: EngineSource,
    referee: GameEngine,
}

/// How a side gets its engine.
enum EngineSource {
    /// One engine is shared by all matches.
    Shared(GameEngine),
    /// The engine caches answers, so each match gets a new one.
    PerMatch(Engine),
}

impl DuelEngines {
    /// Makes the shared engines and waits until they are ready.
    pub(super) fn new(rules: &Arc<Rules>, duel: &Duel) -> Result<Self, BuildError> {
        let mut made: Vec<GameEngine> = Vec::new();
        let mut make = |engine: Engine| -> Result<GameEngine, BuildError> {
            if let Some(known) = made.iter().find(|known| known.engine() == engine) {
                return Ok(known.clone());
            }
            let new = ready_engine(rules, engine)?;
            made.push(new.clone());
            Ok(new)
        };
        let mut source = |spec: &PlayerSpec| {
            let engine = spec.engine();
            if engine.is_cached() {
                // An error is reported now rather than after an hour of other matches.
                GameEngine::new(rules, engine)?;
                return Ok(EngineSource::PerMatch(engine));
            }
            make(engine).map(EngineSource::Shared)
        };
        let (a, b) = (source(&duel.a)?, source(&duel.b)?);
        let is_quick = |engine: &Engine| {
            let properties = engine.properties();
            properties.grounds && !engine.is_cached() && !properties.playouts_only
        };
        let engines = [duel.a.engine(), duel.b.engine()];
        let referee = engines.into_iter().find(is_quick).unwrap_or(Engine::AUTO);
        Ok(Self {
            rules: Arc::clone(rules),
            a,
            b,
            referee: make(referee)?,
        })
    }

    /// The engine of a side for one match.
    pub(super) fn engine_for(&self, side: Side) -> Result<GameEngine, BuildError> {
        let source = match side {
            Side::A => &self.a,
            Side::B => &self.b,
        };
        match source {
            EngineSource::Shared(engine) => Ok(engine.clone()),
            EngineSource::PerMatch(engine) => ready_engine(&self.rules, *engine),
        }
    }

    /// A referee at the initial state.
    pub(super) fn referee(&self) -> Result<Box<dyn GameWalker>, ReasonError> {
        self.referee.walker()
    }
}

fn ready_engine(rules: &Arc<Rules>, engine: Engine) -> Result<GameEngine, BuildError> {
    let engine = GameEngine::new(rules, engine)?;
    engine.settle();
    Ok(engine)
}
