//! The engines by name, and how each is made from rules.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use ludorum_logic::Rules;
use thiserror::Error;

use crate::contract::{ReasonError, Reasoner};
use crate::limits::Limits;
use crate::propnet::{self, Backward, Differential, Forward, Network, Pass, Propnet, pass};
use crate::prover::Prover;
use crate::walk::{Walk, Walker};

/// An engine that can be chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Engine {
    /// Backward chaining over the rules: the reference.
    Prover,
    /// The optimised network with differential propagation.
    Propnet,
    /// The optimised network with forward propagation.
    PropnetForward,
    /// The optimised network with backward propagation.
    PropnetBackward,
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
        verdict: String,
    },
    /// The deadline came first.
    #[error("{engine}: out of the time allowed while {while_at}")]
    Late {
        /// The engine.
        engine: Engine,
        /// What it was at.
        while_at: &'static str,
    },
}

/// A name that no engine has.
#[derive(Clone, Debug, Error)]
#[error("there is no engine `{name}`; there are {}", all_names())]
pub struct UnknownEngine {
    name: String,
}

fn all_names() -> String {
    let names: Vec<&str> = Engine::ALL.iter().map(|engine| engine.name()).collect();
    names.join(", ")
}

/// Code that runs on whichever engine was chosen, compiled for each.
pub trait EngineVisitor {
    /// What it gives.
    type Output;
    /// Runs on an engine.
    fn visit<R: Reasoner + 'static>(self, reasoner: R) -> Self::Output;
}

impl Engine {
    /// All engines.
    pub const ALL: [Self; 4] = [
        Self::Prover,
        Self::Propnet,
        Self::PropnetForward,
        Self::PropnetBackward,
    ];

    /// The name to choose it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prover => "prover",
            Self::Propnet => "propnet",
            Self::PropnetForward => "propnet-forward",
            Self::PropnetBackward => "propnet-backward",
        }
    }

    /// One line about it.
    pub fn about(self) -> &'static str {
        match self {
            Self::Propnet => "propositional network, only what changes is evaluated",
            Self::PropnetForward => "propositional network, every gate evaluated in order",
            Self::PropnetBackward => "propositional network, gates evaluated on demand",
            Self::Prover => {
                "backward chaining over the rules; takes every sheet, the reference for all others"
            }
        }
    }

    /// Makes the engine for a game and runs a visitor on it.
    pub fn build<V: EngineVisitor>(
        self,
        rules: &Arc<Rules>,
        visitor: V,
    ) -> Result<V::Output, BuildError> {
        self.build_with(rules, pass::FULL, visitor)
    }

    /// The same with a choice of passes over the network; engines without a network do not mind.
    pub fn build_with<V: EngineVisitor>(
        self,
        rules: &Arc<Rules>,
        passes: &[Pass],
        visitor: V,
    ) -> Result<V::Output, BuildError> {
        self.build_within(rules, passes, &Limits::default(), visitor)
    }

    /// The same within limits.
    pub fn build_within<V: EngineVisitor>(
        self,
        rules: &Arc<Rules>,
        passes: &[Pass],
        limits: &Limits,
        visitor: V,
    ) -> Result<V::Output, BuildError> {
        let network = || self.network(rules, passes, limits);
        let failed = |source| BuildError::Reason {
            engine: self,
            source,
        };
        match self {
            Self::Prover => {
                let prover = Prover::new(Arc::clone(rules)).map_err(failed)?;
                Ok(visitor.visit(prover))
            }
            Self::Propnet => Ok(visitor.visit(Propnet::<Differential>::new(network()?))),
            Self::PropnetForward => Ok(visitor.visit(Propnet::<Forward>::new(network()?))),
            Self::PropnetBackward => Ok(visitor.visit(Propnet::<Backward>::new(network()?))),
        }
    }

    /// The network of a game after passes.
    fn network(
        self,
        rules: &Rules,
        passes: &[Pass],
        limits: &Limits,
    ) -> Result<Network, BuildError> {
        let in_time = |while_at| {
            let late = BuildError::Late {
                engine: self,
                while_at,
            };
            if limits.is_late() { Err(late) } else { Ok(()) }
        };
        let budget = limits.ground_budget();
        let program = ludorum_ground::ground(rules, &budget, &mut |_| {}).map_err(|verdict| {
            BuildError::Ground {
                engine: self,
                verdict: verdict.to_string(),
            }
        })?;
        in_time("grounding")?;
        let network = propnet::build(&program);
        drop(program);
        in_time("making the network")?;
        let network = pass::optimise(network, passes, limits.pass_clock());
        in_time("making the network smaller")?;
        Ok(network)
    }

    /// A walker on the engine, at the initial state.
    pub fn walker(self, rules: &Arc<Rules>) -> Result<Box<dyn Walker>, BuildError> {
        self.walker_with(rules, pass::FULL)
    }

    /// The same with a choice of passes over the network.
    pub fn walker_with(
        self,
        rules: &Arc<Rules>,
        passes: &[Pass],
    ) -> Result<Box<dyn Walker>, BuildError> {
        self.walker_within(rules, passes, &Limits::default())
    }

    /// The same within limits.
    pub fn walker_within(
        self,
        rules: &Arc<Rules>,
        passes: &[Pass],
        limits: &Limits,
    ) -> Result<Box<dyn Walker>, BuildError> {
        struct MakeWalker;
        impl EngineVisitor for MakeWalker {
            type Output = Result<Box<dyn Walker>, ReasonError>;
            fn visit<R: Reasoner + 'static>(self, reasoner: R) -> Self::Output {
                Ok(Box::new(Walk::new(reasoner)?))
            }
        }
        self.build_within(rules, passes, limits, MakeWalker)?
            .map_err(|source| BuildError::Reason {
                engine: self,
                source,
            })
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Self, UnknownEngine> {
        Self::ALL
            .into_iter()
            .find(|engine| engine.name() == name)
            .ok_or_else(|| UnknownEngine {
                name: name.to_owned(),
            })
    }
}
