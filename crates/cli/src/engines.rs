//! The choice of engines on the command line: names from the registry, or `all`.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ludorum_engines::Engine;
use ludorum_match::Entrant;
use ludorum_search::Spec;

/// The option that chooses engines.
#[derive(Debug, clap::Args)]
pub(crate) struct EngineOption {
    /// The engines, separated by commas, or `all`; the first is the measure of the others.
    #[arg(
        long,
        value_name = "ENGINE",
        value_delimiter = ',',
        default_value = "all",
        value_parser = choice()
    )]
    engine: Vec<Choice>,
}

impl EngineOption {
    /// The engines chosen, each once, in the order in which they were named.
    pub(crate) fn engines(&self) -> Vec<Engine> {
        engines(&self.engine)
    }
}

/// The option that chooses the engine of players.
#[derive(Debug, clap::Args)]
pub(crate) struct PlayersEngine {
    /// The engine of players that do not name theirs, as mcts:engine=prover does.
    #[arg(long, value_name = "ENGINE", value_parser = engine())]
    engine: Option<Engine>,
}

impl PlayersEngine {
    /// A player with the engine, unless it has named one.
    pub(crate) fn of(&self, player: &Spec) -> Spec {
        match self.engine {
            Some(engine) => player.clone().unless_written("engine", engine.name()),
            None => player.clone(),
        }
    }

    /// The same for players that may be somewhere else; those choose for themselves.
    pub(crate) fn of_entrant(&self, entrant: Entrant) -> Entrant {
        if let Entrant::Local(player) = &entrant {
            return Entrant::Local(self.of(player));
        }
        entrant
    }
}

/// An engine, or all of them.
#[derive(Clone, Copy, Debug)]
enum Choice {
    All,
    One(Engine),
}

/// The names of all engines.
pub(crate) fn names() -> Vec<&'static str> {
    Engine::ALL.into_iter().map(Engine::name).collect()
}

fn values() -> impl Iterator<Item = PossibleValue> {
    let value = |engine: Engine| PossibleValue::new(engine.name()).help(engine.about());
    Engine::ALL.into_iter().map(value)
}

/// Reads the name of an engine; help texts and completions list all of them.
pub(crate) fn engine() -> impl TypedValueParser<Value = Engine> {
    let names: Vec<PossibleValue> = values().collect();
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Engine>())
}

fn choice() -> impl TypedValueParser<Value = Choice> {
    let all = PossibleValue::new("all").help("every engine there is");
    let names: Vec<PossibleValue> = values().chain([all]).collect();
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "all" => Ok(Choice::All),
        name => name.parse().map(Choice::One),
    })
}

fn engines(choices: &[Choice]) -> Vec<Engine> {
    let mut engines = Vec::new();
    for choice in choices {
        let chosen: &[Engine] = match choice {
            Choice::All => &Engine::ALL,
            Choice::One(engine) => &[*engine],
        };
        for engine in chosen {
            if !engines.contains(engine) {
                engines.push(*engine);
            }
        }
    }
    engines
}
