//! Engines that several matches share: [`Tables`].

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ludorum_gdl::Diagnostic;
use ludorum_logic::Rules;
use ludorum_reason::Engine;
use ludorum_search::Table;
use thiserror::Error;

/// Rules that nobody can play by.
#[derive(Clone, Debug, Error)]
#[error("the rules cannot be used: {0}")]
pub struct RulesError(pub(crate) String);

/// An engine that cannot be made.
#[derive(Clone, Debug, Error)]
#[error("{0}")]
pub struct TableError(String);

type Slot<T, E> = Arc<OnceLock<Result<T, E>>>;
type Engines = Vec<(Engine, Slot<Table, TableError>)>;

/// The engines of the sheets that were used last. Matches that go by the same sheet compile it once; engines that remember answers are made anew
/// for everybody.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    /// The one that was used last is at the end.
    games: Arc<Mutex<Vec<Game>>>,
    most: usize,
}

#[derive(Clone, Debug)]
struct Game {
    sheet: Arc<str>,
    rules: Slot<Arc<Rules>, RulesError>,
    tables: Arc<Mutex<Engines>>,
}

impl Tables {
    /// Keeps the engines of so many sheets.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            games: Arc::default(),
            most,
        }
    }

    fn game(&self, sheet: &Arc<str>) -> Game {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let place = games.iter().position(|game| game.sheet == *sheet);
        let game = match place {
            Some(place) => games.remove(place),
            None => Game {
                sheet: Arc::clone(sheet),
                rules: Slot::default(),
                tables: Arc::default(),
            },
        };
        games.push(game.clone());
        if games.len() > self.most {
            games.remove(0);
        }
        game
    }

    /// The rules of a sheet. Whoever comes second waits for the first; this may take long.
    pub(crate) fn rules(&self, sheet: &Arc<str>) -> Result<Arc<Rules>, RulesError> {
        self.game(sheet).rules()
    }

    /// An engine for a sheet. Whoever comes second waits for the first; this may take long.
    pub(crate) fn table(&self, sheet: &Arc<str>, engine: Engine) -> Result<Table, TableError> {
        let game = self.game(sheet);
        let failed = |error: &dyn std::fmt::Display| TableError(error.to_string());
        let rules = game.rules().map_err(|error| failed(&error))?;
        let make = || Table::new(&rules, engine).map_err(|error| failed(&error));
        if engine.traits().caches {
            return make();
        }
        let slot = {
            let mut tables = game.tables.lock().unwrap_or_else(PoisonError::into_inner);
            let known = tables.iter().position(|(known, _)| *known == engine);
            let place = known.unwrap_or_else(|| {
                tables.push((engine, Slot::default()));
                tables.len() - 1
            });
            Arc::clone(&tables[place].1)
        };
        slot.get_or_init(make).clone()
    }
}

impl Game {
    fn rules(&self) -> Result<Arc<Rules>, RulesError> {
        let read = || Rules::from_text(&self.sheet).map(Arc::new);
        let read = || read().map_err(|problems| RulesError(in_words(&problems)));
        self.rules.get_or_init(read).clone()
    }
}

/// The first problems of a sheet.
fn in_words(problems: &[Diagnostic]) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<&str> = problems
        .iter()
        .take(SHOWN)
        .map(|problem| problem.message.as_str())
        .collect();
    let more = problems.len().saturating_sub(SHOWN);
    let rest = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    shown.join("; ") + &rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_is_read_once_and_the_oldest_is_forgotten() {
        let tables = Tables::new(2);
        let sheet = |name: &str| -> Arc<str> { format!("(role {name})").into() };
        let first = tables.rules(&sheet("a")).unwrap();
        assert!(Arc::ptr_eq(&first, &tables.rules(&sheet("a")).unwrap()));
        tables.rules(&sheet("b")).unwrap();
        tables.rules(&sheet("c")).unwrap();
        assert!(!Arc::ptr_eq(&first, &tables.rules(&sheet("a")).unwrap()));
    }

    #[test]
    fn a_sheet_that_is_none_is_told_about_in_words() {
        let tables = Tables::new(1);
        let sheet: Arc<str> = "(init a)".into();
        let error = tables.rules(&sheet).unwrap_err().to_string();
        assert!(error.contains("role"), "{error}");
        assert!(tables.table(&sheet, Engine::Prover).is_err());
    }
}
