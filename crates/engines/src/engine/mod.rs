/*!
The engines by name, what each can do, and how each is made from rules.

[`Engine`] is the choice among them. `registry` is the one list: a new engine is one entry there,
and every command, test and benchmark finds it. [`Settings`] is what may be said about the making of
engines; `make` holds what several of them share.
*/

mod make;
mod registry;
mod settings;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use ludorum_ground::Verdict;
use ludorum_logic::Rules;
use thiserror::Error;

pub use registry::Engine;
pub use settings::Settings;

use ludorum_propnet::Network;
use ludorum_reasoner::contract::{ReasonError, Reasoner};
use ludorum_reasoner::walk::{Walk, Walker};

/// What an engine is called and what can be expected of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// The name to choose it by.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Whether it needs all variables gone, so that it declines games that are too large for that.
    pub grounds: bool,
    /// Whether it remembers answers.
    pub caches: bool,
    /// Whether playouts are all it is good for: questions about single states are answered, but
    /// slowly.
    pub playouts_only: bool,
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
        verdict: Verdict,
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
    Engine::ALL.map(Engine::name).join(", ")
}

/// Code that runs on whichever engine was chosen, compiled for each.
pub trait EngineVisitor {
    /// What it gives.
    type Output;
    /// Runs on an engine.
    fn visit<R: Reasoner + 'static>(self, reasoner: R) -> Self::Output;
}

impl Engine {
    /// The name to choose it by.
    pub fn name(self) -> &'static str {
        self.traits().name
    }

    /// One line about it.
    pub fn about(self) -> &'static str {
        self.traits().about
    }

    /// A line of help for each engine.
    pub fn help() -> String {
        let width = Self::ALL.iter().map(|engine| engine.name().len()).max();
        let width = width.unwrap_or(0);
        let line = |engine: Self| format!("  {:<width$}  {}\n", engine.name(), engine.about());
        Self::ALL.map(line).concat()
    }

    /// Makes the engine for a game and runs a visitor on it.
    pub fn build<V: EngineVisitor>(
        self,
        rules: &Arc<Rules>,
        visitor: V,
    ) -> Result<V::Output, BuildError> {
        self.build_with(rules, &Settings::default(), visitor)
    }

    /// The network of a game, as the engines that have one get it.
    pub fn network(self, rules: &Arc<Rules>, settings: &Settings) -> Result<Network, BuildError> {
        make::network(make::Order {
            engine: self,
            rules,
            settings,
        })
    }

    /// A walker on the engine, at the initial state.
    pub fn walker(self, rules: &Arc<Rules>) -> Result<Box<dyn Walker>, BuildError> {
        self.walker_with(rules, &Settings::default())
    }

    /// The same with settings.
    pub fn walker_with(
        self,
        rules: &Arc<Rules>,
        settings: &Settings,
    ) -> Result<Box<dyn Walker>, BuildError> {
        struct MakeWalker;
        impl EngineVisitor for MakeWalker {
            type Output = Result<Box<dyn Walker>, ReasonError>;
            fn visit<R: Reasoner + 'static>(self, reasoner: R) -> Self::Output {
                Ok(Box::new(Walk::new(reasoner)?))
            }
        }
        self.build_with(rules, settings, MakeWalker)?
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_is_found_by_its_name_and_no_name_is_taken_twice() {
        for engine in Engine::ALL {
            assert_eq!(engine.name().parse::<Engine>().unwrap(), engine);
            assert!(Engine::help().contains(engine.about()));
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_all_names() {
        let error = "warp".parse::<Engine>().unwrap_err().to_string();
        assert!(
            Engine::ALL
                .iter()
                .all(|engine| error.contains(engine.name()))
        );
    }
}
