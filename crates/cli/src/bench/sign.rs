//! `ludorum bench --signature`: one number for what engines answer.

use std::io::Write as _;
use std::sync::Arc;

use ludorum_lab::speed::signature::{combined, signature};
use ludorum_logic::Rules;
use ludorum_reason::Engine;
use serde::Serialize;

use super::progress;
use crate::outcome::{Answer, Failure};
use crate::terminal::{Terminal, printable};

#[derive(Serialize)]
struct Report {
    /// Over all games, as the first engine answers.
    signature: String,
    games: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    game: String,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

fn hex(number: u64) -> String {
    format!("{number:016x}")
}

/// Prints the signature; the answer is no if engines differ or one of them cannot play some game.
pub(super) fn run(
    games: &[(String, Arc<Rules>)],
    engines: &[Engine],
    json: bool,
    terminal: &mut Terminal,
) -> Result<Answer, Failure> {
    let bar = progress(games.len() * engines.len());
    let mut entries = Vec::new();
    let mut first = Vec::with_capacity(games.len());
    let mut complaints = Vec::new();
    for (game, rules) in games {
        let mut reference = None;
        for engine in engines {
            bar.set_message(format!("{game}, {engine}"));
            bar.inc(1);
            let result = signature(rules, *engine);
            match &result {
                Ok(number) if *reference.get_or_insert(*number) != *number => {
                    complaints.push(format!("{game}: {engine} differs from {}", engines[0]));
                }
                Ok(_) => {}
                Err(error) => complaints.push(format!("{game}: {error}")),
            }
            entries.push(Entry {
                game: game.clone(),
                engine: engine.name(),
                error: result.as_ref().err().map(ToString::to_string),
                signature: result.ok().map(hex),
            });
        }
        first.push(reference.unwrap_or(0));
    }
    bar.finish_and_clear();
    let sum = hex(combined(first));
    if json {
        terminal.json(&Report {
            signature: sum,
            games: entries,
        })?;
    } else {
        for complaint in &complaints {
            writeln!(terminal, "{}", terminal.look.error(&printable(complaint)))?;
        }
        writeln!(terminal, "{sum}")?;
    }
    Ok(if complaints.is_empty() {
        Answer::Yes
    } else {
        Answer::No
    })
}
