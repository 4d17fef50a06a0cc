//! Engines that are made once and used in many matches.

use std::sync::{Arc, Mutex, PoisonError};

use ludorum_logic::Rules;
use ludorum_reason::engine::{BuildError, Settings};
use ludorum_reason::{Engine, EngineVisitor, ReasonError, Reasoner, Role, Walk, Walker};

use super::{Duel, Side};
use crate::contract::{PlayError, Player};
use crate::spec::Spec;

/// An engine that players and referees are made from.
pub(super) trait Table: Send + Sync {
    fn player(&self, spec: &Spec, role: Role) -> Result<Box<dyn Player>, PlayError>;
    fn walker(&self) -> Result<Box<dyn Walker>, ReasonError>;
}

struct Engined<R>(Mutex<R>);

impl<R: Reasoner> Engined<R> {
    fn fork(&self) -> R {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fork()
    }
}

impl<R: Reasoner + 'static> Table for Engined<R> {
    fn player(&self, spec: &Spec, role: Role) -> Result<Box<dyn Player>, PlayError> {
        spec.player_on(self.fork(), role)
    }

    fn walker(&self) -> Result<Box<dyn Walker>, ReasonError> {
        Ok(Box::new(Walk::new(self.fork())?))
    }
}

/// The engines of a duel.
pub(super) struct Tables {
    rules: Arc<Rules>,
    a: Source,
    b: Source,
    referee: Arc<dyn Table>,
}

/// Where the engine of a side comes from.
enum Source {
    /// It was made before.
    Made(Arc<dyn Table>),
    /// It remembers answers, and is made for each match.
    Anew(Engine),
}

impl Tables {
    /// Makes the engines that can be made beforehand; what they prepare is ready.
    pub(super) fn new(rules: &Arc<Rules>, duel: &Duel) -> Result<Self, BuildError> {
        let mut made: Vec<(Engine, Arc<dyn Table>)> = Vec::new();
        let mut make = |engine: Engine| -> Result<Arc<dyn Table>, BuildError> {
            if let Some((_, table)) = made.iter().find(|(known, _)| *known == engine) {
                return Ok(Arc::clone(table));
            }
            let table = build(rules, engine)?;
            made.push((engine, Arc::clone(&table)));
            Ok(table)
        };
        let mut source = |spec: &Spec| {
            let engine = spec.engine();
            if engine.traits().caches {
                // Better now than after an hour of other matches.
                build(rules, engine)?;
                return Ok(Source::Anew(engine));
            }
            make(engine).map(Source::Made)
        };
        let (a, b) = (source(&duel.a)?, source(&duel.b)?);
        let is_quick = |engine: &Engine| {
            let traits = engine.traits();
            traits.grounds && !traits.caches && !traits.playouts_only
        };
        let engines = [duel.a.engine(), duel.b.engine()];
        let referee = engines.into_iter().find(is_quick).unwrap_or(Engine::Auto);
        Ok(Self {
            rules: Arc::clone(rules),
            a,
            b,
            referee: make(referee)?,
        })
    }

    /// The table of a side for one match.
    pub(super) fn table(&self, side: Side) -> Result<Arc<dyn Table>, BuildError> {
        let source = match side {
            Side::A => &self.a,
            Side::B => &self.b,
        };
        match source {
            Source::Made(table) => Ok(Arc::clone(table)),
            Source::Anew(engine) => build(&self.rules, *engine),
        }
    }

    /// A referee at the initial state.
    pub(super) fn referee(&self) -> Result<Box<dyn Walker>, ReasonError> {
        self.referee.walker()
    }
}

fn build(rules: &Arc<Rules>, engine: Engine) -> Result<Arc<dyn Table>, BuildError> {
    struct Make;
    impl EngineVisitor for Make {
        type Output = Arc<dyn Table>;
        fn visit<R: Reasoner + 'static>(self, mut reasoner: R) -> Self::Output {
            reasoner.settle();
            Arc::new(Engined(Mutex::new(reasoner)))
        }
    }
    engine.build_with(rules, &Settings::default(), Make)
}
