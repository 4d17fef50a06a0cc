/*!
Players by name.

A [`Spec`] is a name and options in one word: `mcts`, `mcts:c=0.7,threads=2`. The
[registry](players) lists all players with the options that each has; there is no other list.
*/

mod option;
mod options;
mod registry;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use ludorum_engines::engine::{EngineTextError, Settings, split_options};
use ludorum_engines::{AnyReasoner, Engine, EngineKind};
use ludorum_logic::Rules;
use ludorum_propnet::CompiledGame;
use ludorum_reasoner::Role;
use thiserror::Error;

use crate::contract::{PlayError, Player};
use option::Value;
pub use option::{Kind, OptionInfo};
pub use registry::{PlayerInfo, USUAL, players};

/// A player and its options.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    info: &'static PlayerInfo,
    /// The value of each option, in the order of the list.
    values: Vec<Value>,
    /// What was written, for those that are not as usual.
    written: Vec<Option<String>>,
}

/// A text that names no player.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpecError {
    /// No player has this name.
    #[error("there is no player `{name}`; there are {known}")]
    UnknownPlayer {
        /// The name.
        name: String,
        /// Those that exist.
        known: String,
    },
    /// The player has no such option.
    #[error("{player} has no option `{option}`; it has {known}")]
    UnknownOption {
        /// The player.
        player: &'static str,
        /// The option.
        option: String,
        /// Those it has.
        known: String,
    },
    /// The option cannot have this value.
    #[error("{player}: `{option}` is {expected}, not `{value}`")]
    BadValue {
        /// The player.
        player: &'static str,
        /// The option.
        option: &'static str,
        /// What was given.
        value: String,
        /// What is possible.
        expected: String,
    },
    /// An option without a value.
    #[error("{player}: options are written `name=value`, and `{text}` is not; it has {known}")]
    NoValue {
        /// The player.
        player: &'static str,
        /// What was given.
        text: String,
        /// The options it has.
        known: String,
    },
    /// The engine has no such option or does not take its value.
    #[error("{player}: {source}")]
    Engine {
        /// The player.
        player: &'static str,
        /// What the engine says.
        source: EngineTextError,
    },
    /// An option given twice.
    #[error("{player}: `{option}` is given twice")]
    Twice {
        /// The player.
        player: &'static str,
        /// The option.
        option: &'static str,
    },
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let name = name.trim();
        let info = players().iter().find(|info| info.name == name);
        let info = info.ok_or_else(|| SpecError::UnknownPlayer {
            name: name.to_owned(),
            known: registry::names(),
        })?;
        let player = info.name;
        let known = || info.option_names();
        let defaults = info.options().map(|option| {
            let value = option.kind.read(option.default);
            // Every default is read in a test.
            value.unwrap_or(Value::Word(option.default))
        });
        let mut values: Vec<Value> = defaults.collect();
        let mut written = vec![None; values.len()];
        let mut engine_options = Vec::new();
        for part in split_options(options) {
            let part = part.trim();
            let (option, value) = part.split_once('=').ok_or_else(|| SpecError::NoValue {
                player,
                text: part.to_owned(),
                known: known(),
            })?;
            let (option, value) = (option.trim(), value.trim());
            let found = info.options().enumerate().find(|(_, o)| o.name == option);
            if found.is_none() && EngineKind::OPTIONS.contains(&option) {
                engine_options.push((option.to_owned(), value.to_owned()));
                continue;
            }
            let (i, option) = found.ok_or_else(|| SpecError::UnknownOption {
                player,
                option: option.to_owned(),
                known: known(),
            })?;
            if written[i].is_some() {
                let option = option.name;
                return Err(SpecError::Twice { player, option });
            }
            let read = option.kind.read(value);
            values[i] = read.ok_or_else(|| SpecError::BadValue {
                player,
                option: option.name,
                value: value.to_owned(),
                expected: option.kind.expected(),
            })?;
            written[i] = Some(value.to_owned());
        }
        let mut spec = Self {
            info,
            values,
            written,
        };
        for (option, value) in engine_options {
            spec.set_engine_option(&option, &value)?;
        }
        Ok(spec)
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)?;
        let options = self.info.options().zip(&self.written);
        let written = options.filter_map(|(option, value)| Some((option.name, value.as_ref()?)));
        for (i, (name, value)) in written.enumerate() {
            write!(f, "{}{name}={value}", if i == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

impl Spec {
    /// The player's entry in the registry.
    pub fn info(&self) -> &'static PlayerInfo {
        self.info
    }

    /// The engine it asks for.
    pub fn engine(&self) -> Engine {
        match self.value("engine") {
            Some(Value::Engine(engine)) => engine,
            _ => Engine::AUTO,
        }
    }

    /// Sets an option of the engine, as in `mcts:engine=propnet,passes=1,0,2,3`.
    fn set_engine_option(&mut self, option: &str, value: &str) -> Result<(), SpecError> {
        let player = self.info.name;
        let mut options = self.info.options();
        let Some(i) = options.position(|known| known.name == "engine") else {
            return Err(SpecError::UnknownOption {
                player,
                option: option.to_owned(),
                known: self.info.option_names(),
            });
        };
        let engine = self.engine().with_option(option, value);
        let engine = engine.map_err(|source| SpecError::Engine { player, source })?;
        self.values[i] = Value::Engine(engine);
        self.written[i] = Some(engine.to_string());
        Ok(())
    }

    /// What was written for an option, if it was.
    pub fn written(&self, name: &str) -> Option<&str> {
        let mut options = self.info.options().zip(&self.written);
        let (_, written) = options.find(|(option, _)| option.name == name)?;
        written.as_deref()
    }

    /// The same with another value of an option.
    pub fn with(&self, option: &str, value: &str) -> Result<Self, SpecError> {
        let mut text = self.info.name.to_owned();
        let others = self.info.options().zip(&self.written);
        let others = others.filter(|(known, _)| known.name != option);
        let others = others.filter_map(|(known, value)| Some((known.name, value.as_deref()?)));
        for (i, (name, value)) in others.chain([(option, value)]).enumerate() {
            text.push_str(if i == 0 { ":" } else { "," });
            text.push_str(&format!("{name}={value}"));
        }
        text.parse()
    }

    /// The same with this value of an option, unless another one was written or the player has no
    /// such option.
    #[must_use]
    pub fn unless_written(self, option: &str, value: impl fmt::Display) -> Self {
        if self.written(option).is_some() {
            return self;
        }
        // Not all players have all options.
        self.with(option, &value.to_string()).unwrap_or(self)
    }

    fn value(&self, name: &str) -> Option<Value> {
        let mut options = self.info.options().zip(&self.values);
        options
            .find(|(option, _)| option.name == name)
            .map(|(_, value)| *value)
    }

    /// A whole number among the options; 0 if there is none of this name.
    pub(crate) fn count(&self, name: &str) -> u64 {
        match self.value(name) {
            Some(Value::Count(count)) => count,
            _ => 0,
        }
    }

    /// A number among the options; 0 if there is none of this name.
    pub(crate) fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            Some(Value::Number(number)) => number,
            _ => 0.0,
        }
    }

    /// A word among the options; empty if there is none of this name.
    pub(crate) fn word(&self, name: &str) -> &'static str {
        match self.value(name) {
            Some(Value::Word(word)) => word,
            _ => "",
        }
    }

    /// Makes the player for a role of a game, on the engine it asks for.
    pub fn player(&self, rules: &Arc<Rules>, role: Role) -> Result<Box<dyn Player>, PlayError> {
        self.player_with(rules, &Settings::default(), role)
    }

    /// The same with settings for the engine.
    pub fn player_with(
        &self,
        rules: &Arc<Rules>,
        settings: &Settings,
        role: Role,
    ) -> Result<Box<dyn Player>, PlayError> {
        let engine = self.engine();
        let game = engine.compiled_game(rules);
        let reasoner = engine.build_for(&game, settings)?;
        self.player_for(&game, reasoner, role)
    }

    /// Makes the player on an engine that exists already, whatever the spec says about engines. The
    /// player may look at the rules and at the compiled forms of the game.
    pub fn player_for(
        &self,
        game: &Arc<CompiledGame>,
        reasoner: AnyReasoner,
        role: Role,
    ) -> Result<Box<dyn Player>, PlayError> {
        registry::make(self, Some(game), reasoner, role)
    }

    /// The same without the rules: players do without whatever they would read in them.
    pub fn player_on(
        &self,
        reasoner: impl Into<AnyReasoner>,
        role: Role,
    ) -> Result<Box<dyn Player>, PlayError> {
        registry::make(self, None, reasoner.into(), role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        text.parse::<Spec>().unwrap_err().to_string()
    }

    #[test]
    fn every_default_is_a_possible_value_and_no_name_is_taken_twice() {
        for info in players() {
            let spec: Spec = info.name.parse().unwrap();
            assert_eq!(spec.to_string(), info.name);
            for (i, option) in info.options().enumerate() {
                assert!(
                    option.kind.read(option.default).is_some(),
                    "{}",
                    option.name
                );
                assert_eq!(info.options().position(|o| o.name == option.name), Some(i));
            }
        }
    }

    #[test]
    fn options_are_read_and_printed_back() {
        let spec: Spec = "mcts: c=0.7, threads=2,engine=prover".parse().unwrap();
        assert!((spec.number("c") - 0.7).abs() < 1e-9);
        assert_eq!(spec.count("threads"), 2);
        assert_eq!(spec.engine(), Engine::PROVER);
        let text = spec.to_string();
        assert_eq!(text.parse::<Spec>().unwrap(), spec);
        let other = spec.with("seed", "5").unwrap();
        assert_eq!(other.count("seed"), 5);
        assert_eq!(other.count("threads"), 2);
        assert_eq!(spec.written("threads"), Some("2"));
        assert_eq!(spec.written("seed"), None);
    }

    #[test]
    fn options_of_the_engine_are_options_of_the_player() {
        for text in [
            "mcts:engine=propnet,passes=1,0,2,3,cache=16,c=0.7",
            "mcts:cache=16,c=0.7,engine=propnet:passes=1,0,2,3",
            "mcts:engine=propnet:passes=1,0,2,3,cache=16,c=0.7",
        ] {
            let spec: Spec = text.parse().unwrap();
            let engine = spec.engine().to_string();
            assert_eq!(engine, "propnet:passes=1,0,2,3,cache=16");
            assert_eq!(spec.to_string().parse::<Spec>().unwrap(), spec);
        }
        assert!(error("mcts:engine=prover,passes=1").contains("cache"));
        assert!(error("mcts:cache=lots").contains("MiB"));
        assert!(error("random:passes=1").contains("seed"));
    }

    #[test]
    fn an_unknown_player_is_answered_with_all_of_them() {
        let error = error("deepblue");
        assert!(players().iter().all(|info| error.contains(info.name)));
    }

    #[test]
    fn an_unknown_option_is_named_and_the_known_ones_are_listed() {
        let unknown = error("mcts:color=red");
        assert!(unknown.contains("`color`") && unknown.contains("threads"));
        assert!(error("random:c=1").contains("seed"));
    }

    #[test]
    fn a_bad_value_is_named_with_what_would_be_right() {
        for text in ["mcts:threads=many", "mcts:threads=0", "mcts:threads=-1"] {
            let error = error(text);
            assert!(error.contains("`threads`") && error.contains("whole number"));
        }
        assert!(error("mcts:c=NaN").contains("`c`"));
        assert!(error("mcts:engine=warp").contains("prover"));
        assert!(error("mcts:final=lucky").contains("robust"));
        assert!(error("mcts:threads").contains("name=value"));
        assert!(error("mcts:c=1,c=2").contains("twice"));
    }
}
