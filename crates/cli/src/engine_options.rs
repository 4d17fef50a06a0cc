//! The options that choose engines.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use ludorum_engines::Engine;
use ludorum_engines::engine::{EngineTextError, split_list};
use ludorum_match::Participant;
use ludorum_players::PlayerSpec;

/// The option that chooses several engines to compare.
#[derive(Debug, clap::Args)]
pub(crate) struct EngineOption {
    /// The engines, separated by commas, each with its options, as in
    /// `propnet:propagation=forward,prover:cache=64`; `all` of them, or `variants`: all with every
    /// propagation, without and with a cache. The others are compared with the first. `ludorum
    /// engines` lists them.
    #[arg(long, value_name = "ENGINES", default_value = "all", value_parser = engine_list)]
    engine: EngineList,
}

impl EngineOption {
    /// The engines chosen, each once, in the order in which they were named.
    pub(crate) fn engines(&self) -> Vec<Engine> {
        self.engine.0.clone()
    }
}

/// The option for the engine of players.
#[derive(Debug, clap::Args)]
pub(crate) struct PlayersEngine {
    /// The engine, with options, of players that do not name one themselves (as in
    /// mcts:engine=prover); `ludorum engines` lists the engines.
    #[arg(long, value_name = "ENGINE", value_parser = engine())]
    engine: Option<Engine>,
}

impl PlayersEngine {
    /// A player with this engine, unless it names one.
    pub(crate) fn of(&self, player: &PlayerSpec) -> PlayerSpec {
        match self.engine {
            Some(engine) => player.clone().unless_written("engine", engine),
            None => player.clone(),
        }
    }

    /// The same for participants; players elsewhere choose their engines themselves.
    pub(crate) fn of_participant(&self, entrant: Participant) -> Participant {
        if let Participant::Local(player) = &entrant {
            return Participant::Local(self.of(player));
        }
        entrant
    }
}

/// A list of engines without repetitions.
#[derive(Clone, Debug)]
struct EngineList(Vec<Engine>);

/// The names of all engines.
pub(crate) fn names() -> Vec<&'static str> {
    Engine::ALL.into_iter().map(Engine::name).collect()
}

/// A value parser for an engine with options.
pub(crate) fn engine() -> impl TypedValueParser<Value = Engine> {
    EngineParser
}

/// Parses engines with options such as `propnet:passes=1,0,2,3`; completions list the plain names.
#[derive(Clone, Copy, Debug)]
struct EngineParser;

impl TypedValueParser for EngineParser {
    type Value = Engine;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Engine, clap::Error> {
        let parser = str::parse::<Engine>;
        TypedValueParser::parse_ref(&parser, command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |engine: Engine| PossibleValue::new(engine.name()).help(engine.about());
        Some(Box::new(Engine::ALL.into_iter().map(value)))
    }
}

/// Parses a list of engines with commas between them; `all` and `variants` stand for several.
fn engine_list(text: &str) -> Result<EngineList, EngineTextError> {
    let mut engines: Vec<Engine> = Vec::new();
    for name in split_list(text) {
        let chosen = match name.as_str() {
            "all" => Engine::ALL.to_vec(),
            "variants" => Engine::variants(),
            name => vec![name.parse()?],
        };
        for engine in chosen {
            if !engines.contains(&engine) {
                engines.push(engine);
            }
        }
    }
    Ok(EngineList(engines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_each_engine_once_and_keeps_options() {
        let EngineList(engines) =
            engine_list("propnet,lanes:passes=1,0,cache=8,propnet,all").unwrap();
        assert_eq!(engines.len(), Engine::ALL.len() + 1);
        assert_eq!(engines[0], Engine::PROPNET);
        assert_eq!(engines[1].to_string(), "lanes:passes=1,0,cache=8");
        assert!(engine_list("warp").is_err());
        assert_eq!(engine_list("variants").unwrap().0, Engine::variants());
    }
}
