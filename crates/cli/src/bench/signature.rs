//! `ludorum bench --signature`: one number for the answers of engines.

use std::io::Write as _;
use std::sync::Arc;

use ludorum_engines::Engine;
use ludorum_lab::speed::signature::{combined, signature};
use ludorum_logic::Rules;
use serde::Serialize;

use super::PROGRESS;
use crate::outcome::{CommandOutcome, Failure};
use crate::progress;
use crate::terminal::{Terminal, printable};

#[derive(Serialize)]
struct SignatureReport {
    /// Combined over all games, each with the first engine that can play it.
    signature: String,
    games: Vec<SignatureEntry>,
}

#[derive(Serialize)]
struct SignatureEntry {
    game: String,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The signatures of one game, compared.
#[derive(Default)]
struct SignatureCheck {
    /// The first engine that has a signature, and the signature.
    reference: Option<(Engine, u64)>,
    errors: Vec<String>,
}

impl SignatureCheck {
    fn add(&mut self, game: &str, engine: Engine, result: &Result<u64, String>) {
        match result {
            Ok(number) => {
                let (first, expected) = *self.reference.get_or_insert((engine, *number));
                if *number != expected {
                    let error = format!("{game}: {engine} differs from {first}");
                    self.errors.push(error);
                }
            }
            Err(error) => self.errors.push(format!("{game}: {error}")),
        }
    }
}

fn hex(number: u64) -> String {
    format!("{number:016x}")
}

/// Prints the signature; the outcome is negative if engines differ or one cannot play a game.
pub(super) fn run(
    games: &[(String, Arc<Rules>)],
    engines: &[Engine],
    json: bool,
    terminal: &mut Terminal,
) -> Result<CommandOutcome, Failure> {
    let bar = progress::bar(games.len() * engines.len(), PROGRESS);
    let mut entries = Vec::new();
    let mut first = Vec::with_capacity(games.len());
    let mut errors = Vec::new();
    for (game, rules) in games {
        let mut check = SignatureCheck::default();
        for engine in engines {
            bar.set_message(format!("{game}, {engine}"));
            bar.inc(1);
            let result = signature(rules, *engine).map_err(|error| error.to_string());
            check.add(game, *engine, &result);
            entries.push(SignatureEntry {
                game: game.clone(),
                engine: engine.name(),
                error: result.as_ref().err().cloned(),
                signature: result.ok().map(hex),
            });
        }
        first.push(check.reference.map_or(0, |(_, number)| number));
        errors.extend(check.errors);
    }
    bar.finish_and_clear();
    let sum = hex(combined(first));
    if json {
        terminal.json(&SignatureReport {
            signature: sum,
            games: entries,
        })?;
    } else {
        for error in &errors {
            writeln!(terminal, "{}", terminal.style.error(&printable(error)))?;
        }
        writeln!(terminal, "{sum}")?;
    }
    Ok(if errors.is_empty() {
        CommandOutcome::Success
    } else {
        CommandOutcome::Negative
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_compared_with_the_first_that_can_play() {
        let mut check = SignatureCheck::default();
        for (engine, result) in [
            (Engine::LANES, Err("too large".to_owned())),
            (Engine::PROVER, Ok(1)),
            (Engine::CHAIN, Ok(1)),
            (Engine::PROPNET, Ok(2)),
        ] {
            check.add("nim", engine, &result);
        }
        assert_eq!(check.reference, Some((Engine::PROVER, 1)));
        let expected = ["nim: too large", "nim: propnet differs from prover"];
        assert_eq!(check.errors, expected);
    }
}
