//! The text form of a player: a name and options, as in `mcts:c=0.7,threads=2`.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use ludorum_engines::engine::{EngineSettings, EngineTextError, split_options};
use ludorum_engines::{AnyReasoner, Engine, EngineKind};
use ludorum_logic::Rules;
use ludorum_player::{OptionError, OptionValues, PlayError, Player};
use ludorum_propnet::CompiledGame;
use ludorum_reasoner::Role;
use thiserror::Error;

use crate::registry::{self, ENGINE, PlayerInfo};

/// A player and its options.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerSpec {
    info: &'static PlayerInfo,
    options: OptionValues,
    engine: Engine,
}

/// A text that names no player.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayerSpecError {
    /// No player has this name.
    #[error("there is no player `{name}`; there are {known}")]
    UnknownPlayer {
        /// The name.
        name: String,
        /// Those that exist.
        known: String,
    },
    /// An option that the player does not have, or a value that it does not allow.
    #[error("{player}: {source}")]
    Option {
        /// The player.
        player: &'static str,
        /// What is wrong.
        source: OptionError,
    },
    /// The engine has no such option or does not take its value.
    #[error("{player}: {source}")]
    Engine {
        /// The player.
        player: &'static str,
        /// The error of the engine.
        source: EngineTextError,
    },
}

impl FromStr for PlayerSpec {
    type Err = PlayerSpecError;

    fn from_str(text: &str) -> Result<Self, PlayerSpecError> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let name = name.trim();
        let info = registry::find(name).ok_or_else(|| PlayerSpecError::UnknownPlayer {
            name: name.to_owned(),
            known: registry::names(),
        })?;
        let wrong = |source| PlayerSpecError::Option {
            player: info.name,
            source,
        };
        let mut spec = Self {
            info,
            options: OptionValues::defaults(info.options()),
            engine: Engine::AUTO,
        };
        let mut engine_options = Vec::new();
        for pair in split_options(options) {
            let (option, value) = spec.options.split_pair(&pair).map_err(wrong)?;
            if !spec.options.has(option) && EngineKind::OPTIONS.contains(&option) {
                engine_options.push((option.to_owned(), value.to_owned()));
            } else {
                spec.options.add(option, value).map_err(wrong)?;
            }
        }
        spec.read_engine()?;
        for (option, value) in engine_options {
            spec.set_engine_option(&option, &value)?;
        }
        Ok(spec)
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)?;
        let options = self.options.to_string();
        if options.is_empty() {
            return Ok(());
        }
        write!(f, ":{options}")
    }
}

impl PlayerSpec {
    /// The player's entry in the registry.
    pub fn info(&self) -> &'static PlayerInfo {
        self.info
    }

    /// The values of its options.
    pub fn options(&self) -> &OptionValues {
        &self.options
    }

    /// The engine it asks for.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Parses the option `engine`, if it was given.
    fn read_engine(&mut self) -> Result<(), PlayerSpecError> {
        let Some(text) = self.options.written(ENGINE.name) else {
            return Ok(());
        };
        self.engine = text.parse().map_err(|source| PlayerSpecError::Engine {
            player: self.info.name,
            source,
        })?;
        Ok(())
    }

    /// Sets an option of the engine, as in `mcts:engine=propnet,passes=1,0,2,3`.
    fn set_engine_option(&mut self, option: &str, value: &str) -> Result<(), PlayerSpecError> {
        let player = self.info.name;
        let engine = self.engine.with_option(option, value);
        self.engine = engine.map_err(|source| PlayerSpecError::Engine { player, source })?;
        let text = self.engine.to_string();
        let set = self.options.set(ENGINE.name, &text);
        set.map_err(|source| PlayerSpecError::Option { player, source })
    }

    /// The text of an option's value, if one was given.
    pub fn written(&self, name: &str) -> Option<&str> {
        self.options.written(name)
    }

    /// The same with another value of an option.
    pub fn with(&self, option: &str, value: &str) -> Result<Self, PlayerSpecError> {
        let mut spec = self.clone();
        if !spec.options.has(option) && EngineKind::OPTIONS.contains(&option) {
            spec.set_engine_option(option, value)?;
            return Ok(spec);
        }
        let set = spec.options.set(option, value);
        set.map_err(|source| PlayerSpecError::Option {
            player: self.info.name,
            source,
        })?;
        spec.read_engine()?;
        Ok(spec)
    }

    /// The same with this value of an option, unless the option was given or the player does not
    /// have it.
    #[must_use]
    pub fn unless_written(self, option: &str, value: impl fmt::Display) -> Self {
        if self.written(option).is_some() {
            return self;
        }
        // Not all players have all options.
        self.with(option, &value.to_string()).unwrap_or(self)
    }

    /// Makes the player for a role of a game, on the engine it asks for.
    pub fn player(&self, rules: &Arc<Rules>, role: Role) -> Result<Box<dyn Player>, PlayError> {
        self.player_with(rules, &EngineSettings::default(), role)
    }

    /// The same with settings for the engine.
    pub fn player_with(
        &self,
        rules: &Arc<Rules>,
        settings: &EngineSettings,
        role: Role,
    ) -> Result<Box<dyn Player>, PlayError> {
        let engine = self.engine();
        let game = engine.compiled_game(rules);
        let reasoner = engine.build_for(&game, settings);
        let reasoner = reasoner.map_err(PlayError::engine)?;
        self.player_for(&game, reasoner, role)
    }

    /// Makes the player on an existing reasoner; the option `engine` is ignored. The player may
    /// read the rules and the compiled forms of the game.
    pub fn player_for(
        &self,
        game: &Arc<CompiledGame>,
        reasoner: AnyReasoner,
        role: Role,
    ) -> Result<Box<dyn Player>, PlayError> {
        registry::make(self.info, &self.options, Some(game), reasoner, role)
    }

    /// The same without the rules: the player cannot use an analysis of them.
    pub fn player_on(
        &self,
        reasoner: impl Into<AnyReasoner>,
        role: Role,
    ) -> Result<Box<dyn Player>, PlayError> {
        registry::make(self.info, &self.options, None, reasoner.into(), role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::players;

    fn error(text: &str) -> String {
        text.parse::<PlayerSpec>().unwrap_err().to_string()
    }

    #[test]
    fn every_default_is_an_allowed_value_and_option_names_are_unique() {
        for info in players() {
            let spec: PlayerSpec = info.name.parse().unwrap();
            assert_eq!(spec.to_string(), info.name);
            for (i, option) in info.options().enumerate() {
                assert_eq!(info.options().position(|o| o.name == option.name), Some(i));
            }
        }
    }

    #[test]
    fn options_are_parsed_and_printed_back() {
        let spec: PlayerSpec = "mcts: c=0.7, threads=2,engine=prover".parse().unwrap();
        assert!((spec.options().number("c") - 0.7).abs() < 1e-9);
        assert_eq!(spec.options().count("threads"), 2);
        assert_eq!(spec.engine(), Engine::PROVER);
        let text = spec.to_string();
        assert_eq!(text.parse::<PlayerSpec>().unwrap(), spec);
        let other = spec.with("seed", "5").unwrap();
        assert_eq!(other.options().count("seed"), 5);
        assert_eq!(other.options().count("threads"), 2);
        assert_eq!(spec.written("threads"), Some("2"));
        assert_eq!(spec.written("seed"), None);
        let other = spec.with("engine", "lanes").unwrap();
        assert_eq!(other.engine(), Engine::LANES);
    }

    #[test]
    fn options_of_the_engine_are_options_of_the_player() {
        for text in [
            "mcts:engine=propnet,passes=1,0,2,3,cache=16,c=0.7",
            "mcts:cache=16,c=0.7,engine=propnet:passes=1,0,2,3",
            "mcts:engine=propnet:passes=1,0,2,3,cache=16,c=0.7",
        ] {
            let spec: PlayerSpec = text.parse().unwrap();
            let engine = spec.engine().to_string();
            assert_eq!(engine, "propnet:passes=1,0,2,3,cache=16");
            assert_eq!(spec.to_string().parse::<PlayerSpec>().unwrap(), spec);
        }
        assert!(error("mcts:engine=prover,passes=1").contains("cache"));
        assert!(error("mcts:cache=lots").contains("MiB"));
        assert!("random:passes=1,0".parse::<PlayerSpec>().is_ok());
    }

    #[test]
    fn the_error_for_an_unknown_player_lists_all_players() {
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
