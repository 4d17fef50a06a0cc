//! The choice of engines on the command line: names, or `all`.

use std::str::FromStr;

use ludorum_reason::Engine;
use ludorum_reason::engine::UnknownEngine;

/// The option that chooses engines.
#[derive(Debug, clap::Args)]
pub(crate) struct EngineOption {
    /// The engines, separated by commas, or `all`; the first is the measure of the others.
    #[arg(
        long,
        value_name = "ENGINE",
        value_delimiter = ',',
        default_value = "all"
    )]
    engine: Vec<Choice>,
}

impl EngineOption {
    /// The engines chosen, each once, in the order in which they were named.
    pub(crate) fn engines(&self) -> Vec<Engine> {
        engines(&self.engine)
    }
}

/// An engine, or all of them.
#[derive(Clone, Copy, Debug)]
enum Choice {
    All,
    One(Engine),
}

impl FromStr for Choice {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Self, UnknownEngine> {
        if name == "all" {
            return Ok(Self::All);
        }
        name.parse().map(Self::One)
    }
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
