//! The file of a tournament and the rule sheets that it names.

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use ludorum_engines::Engine;
use ludorum_match::tournament::{RuleSheet, TournamentPlan, file::MAX_BYTES};
use ludorum_players::GameEngine;

use crate::outcome::{ErrorMessage, Failure};
use crate::sheet_report;
use crate::source::{GameSource, OpenError};
use crate::terminal::Terminal;

/// Reads a file and the sheets of its games, whose paths are relative to it.
pub(super) fn read(path: &Path, terminal: &Terminal) -> Result<TournamentPlan, Failure> {
    let name = path.display().to_string();
    let unreadable = |error| Failure::input(format!("cannot read `{name}`: {error}"));
    let mut text = String::new();
    let file = fs::File::open(path).map_err(unreadable)?;
    // One more byte than the limit shows that the limit is exceeded.
    file.take(MAX_BYTES as u64 + 1)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    // The errors of a sheet are shown with snippets, not in the one line of a file error.
    let mut broken = None;
    let plan = TournamentPlan::new(&text, |word| match sheet(word, folder, terminal) {
        Ok(sheet) => Ok(sheet),
        Err(failure) => {
            let message = match &failure {
                Failure::Input(messages) => messages.first().map_or(String::new(), in_a_line),
                _ => format!("the sheet `{word}` cannot be used"),
            };
            if matches!(failure, Failure::Sheet(_)) {
                broken = Some(failure);
            }
            Err(message)
        }
    });
    match (plan, broken) {
        (Ok(plan), _) => Ok(plan),
        (Err(_), Some(failure)) => Err(failure),
        (Err(error), None) => Err(Failure::input_with_help(
            format!("`{name}`, {error}"),
            "`ludorum tournament --help` shows what such a file looks like",
        )),
    }
}

/// A message with its advice on one line.
fn in_a_line(message: &ErrorMessage) -> String {
    match &message.help {
        Some(help) => format!("{}; {help}", message.message),
        None => message.message.clone(),
    }
}

fn sheet(word: &str, folder: &Path, terminal: &Terminal) -> Result<RuleSheet, Failure> {
    let source = if ludorum_games::find(word).is_some() {
        GameSource::open(OsStr::new(word))
    } else {
        let looks_like_a_name = !word.contains(['/', '\\', '.']);
        match GameSource::from_file(&folder.join(word)) {
            Err(OpenError::Unknown { .. } | OpenError::NoFile { .. }) if looks_like_a_name => {
                Err(OpenError::Unknown { name: word.into() })
            }
            other => other,
        }
    }?;
    let rules = Arc::new(sheet_report::load_rules(&source, terminal)?);
    // The order of the roles is that of the engine.
    let failed = |error: &dyn std::fmt::Display| Failure::input(format!("`{word}`: {error}"));
    let table = GameEngine::new(&rules, Engine::PROVER).map_err(|error| failed(&error))?;
    let roles = table.walker().map_err(|error| failed(&error))?.roles();
    let name = match source.game() {
        Some(game) => game.name.to_owned(),
        None => Path::new(word)
            .file_stem()
            .map_or_else(|| word.to_owned(), |stem| stem.to_string_lossy().into()),
    };
    Ok(RuleSheet {
        name,
        text: source.text.into_owned(),
        roles,
    })
}
