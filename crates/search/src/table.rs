//! An engine for a game, from which players and walkers are made.

use std::sync::{Arc, Mutex, PoisonError};

use ludorum_engines::engine::{BuildError, Settings};
use ludorum_engines::{Engine, EngineVisitor};
use ludorum_logic::Rules;
use ludorum_propnet::Limits;
use ludorum_reasoner::Choice;
use ludorum_reasoner::{ReasonError, Reasoner, Role, Walk, Walker};

use crate::contract::{PlayError, Player};
use crate::spec::Spec;

/// A table that players sit down at: one engine for a game, made once. Players and walkers get
/// forks of it, so what was compiled or remembered is shared by all.
#[derive(Clone)]
pub struct Table {
    engine: Engine,
    forks: Arc<dyn Forks>,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Table").field(&self.engine).finish()
    }
}

impl Table {
    /// Makes an engine. What it prepares in the background may not be ready yet.
    pub fn new(rules: &Arc<Rules>, engine: Engine) -> Result<Self, BuildError> {
        Self::within(rules, engine, &Limits::default())
    }

    /// Makes an engine within limits.
    pub fn within(rules: &Arc<Rules>, engine: Engine, limits: &Limits) -> Result<Self, BuildError> {
        struct Make(Arc<Rules>);
        impl EngineVisitor for Make {
            type Output = Arc<dyn Forks>;
            fn visit<R: Reasoner + 'static>(self, reasoner: R) -> Self::Output {
                Arc::new(Engined {
                    reasoner: Mutex::new(reasoner),
                    rules: self.0,
                })
            }
        }
        let settings = Settings {
            limits: limits.clone(),
            ..Settings::default()
        };
        let make = Make(Arc::clone(rules));
        let forks = engine.build_with(rules, &settings, make)?;
        Ok(Self { engine, forks })
    }

    /// The engine.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Whether the engine still prepares something in the background.
    pub fn is_compiling(&self) -> bool {
        matches!(self.forks.choice(), Some(Choice::Compiling))
    }

    /// Waits until what the engine prepares in the background is ready.
    pub fn settle(&self) {
        self.forks.settle();
    }

    /// A player on the engine, whatever the spec says about engines.
    pub fn player(&self, spec: &Spec, role: Role) -> Result<Box<dyn Player>, PlayError> {
        self.forks.player(spec, role)
    }

    /// A walker on the engine, at the initial state.
    pub fn walker(&self) -> Result<Box<dyn Walker>, ReasonError> {
        self.forks.walker()
    }
}

/// A reasoner that is only forked, without its type.
trait Forks: Send + Sync {
    fn choice(&self) -> Option<Choice>;
    fn settle(&self);
    fn player(&self, spec: &Spec, role: Role) -> Result<Box<dyn Player>, PlayError>;
    fn walker(&self) -> Result<Box<dyn Walker>, ReasonError>;
}

struct Engined<R> {
    reasoner: Mutex<R>,
    rules: Arc<Rules>,
}

impl<R: Reasoner> Engined<R> {
    fn fork(&self) -> R {
        let reasoner = self.reasoner.lock();
        reasoner.unwrap_or_else(PoisonError::into_inner).fork()
    }
}

impl<R: Reasoner + 'static> Forks for Engined<R> {
    fn choice(&self) -> Option<Choice> {
        self.reasoner
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .choice()
    }

    fn settle(&self) {
        // Forks share what is prepared; the lock is free meanwhile.
        self.fork().settle();
    }

    fn player(&self, spec: &Spec, role: Role) -> Result<Box<dyn Player>, PlayError> {
        spec.player_knowing(&self.rules, self.fork(), role)
    }

    fn walker(&self) -> Result<Box<dyn Walker>, ReasonError> {
        Ok(Box::new(Walk::new(self.fork())?))
    }
}
