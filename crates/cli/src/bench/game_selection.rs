//! The games that `ludorum bench` measures: by name, by tag, or all that ship.

use std::ffi::OsString;
use std::sync::Arc;

use clap::ValueHint;
use ludorum_logic::Rules;

use crate::outcome::Failure;
use crate::sheet_report;
use crate::source::GameSource;
use crate::terminal::Terminal;

/// The options that select games.
#[derive(Debug, clap::Args)]
pub(super) struct GameSelection {
    /// Shipped names, paths of sheets, or `-` for standard input.
    #[arg(value_name = "GAME", value_hint = ValueHint::FilePath)]
    names: Vec<OsString>,

    /// All shipped games with this tag; if given several times, those with all the tags.
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,

    /// All shipped games.
    #[arg(long, conflicts_with = "tag")]
    all: bool,
}

impl GameSelection {
    /// Loads the games, each once; without any selection all that ship if `by_default`.
    pub(super) fn open(
        &self,
        by_default: bool,
        terminal: &Terminal,
    ) -> Result<Vec<(String, Arc<Rules>)>, Failure> {
        let mut words = self.names.clone();
        let none = words.is_empty() && self.tag.is_empty();
        if self.all || (none && by_default) {
            words.extend(ludorum_games::all().iter().map(|game| game.name.into()));
        } else if !self.tag.is_empty() {
            let tagged = ludorum_games::search(&[], &self.tag);
            if tagged.is_empty() {
                let tags: Vec<&str> = ludorum_games::tags().into_keys().collect();
                return Err(Failure::input_with_help(
                    format!("no shipped game has the tag `{}`", self.tag.join("` and `")),
                    format!("there are {}", tags.join(", ")),
                ));
            }
            words.extend(tagged.iter().map(|game| game.name.into()));
        } else if none {
            return Err(Failure::input_with_help(
                "no game is named",
                "name games, or take --tag TAG or --all",
            ));
        }
        let mut games: Vec<(String, Arc<Rules>)> = Vec::with_capacity(words.len());
        for word in words {
            let source = GameSource::open(&word)?;
            if games.iter().any(|(name, _)| *name == source.name) {
                continue;
            }
            let rules = Arc::new(sheet_report::load_rules(&source, terminal)?);
            games.push((source.name, rules));
        }
        Ok(games)
    }
}
